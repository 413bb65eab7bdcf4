#!/usr/bin/env bash
# What profiling costs OpenMP programs: goals and figures. Wants a quiet machine with two cores or more.
#
#     tests/c/openmp-overhead.sh
#
# Each program takes the least time of eleven runs inside one process, and here the least of three processes counts.
set -euo pipefail
cd "$(dirname "$0")/../.."

workspan=${WORKSPAN:-target/release/workspan}
[ -x "$workspan" ] || { echo "openmp-overhead: $workspan is missing; cargo build --release first" >&2; exit 1; }
version=${LIBOMP_VERSION:-19}
folder=$(tests/c/libomp "$version")
built=target/openmp
mkdir -p "$built"
command -v clang >/dev/null || { echo "openmp-overhead: clang is missing; skipped"; exit 0; }

# Runs an executable three times, and prints the least time of each of its lines.
least() {
    for _ in 1 2 3; do "$@"; done | awk 'NF == 3 && $2 + 0 > 0 && (!($1 in time) || $2 < time[$1]) { time[$1] = $2; parts[$1] = $3 }
        END { for (name in time) print name, time[name], parts[name] }'
}
profiled() {
    "$workspan" run --libomp "$folder/libomp.so.5" --json "$built/profile.json" -- "$@" 2>/dev/null
}

failures=0
export OMP_NUM_THREADS LD_LIBRARY_PATH="$folder"
for program in tasks loops; do
    executable=$built/overhead-$program
    clang -O2 -g -fopenmp "tests/c/openmp-overhead/$program.c" -o "$executable"
    for OMP_NUM_THREADS in 1 2; do
        least "$executable" | sort >"$built/plain"
        least profiled "$executable" | sort >"$built/profiled"
        join "$built/plain" "$built/profiled" | awk -v program="$program" -v threads="$OMP_NUM_THREADS" '{
            if (program == "tasks") {
                # On several threads the time of each counts.
                figure = ($4 - $2) * threads / $3; goal = 300; unit = "ns a task"
            } else {
                figure = $4 / $2; goal = 1.1; unit = "times as long"
            }
            missed = figure > goal
            printf "%-12s %d threads  goal %5s  figure %8.2f %s%s\n", $1, threads, goal, figure, unit, missed ? "  MISSED" : ""
            failures += missed
        } END { exit failures > 0 }' || failures=$((failures + 1))
    done
done
[ "$failures" -eq 0 ]
