#!/usr/bin/env bash
# How near the work that is measured comes to what a program takes unprofiled, where its tasks do next to nothing.
#
#     tests/c/openmp-work.sh
#
# What is measured beyond that is the engine's own cost that was not taken off, and what the runtime does more when a tool is
# told. It is held against what was taken off, which is several times the work of such tasks and grows with the machine's pace as
# the rest does: so a cost that is not taken off, or twice, shows wherever this runs. The nearest of several profiles counts, since
# a pace varies: what is not taken off is in each of them.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Percent of what was taken off that the work may be off by.
goal=30
attempts=8
workspan=${WORKSPAN:-target/release/workspan}
[ -x "$workspan" ] || { echo "openmp-work: $workspan is missing; cargo build --release first" >&2; exit 1; }
command -v clang >/dev/null || { echo "openmp-work: clang is missing; skipped"; exit 0; }
folder=
for version in ${LIBOMP_VERSION:-19 16 14}; do
    if folder=$(tests/c/libomp "$version"); then break; fi
done
[ -n "$folder" ] || { echo "openmp-work: no libomp; skipped"; exit 0; }
built=target/openmp
mkdir -p "$built"
clang -O2 -g -fopenmp tests/c/openmp-overhead/work.c -o "$built/work"

failures=0
export OMP_NUM_THREADS=1 LD_LIBRARY_PATH="$folder"
for program in empty fib; do
    : >"$built/plain"
    : >"$built/work-measured"
    for ((attempt = 1; attempt <= attempts; attempt++)); do
        "$built/work" "$program" >>"$built/plain"
        "$workspan" run --libomp "$folder/libomp.so.5" --json "$built/profile.json" -- "$built/work" "$program" >/dev/null 2>&1
        awk '$1 == "\"own_cost_ns\":" && !own { own = $2 + 0 } $1 == "\"work_ns\":" { print $2 + 0, own; exit }' \
            "$built/profile.json" >>"$built/work-measured"
        verdict=$(paste "$built/plain" "$built/work-measured" | awk -v program="$program" -v goal="$goal" '
            function size(x) { return x < 0 ? -x : x }
            NR == 1 || $1 < plain { plain = $1 }
            { tasks = $2; work[NR] = $3; own[NR] = $4 }
            END {
                for (i in work) if (!near || size(work[i] - plain) < size(work[near] - plain)) near = i
                off = work[near] - plain
                right = size(off) <= own[near] * goal / 100
                printf "%-6s plain %5.0f ns a task  work %5.0f  taken off %5.0f  off by %5.0f, goal %d%% of that%s\n", program,
                    plain / tasks, work[near] / tasks, own[near] / tasks, off / tasks, goal, (right ? "" : "  MISSED")
            }')
        case $verdict in *MISSED) ;; *) break ;; esac
    done
    echo "$verdict"
    case $verdict in *MISSED) failures=$((failures + 1)) ;; esac
done
[ "$failures" -eq 0 ]
