#!/usr/bin/env bash
# What profiling costs OpenMP programs, beside its goals: 300 ns a task, and 1.1 times the time of a program of loops.
#
#     tests/c/openmp-overhead.sh             on 1 and 2 threads; wants a quiet machine with two cores or more
#     tests/c/openmp-overhead.sh --short     on 1 thread; tries again before it fails, beyond 1200 ns a task or 1.5 times the time of loops
#
# Each program takes the least time of eleven runs inside one process, and here the least of three processes counts. What
# else the machine does only adds to a time, so the least of more is nearer to the truth.
set -euo pipefail
cd "$(dirname "$0")/../.."

threads=(1 2)
attempts=1
case ${1-} in
'') ;;
--short)
    threads=(1)
    attempts=4
    ;;
*) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac

workspan=${WORKSPAN:-target/release/workspan}
[ -x "$workspan" ] || { echo "openmp-overhead: $workspan is missing; cargo build --release first" >&2; exit 1; }
command -v clang >/dev/null || { echo "openmp-overhead: clang is missing; skipped"; exit 0; }
# The newest that can be had.
folder=
for version in ${LIBOMP_VERSION:-19 16 14}; do
    if folder=$(tests/c/libomp "$version"); then break; fi
done
[ -n "$folder" ] || { echo "openmp-overhead: no libomp; skipped"; exit 0; }
built=target/openmp
mkdir -p "$built"

# Runs an executable three times, and adds what it prints to a file.
thrice() {
    local times=$1
    shift
    for _ in 1 2 3; do "$@"; done >>"$times"
}
profiled() {
    "$workspan" run --libomp "$folder/libomp.so.5" --json "$built/profile.json" -- "$@" 2>"$built/log" || { cat "$built/log" >&2; return 1; }
}
# The least time of each line of a file, with its number of parts.
least() {
    awk 'NF == 3 && $2 + 0 > 0 && (!($1 in time) || $2 < time[$1]) { time[$1] = $2; parts[$1] = $3 }
        END { for (name in time) print name, time[name], parts[name] }' "$1" | sort
}
# Prints what the times of a program say beside its goal; fails beyond what is allowed.
judge() {
    local is_short=$((attempts > 1))
    join <(least "$built/plain") <(least "$built/profiled") |
        awk -v program="$1" -v threads="$2" -v is_short="$is_short" '{
            if (program == "tasks") {
                # On several threads the time of each counts.
                figure = ($4 - $2) * threads / $3; goal = 300; most = 1200; unit = "ns a task"
            } else {
                figure = $4 / $2; goal = 1.1; most = 1.5; unit = "times as long"
            }
            failures += figure > (is_short ? most : goal)
            printf "%-12s %d threads  goal %5s  figure %8.2f %s%s\n", $1, threads, goal, figure, unit,
                (figure > goal ? "  MISSED" : "")
        } END { exit (failures > 0 || NR != 3) }'
}

failures=0
export OMP_NUM_THREADS LD_LIBRARY_PATH="$folder"
for program in tasks loops; do
    executable=$built/overhead-$program
    clang -O2 -g -fopenmp "tests/c/openmp-overhead/$program.c" -o "$executable"
    for OMP_NUM_THREADS in "${threads[@]}"; do
        : >"$built/plain"
        : >"$built/profiled"
        for ((attempt = 1; ; attempt++)); do
            thrice "$built/plain" "$executable"
            thrice "$built/profiled" profiled "$executable"
            if verdict=$(judge "$program" "$OMP_NUM_THREADS"); then break; fi
            if [ "$attempt" -ge "$attempts" ]; then failures=$((failures + 1)) && break; fi
        done
        echo "$verdict"
    done
done
[ "$failures" -eq 0 ]
