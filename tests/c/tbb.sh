#!/bin/sh
# Tests programs with oneTBB whose work and span are known, with each compiler, on one and two
# threads: prints goal and figure. WORKSPAN: the command, target/debug/workspan by default.
# WORKSPAN_CXXFLAGS replaces the output of `workspan cxxflags`.
set -eu
cd "$(dirname "$0")/../.."
workspan=${WORKSPAN:-target/debug/workspan}
flags=${WORKSPAN_CXXFLAGS-$("$workspan" cxxflags)}
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT

if ! echo '#include <oneapi/tbb/version.h>' | g++ -E -x c++ - >/dev/null 2>&1; then
    ci/skip tbb "no oneTBB (libtbb-dev), or no g++"
    exit 0
fi
# Profiles a case several times, and compares the medians with its goals.
profile() {
    for run in $(seq "${WORKSPAN_RUNS:-5}"); do
        # The options are several words.
        # shellcheck disable=SC2086
        if ! "$workspan" run ${WORKSPAN_RUN_OPTIONS-} --json "$built/profile-$run" -- "$built/$1" "$2" "$3" \
            >"$built/out" 2>"$built/err"; then
            cat "$built/out" "$built/err"
            echo "FAILED: $compiler $1 $3 $2"
            return 1
        fi
    done
    python3 tests/c/goals.py "$built/out" "$compiler $1 $3 $2" "$built"/profile-*
}

failed=0
for compiler in g++ clang++; do
    if ! command -v $compiler >/dev/null; then
        ci/skip $compiler tbb
        continue
    fi
    for program in ${PROGRAMS:-answers loops reductions tasks}; do
        # The flags are several words.
        # shellcheck disable=SC2086
        $compiler -std=c++17 -O1 -g -Wall -Wextra $flags "tests/c/tbb/$program.cpp" -o "$built/$program" -ltbb
        for threads in 1 2; do
            for one in ${CASES:-$("$built/$program")}; do
                # Without a profile, the answers must be right, too.
                if ! "$built/$program" $threads "$one" >"$built/plain" 2>&1; then
                    cat "$built/plain"
                    echo "WRONG ANSWERS without a profile: $compiler $program $one $threads"
                    failed=1
                fi
                profile "$program" $threads "$one" || failed=1
            done
        done
    done
done
exit $failed
