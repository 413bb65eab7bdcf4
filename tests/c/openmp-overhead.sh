#!/usr/bin/env bash
# What profiling costs OpenMP programs: nanoseconds a task, slowdown of loops. Prints a line for
# `gate run` per program and number of threads: readings of pairs of a plain and a profiled run.
#
#     tests/c/openmp-overhead.sh             on 1 and 2 threads; wants a quiet machine with 2 cores
#     tests/c/openmp-overhead.sh --short     on 1 thread, fewer pairs
set -euo pipefail
cd "$(dirname "$0")/../.."

threads=(1 2)
pairs=11
case ${1-} in
'') ;;
--short)
    threads=(1)
    pairs=5
    ;;
*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac

workspan=${WORKSPAN:-target/release/workspan}
[ -x "$workspan" ] || { echo "openmp-overhead: $workspan is missing; cargo build --release first" >&2; exit 1; }
# The newest available libomp.
folder=
for version in ${LIBOMP_VERSION:-19 16 14}; do
    if folder=$(tests/c/libomp "$version"); then break; fi
done
[ -n "$folder" ] || exit 1
built=target/openmp
mkdir -p "$built"

profiled() {
    "$workspan" run --libomp "$folder/libomp.so.5" --json "$built/profile.json" -- "$@" 2>"$built/log" || { cat "$built/log" >&2; return 1; }
}
# Readings from the lines of two files of equally many runs, plain and profiled: NAME TIME PARTS.
readings() { # program, threads
    paste "$built/plain" "$built/profiled" | awk -v program="$1" -v threads="$2" '{
        if (program == "tasks") {
            # With several threads, the time of all counts.
            figure = "task-ns"; reading = ($5 - $2) * threads / $3
        } else {
            figure = "ratio"; reading = $5 / $2
        }
        all[$1] = all[$1] sprintf(" %.4f", reading)
    } END { for (name in all) printf "gate: %s-%d/%s%s\n", name, threads, figure, all[name] }' | sort
}

export OMP_NUM_THREADS LD_LIBRARY_PATH="$folder"
for program in tasks loops; do
    executable=$built/overhead-$program
    clang -O2 -g -fopenmp "tests/c/openmp-overhead/$program.c" -o "$executable"
    for OMP_NUM_THREADS in "${threads[@]}"; do
        : >"$built/plain"
        : >"$built/profiled"
        for ((pair = 1; pair <= pairs; pair++)); do
            "$executable" >>"$built/plain"
            profiled "$executable" | awk 'NF == 3 && $2 + 0 > 0' >>"$built/profiled"
        done
        readings "$program" "$OMP_NUM_THREADS"
    done
done
