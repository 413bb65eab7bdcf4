#!/bin/sh
# Tests `workspan run --functions exact` on programs whose functions report their calls, by hooks
# (gcc and clang, with and without frame pointers and optimisation) or XRay sleds (clang), in the
# program and in a library, in C and C++; and the message for a program that reports none. WORKSPAN:
# the command, target/debug/workspan by default.
set -eu
cd "$(dirname "$0")/../.."
workspan=${WORKSPAN:-target/debug/workspan}
tests=tests/c/api
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
failed=0
flags="-fno-plt -Icrates/workspan-engine/include -Wall -Wextra -Werror -g"

wrong() {
    echo "WRONG: $*"
    failed=1
}

# measured PROGRAM TITLE [hooked] [exact]: compares the medians of several profiles with the goals
measured() {
    program=$1 title=$2
    shift 2
    "$program" >"$built/plain" 2>&1 || wrong "$title fails as it is"
    for run in $(seq "${WORKSPAN_RUNS:-5}"); do
        # shellcheck disable=SC2086
        if ! "$workspan" run ${WORKSPAN_RUN_OPTIONS-} --functions exact --function-bytes 0 --json "$built/profile-$run" -- "$program" \
            >"$built/out" 2>"$built/err"; then
            cat "$built/out" "$built/err"
            failed=1
            return
        fi
    done
    python3 tests/c/functions.py "$built/out" "$title" "$*" "$built"/profile-* || failed=1
    python3 tests/c/goals.py "$built/out" "$title" "$built"/profile-* || failed=1
}

for compilers in "gcc g++" "clang clang++"; do
    # shellcheck disable=SC2086
    set -- $compilers
    c=$1 cxx=$2
    if ! command -v "$c" >/dev/null || ! command -v "$cxx" >/dev/null; then
        ci/skip "$c" "functions: no $c, or no $cxx"
        continue
    fi
    # The flags are several words each.
    # shellcheck disable=SC2086
    for optimised in -O0 -O2; do
        hooks=$("$workspan" cflags --functions | sed 's/.* -finstrument/-finstrument/')
        $c -std=c11 $flags $optimised $hooks $tests/functions.c -o "$built/functions" -pthread
        measured "$built/functions" "$c $optimised hooks" hooked exact
        $c -std=c11 $flags $optimised $hooks -fomit-frame-pointer $tests/functions.c -o "$built/functions" -pthread
        measured "$built/functions" "$c $optimised hooks, no frame pointers" hooked
        $cxx -std=c++17 $flags $optimised $hooks $tests/functions.cpp -o "$built/functions"
        measured "$built/functions" "$cxx $optimised hooks" hooked exact
    done
    # shellcheck disable=SC2086
    $c -std=c11 $flags -O1 $tests/serial.c -o "$built/plain_program"
    if "$workspan" run --functions exact -- "$built/plain_program" >"$built/out" 2>&1; then
        wrong "$c: functions are measured of a program in which none tells"
    fi
    grep -q 'workspan cflags --functions' "$built/out" || wrong "$c: flags are not told: $(cat "$built/out")"
done

if command -v clang >/dev/null; then
    sleds="-fxray-instrument -fxray-instruction-threshold=1"
    # shellcheck disable=SC2086
    for optimised in -O1 -O2; do
        clang -std=c11 $flags $optimised $sleds -c $tests/functions.c -o "$built/functions.o"
        clang "$built/functions.o" -o "$built/functions" -pthread
        measured "$built/functions" "clang $optimised sleds" exact
        clang -no-pie "$built/functions.o" -o "$built/functions" -pthread 2>/dev/null \
            && measured "$built/functions" "clang $optimised sleds, not PIE" exact
        clang++ -std=c++17 $flags $optimised $sleds -c $tests/functions.cpp -o "$built/functions.o"
        clang++ "$built/functions.o" -o "$built/functions"
        measured "$built/functions" "clang++ $optimised sleds" exact
    done
    # The whole program in a library, which another program calls.
    # shellcheck disable=SC2086
    for kind in "sleds $sleds" "hooks -finstrument-functions -fno-omit-frame-pointer"; do
        clang -std=c11 $flags -O1 ${kind#* } -fPIC -Dmain=run_all -c $tests/functions.c -o "$built/functions.o"
        clang -shared "$built/functions.o" -o "$built/libfunctions.so"
        echo 'int run_all(void); int main(void) { return run_all(); }' >"$built/main.c"
        clang "$built/main.c" -L"$built" -lfunctions -Wl,-rpath,"$built" -pthread -o "$built/with_library"
        measured "$built/with_library" "clang library, ${kind%% *}" "$(echo "${kind%% *}" | sed s/hooks/hooked/)" exact
    done
else
    ci/skip clang "functions: no XRay sleds"
fi
exit $failed
