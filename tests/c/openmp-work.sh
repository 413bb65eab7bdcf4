#!/usr/bin/env bash
# How near the measured work comes to the processor time of the plain program, whose tasks do next
# to nothing. Prints a line for `gate run`, which judges it, for each program: by how many percent
# of the plain run's processor time the work is off, in several pairs of a plain and a profiled run.
#
#     tests/c/openmp-work.sh [--short]      fewer pairs
#
# The measured work exceeds the plain time by the engine's own cost as far as it was not subtracted,
# and by what the runtime does in addition for a tool. The subtracted cost is several times the work
# of such tasks, and scales with the machine's speed as the rest does: so a cost that is not
# subtracted, or subtracted twice, shows on every machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

pairs=11
[ "${1-}" != --short ] || pairs=5
workspan=${WORKSPAN:-target/release/workspan}
[ -x "$workspan" ] || { echo "openmp-work: $workspan is missing; cargo build --release first" >&2; exit 1; }
folder=
for version in ${LIBOMP_VERSION:-19 16 14}; do
    if folder=$(tests/c/libomp "$version"); then break; fi
done
[ -n "$folder" ] || exit 1
built=target/openmp
mkdir -p "$built"
clang -O2 -g -fopenmp tests/c/openmp-overhead/work.c -o "$built/work"

export OMP_NUM_THREADS=1 LD_LIBRARY_PATH="$folder"
for program in empty fib; do
    : >"$built/plain"
    : >"$built/work-measured"
    for ((pair = 1; pair <= pairs; pair++)); do
        "$built/work" "$program" >>"$built/plain"
        "$workspan" run --libomp "$folder/libomp.so.5" --json "$built/profile.json" -- "$built/work" "$program" >/dev/null 2>&1
        awk '$1 == "\"own_cost_ns\":" && !own { own = $2 + 0 } $1 == "\"work_ns\":" { print $2 + 0, own; exit }' \
            "$built/profile.json" >>"$built/work-measured"
    done
    paste "$built/plain" "$built/work-measured" | awk -v program="$program" '{
        printf "%-6s plain %5.0f ns a task  work %5.0f  taken off %5.0f\n", program, $1 / $2, $3 / $2, $4 / $2
        readings = readings sprintf(" %.2f", 100 * ($3 - $1) / $1)
    } END { printf "gate: %s/off%s\n", program, readings }'
done
