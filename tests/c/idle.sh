#!/usr/bin/env bash
# Small OpenMP programs whose idle time is known, in tests/c/idle: each is compiled by clang and by gcc, and run on 1, 2 and 8
# threads with libomp 14 and a newer one. What it tells of its idle time is held against what its first comment says: shares of
# the time of all threads on 1, 2 and 8, or - where that is not known.
#
#     tests/c/idle.sh [PROGRAM…]      all, or those named
#
# The programs sleep where they work, so it does not matter how many cores there are, or what else runs.
set -uo pipefail
cd "$(dirname "$0")/../.."

workspan=${WORKSPAN:-target/debug/workspan}
library=$(dirname "$workspan")/libworkspan.so
[ -f "$library" ] || { echo "idle: $library is missing; cargo build first" >&2; exit 1; }
programs=tests/c/idle
built=target/idle
versions=${LIBOMP_VERSIONS:-14 19}
threads=(1 2 8)
columns='0 1 2'
[ -z "${WORKSPAN_SHORT:-}" ] || columns='1 2'
# How far a share may be beside the known one: the start of the process, in which one thread works, and wake-ups.
tolerance=0.05
mkdir -p "$built"

source tests/c/compilers.sh
found_compilers idle clang gcc

told=$built/told
log=$built/log

# Runs a program on so many threads, and prints the share of their time that was idle.
measure() {
    local executable=$1 count=$2 folder=$3
    rm -f "$told"
    timeout 60 env LD_PRELOAD="$library:$folder/libomp.so.5" WORKSPAN_IDLE="$told" WORKSPAN_THREADS="$count" \
        OMP_NUM_THREADS="$count" "$executable" >"$log" 2>&1 || return
    [ ! -s "$log" ] || return
    awk '$1 == "elapsed" { time = $2 } $1 == "threads" { threads = $2 } $1 == "idle" { idle = $2 }
        $1 == "balance" { balance = $2 } $1 == "end" && balance > 0.99 && balance < 1.01 { printf "%.3f", idle / time / threads }' \
        "$told"
}

# Is a share what is expected?
fits() {
    awk -v share="$1" -v goal="$2" -v tolerance="$tolerance" 'BEGIN {
        parts = split(goal, fraction, "/")
        known = parts == 2 ? fraction[1] / fraction[2] : goal
        exit !(share >= known - tolerance && share <= known + tolerance)
    }'
}

library=$(realpath "$library")
failures=0
checked=0
printf '%-14s %-6s %-6s %7s  %7s %7s\n' program compiler libomp threads known got
for version in $versions; do
    folder=$(tests/c/libomp "$version") || continue
    for file in "$programs"/*.c; do
        name=$(basename "$file" .c)
        [ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
        read -ra shares < <(sed -n 's/^ \* idle //p' "$file")
        for compiler in "${compilers[@]}"; do
            executable=$built/$name.$compiler
            if [ "$file" -nt "$executable" ] || [ "$programs/rest.h" -nt "$executable" ]; then
                "$compiler" -g -O1 -Wall -fopenmp "$file" -o "$executable" || { failures=$((failures + 1)); continue; }
            fi
            for index in $columns; do
                share=${shares[index]:?$file}
                [ "$share" = - ] && continue
                # Where much else runs, threads wake up late now and then.
                for _ in 1 2 3 4 5 6 7 8; do
                    got=$(measure "$executable" "${threads[index]}" "$folder")
                    problem='not as known'
                    [ -n "$got" ] || problem="no idle time: $(tail -n 1 "$log")"
                    [ -n "$got" ] && fits "$got" "$share" && problem= && break
                done
                checked=$((checked + 1))
                [ -z "$problem" ] || failures=$((failures + 1))
                printf '%-14s %-6s %-6s %7s  %7s %7s  %s\n' "$name" "$compiler" "$version" "${threads[index]}" \
                    "$share" "$got" "$problem"
            done
        done
    done
done
echo "idle: $checked runs, $failures not as known"
if [ "$checked" -eq 0 ] && [ "$failures" -eq 0 ]; then
    echo "idle: skipped, there is no compiler or no libomp (ci/setup gets them)"
fi
[ "$failures" -eq 0 ]
