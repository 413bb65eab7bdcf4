#!/usr/bin/env bash
# Tests the idle time of small OpenMP programs, in tests/c/idle, for which it is known: each is
# compiled by clang and by gcc, and run several times on 1, 2 and 8 threads with libomp 14, a newer
# one, and gcc's own runtime (libgomp). The median of the idle time is compared with the program's first
# comment: shares of the time of all threads on 1, 2 and 8 threads, or - where it is not known.
#
#     tests/c/idle.sh [PROGRAM…]      all programs, or the named ones
#
# The programs sleep instead of computing, so neither the number of cores nor other load matters much.
# In the exact form (WORKSPAN_STRUCTURE) no time is compared: the program must end as it does alone, and
# the account must be complete and of all threads.
set -uo pipefail
cd "$(dirname "$0")/../.."

workspan=${WORKSPAN:-target/debug/workspan}
library=${WORKSPAN_LIBRARY:-$(dirname "$workspan")/libworkspan.so}
of_libgomp=${WORKSPAN_GOMP_LIBRARY:-$(dirname "$workspan")/libworkspan_gomp.so}
for file in "$library" "$of_libgomp"; do
    [ -f "$file" ] || { echo "idle: $file is missing; cargo build first" >&2; exit 1; }
done
programs=tests/c/idle
built=target/idle
versions=${LIBOMP_VERSIONS:-14 19 libgomp}
threads=(1 2 8)
columns='0 1 2'
[ -z "${WORKSPAN_SHORT:-}" ] || columns='1 2'
[ -z "${WORKSPAN_STRUCTURE:-}" ] || columns=1
# How far a share may be from the known one, due to the start of the process, where only one thread
# works, and wake-ups.
tolerance=0.05
runs=${WORKSPAN_RUNS:-5}
mkdir -p "$built"

source tests/c/compilers.sh
found_compilers idle clang gcc

told=$built/told
log=$built/log

# Runs a program on a number of threads, and prints the share of their time that was idle.
measure() {
    local executable=$1 count=$2 runtime=$3
    rm -f "$told"
    timeout 60 env LD_PRELOAD="$library:$runtime" WORKSPAN_IDLE="$told" WORKSPAN_THREADS="$count" \
        OMP_NUM_THREADS="$count" "$executable" >"$log" 2>&1 || return
    [ ! -s "$log" ] || return
    if [ -n "${WORKSPAN_STRUCTURE:-}" ]; then
        awk -v threads="$count" '$1 == "threads" { team = $2 } $1 == "worker" { workers++ } $1 == "ended" { ended = $2 }
            $1 == "end" && ended == "exit" && team == threads && workers == threads { print "whole" }' "$told"
        return
    fi
    awk '$1 == "elapsed" { time = $2 } $1 == "threads" { threads = $2 } $1 == "idle" { idle = $2 }
        $1 == "balance" { balance = $2 } $1 == "end" && balance > 0.99 && balance < 1.01 { printf "%.3f", idle / time / threads }' \
        "$told"
}

# Is a share near the expected one?
fits() {
    [ "$1" != whole ] || return 0
    awk -v share="$1" -v goal="$2" -v tolerance="$tolerance" 'BEGIN {
        parts = split(goal, fraction, "/")
        known = parts == 2 ? fraction[1] / fraction[2] : goal
        exit !(share >= known - tolerance && share <= known + tolerance)
    }'
}

library=$(realpath "$library")
of_libgomp=$(realpath "$of_libgomp")
failures=0
checked=0
printf '%-14s %-6s %-6s %7s  %7s %7s\n' program compiler libomp threads known got
for version in $versions; do
    runtime=$of_libgomp
    [ "$version" = libgomp ] || runtime=$(tests/c/libomp "$version")/libomp.so.5 || continue
    for file in "$programs"/*.c; do
        name=$(basename "$file" .c)
        [ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
        read -ra shares < <(sed -n 's/^ \* idle //p' "$file")
        for compiler in "${compilers[@]}"; do
            [ "$version" != libgomp ] || [ "$compiler" = gcc ] || continue
            executable=$built/$name.$compiler
            if [ "$file" -nt "$executable" ] || [ "$programs/rest.h" -nt "$executable" ]; then
                "$compiler" -g -O1 -Wall -fopenmp "$file" -o "$executable" || { failures=$((failures + 1)); continue; }
            fi
            for index in $columns; do
                share=${shares[index]:?$file}
                [ "$share" = - ] && continue
                found=() problem=
                for ((run = 1; run <= runs; run++)); do
                    found+=("$(measure "$executable" "${threads[index]}" "$runtime")")
                    [ -n "${found[-1]}" ] || { problem="no idle time: $(tail -n 1 "$log")"; break; }
                done
                got=$(printf '%s\n' "${found[@]}" | sort -n | sed -n "$(((runs + 1) / 2))p")
                [ -n "$problem" ] || fits "$got" "$share" || problem='not as known'
                checked=$((checked + 1))
                [ -z "$problem" ] || failures=$((failures + 1))
                printf '%-14s %-6s %-6s %7s  %7s %7s  %s\n' "$name" "$compiler" "$version" "${threads[index]}" \
                    "$share" "$got" "$problem"
            done
        done
    done
done
echo "idle: $checked programs as run, $failures not as known"
[ "$failures" -eq 0 ]
