#!/usr/bin/env bash
# Tests random OpenMP programs: what the runtime reports about each is recorded while the program is
# profiled under a virtual clock, and the profile is compared with what follows from that by brute
# force.
#
#     tests/c/streams.sh [PROGRAMS [FIRST]]      programs for each compiler and runtime, first seed;
#                                                300 and 0 by default
#
# The programs are tests/c/streams/program.cpp with one seed each, on 1 to 8 threads; they never
# spin, and hardly wait. In the exact form (WORKSPAN_STRUCTURE) no task is untied, on which libomp rarely
# fails by itself, so that no program may fail.
set -uo pipefail
cd "$(dirname "$0")/../.."

programs=${1:-${WORKSPAN_SHORT:+60}}
programs=${programs:-300}
first=${2:-0}
versions=${LIBOMP_VERSIONS:-14 16 19 libgomp}
library=${WORKSPAN_LIBRARY:-$PWD/target/release/libworkspan.so}
of_libgomp=${WORKSPAN_GOMP_LIBRARY:-$PWD/target/release/libworkspan_gomp.so}
for file in "$library" "$of_libgomp"; do
    [ -f "$file" ] || { echo "streams: $file is missing; cargo build --release -p workspan-capi -p workspan-gomp first" >&2; exit 1; }
done
sources=tests/c/streams
built=$PWD/target/streams
rm -rf "$built/recorded"
mkdir -p "$built/recorded"

header=$(ls /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h /usr/include/omp-tools.h 2>/dev/null | head -n 1)
if [ -z "$header" ] || ! command -v cc >/dev/null; then
    ci/skip omp-tools.h "streams (ci/setup installs libomp-dev and gcc)"
    exit
fi
# Only this header, since its folder also has clang's own.
mkdir -p "$built/include"
cp "$header" "$built/include"
cc -g -O1 -Wall -fPIC -shared -I "$built/include" -I crates/workspan-engine/include "$sources/recorder.c" -o "$built/recorder.so" -ldl || exit 1

source tests/c/compilers.sh
found_compilers streams clang++ g++
for compiler in ${compilers[@]+"${compilers[@]}"}; do
    "$compiler" -std=c++17 -g -O1 -Wall -fopenmp ${WORKSPAN_STRUCTURE:+-DTIED} "$sources/program.cpp" -o "$built/program.$compiler" || exit 1
done

# Runs a program: run COMPILER RUNTIME SEED THREADS [VARIABLE=VALUE…]
run() {
    local compiler=$1 runtime=$2 seed=$3 threads=$4 folder=
    shift 4
    [ "$runtime" = "$of_libgomp" ] || folder=$(dirname "$runtime")
    timeout 60 env ${folder:+LD_LIBRARY_PATH="$folder"} LD_PRELOAD="$runtime" KMP_BLOCKTIME=0 OMP_WAIT_POLICY=passive "$@" \
        "$built/program.$compiler" "$seed" "$threads"
}

failures=0
left_out=0
started=0
for version in $versions; do
    runtime=$of_libgomp
    [ "$version" = libgomp ] || runtime=$(tests/c/libomp "$version")/libomp.so.5 || continue
    for compiler in ${compilers[@]+"${compilers[@]}"}; do
        [ "$version" != libgomp ] || [ "$compiler" = g++ ] || continue
        for ((seed = first; seed < first + programs; seed++)); do
            started=$((started + 1))
            name=$built/recorded/$compiler-$version-$seed
            threads=$((1 + seed % 8))
            run "$compiler" "$runtime" "$seed" "$threads" LD_PRELOAD="$built/recorder.so $library $runtime" \
                STREAM="$name.stream" WORKSPAN_PROFILE="$name.raw" WORKSPAN_CLOCK=virtual WORKSPAN_BURDEN=1000000cycles \
                >"$name.log" 2>&1 && continue
            rm -f "$name".{stream,raw}
            # Sometimes the runtime fails even without the tool.
            alone=
            [ -n "${WORKSPAN_STRUCTURE:-}" ] || for _ in 1 2 3 4 5; do
                run "$compiler" "$runtime" "$seed" "$threads" >/dev/null 2>&1 || { alone=1 && break; }
            done
            if [ -z "$alone" ]; then
                echo "streams: program $seed of $compiler with the runtime $version fails: $(head -n 1 "$name.log")"
                failures=$((failures + 1))
            else
                left_out=$((left_out + 1))
            fi
        done
    done
done
if [ "$started" -eq 0 ]; then
    exit 0
fi
echo "streams: of $started programs $failures fail with the tool alone, $left_out also without (libomp's untied tasks)"
# The runtime rarely fails; if it fails often, little was tested.
if [ $((10 * left_out)) -gt "$started" ]; then
    echo "streams: $left_out programs that fail without the tool are too many"
    failures=$((failures + 1))
fi
# Of the whole workspace, as `ci/test` has built it: if targets were chosen, cargo would build dependencies again, with
# other features or settings.
oracle=$(cargo test --quiet --no-run --workspace --message-format=json | python3 -c '
import json, sys
for line in sys.stdin:
    built = json.loads(line)
    if "/workspan-capi#" in built.get("package_id", "") and built.get("executable"):
        print(built["executable"])')
if ! WORKSPAN_STREAMS=$built/recorded "$oracle" profiles_of_programs_are_exact --nocapture >"$built/oracle" 2>&1 ||
    ! grep -q '1 passed' "$built/oracle"; then
    cat "$built/oracle"
    failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
