#!/bin/sh
# Tests the C and C++ interfaces, installed to a temporary prefix: programs of known work and span,
# built by pkg-config and by CMake with each compiler, and run plain and under `workspan run`;
# headers without warnings; mismatched calls; profiles of programs that are still running; what-if
# on regions; WORKSPAN_DISABLED. In the exact form (WORKSPAN_STRUCTURE) no time is compared. WORKSPAN: the command, target/debug/workspan by default.
set -eu
cd "$(dirname "$0")/../.."
workspan=$(realpath "${WORKSPAN:-target/debug/workspan}")
tests=tests/c/api
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
failed=0

wrong() {
    echo "WRONG: $*"
    failed=1
}

runs=$(seq "${WORKSPAN_RUNS:-5}")

# known PROGRAM TITLE [ARGUMENTS]: compares the medians of several profiles with the goals
known() {
    profiled=$1 title=$2
    shift 2
    "$profiled" "$@" >"$built/plain" 2>&1 || wrong "$title fails as it is"
    grep -q workspan "$built/plain" && wrong "$title says something of workspan as it is"
    for run in $runs; do
        # shellcheck disable=SC2086
        if ! "$workspan" run ${WORKSPAN_RUN_OPTIONS-} --json "$built/profile-$run" -- "$profiled" "$@" >"$built/out" 2>"$built/err"; then
            cat "$built/out" "$built/err"
            wrong "$title fails under a profile"
            return
        fi
    done
    python3 tests/c/goals.py "$built/out" "$title" "$built"/profile-* || failed=1
}

crates/workspan-capi/package/install "$built/prefix"
PKG_CONFIG_PATH=$built/prefix/share/pkgconfig
export PKG_CONFIG_PATH
if command -v pkg-config >/dev/null; then
    flags=$(pkg-config --cflags workspan)
    echo "pkg-config --cflags workspan, version $(pkg-config --modversion workspan): $flags" | sed "s|$built|...|g"
else
    ci/skip pkg-config api
    flags="-fno-plt -I$built/prefix/include"
fi

# what_was_dumped TITLE: checks the profiles that a program dumped itself in each run, as workspan
# reads them.
what_was_dumped() {
    grep '^dump ' "$built/out" | while read -r _ file goal; do
        echo "goal $goal" >"$built/goal"
        for run in $runs; do
            if ! "$workspan" report "$built/dumps-$run/$file" --json "$built/dumped-$run" >"$built/report" 2>&1; then
                cat "$built/report"
                exit 1
            fi
            grep -q 'ran on after' "$built/report" || { echo "WRONG: $1 $file is not told to be of a part"; exit 1; }
            "$workspan" dag "$built/dumps-$run/$file" >/dev/null || exit 1
        done
        python3 tests/c/goals.py "$built/goal" "$1 $file" "$built"/dumped-* || exit 1
    done
}

# dumps PROGRAM TITLE: like `known`, for the program and the files that it writes.
dumps() {
    for run in $runs; do
        rm -rf "$built/dumps-$run"
        mkdir "$built/dumps-$run"
        (cd "$built/dumps-$run" && dumped_run "$1" "$2" "$built/profile-$run") || return 1
        "$workspan" report "$built/dumps-$run/again.raw" >/dev/null || return 1
    done
    python3 tests/c/goals.py "$built/out" "$2" "$built"/profile-* && what_was_dumped "$2"
}

# One run, which leaves the program's files in the current folder.
dumped_run() {
    "$1" >"$built/plain" 2>&1 || { echo "WRONG: $2 fails as it is"; return 1; }
    [ -z "$(ls)" ] || { echo "WRONG: $2 writes files as it is"; return 1; }
    # shellcheck disable=SC2086
    "$workspan" run ${WORKSPAN_RUN_OPTIONS-} --json "$3" -- "$1" >"$built/out" 2>"$built/err" || { cat "$built/out" "$built/err"; return 1; }
}

# what_if PROGRAM TITLE: checks medians of work and span of the changed program, in milliseconds. A
# region has only its own strands: those of `inner` are not also in `outer`.
what_if() {
    for run in $runs; do
        # shellcheck disable=SC2086
        "$workspan" run ${WORKSPAN_RUN_OPTIONS-} -o "$built/regions-$run.wsp" -- "$1" >/dev/null 2>&1
    done
    while read -r region change factor work span; do
        for run in $runs; do
            "$workspan" whatif "$built/regions-$run.wsp" --region "$region" "--$change" "$factor" --json >"$built/answer-$run"
        done
        python3 - "$work" "$span" "$2: $region $change $factor" "$built"/answer-* <<'END' || return 1
import json, os, statistics, sys
*words, title = sys.argv[1:4]
after = [json.load(open(answer))["after"] for answer in sys.argv[4:]]
found = [statistics.median(one[f"{name}_ns"] for one in after) / 1e6 for name in ("work", "span")]
expected = [float(word) for word in words]
# What follows from a change is a time: in the exact form the region must be found, no more.
right = "WORKSPAN_STRUCTURE" in os.environ or all(0.97 * e - 0.5 <= f <= 1.08 * e + 5 for f, e in zip(found, expected))
print(f"{title:44} work {found[0]:.1f} ms, span {found[1]:.1f} ms{'' if right else f'  WRONG, expected {expected}'}")
sys.exit(not right)
END
    done <<'END'
inner parallelise 2 140 70
inner speed-up 2 100 70
tail parallelise 4 140 50
outer parallelise 2 140 70
END
}

strict="-Wall -Wextra -Werror -O1 -g"
for compilers in "gcc g++" "clang clang++"; do
    # shellcheck disable=SC2086
    set -- $compilers
    c=$1 cxx=$2
    if ! command -v "$c" >/dev/null || ! command -v "$cxx" >/dev/null; then
        ci/skip "$c" "api: no $c, or no $cxx"
        continue
    fi
    # The flags are several words each.
    # shellcheck disable=SC2086
    for off in "" -DWORKSPAN_DISABLED; do
        for header in workspan.h workspan/order.h; do
            printf '#include <%s>\nint main(void) { workspan_sync(); return workspan_active(); }\n' $header >"$built/one.c"
            $c -std=c11 -pedantic $strict $off $flags "$built/one.c" -o "$built/one" || wrong "$c $header $off"
        done
        $c -std=c11 -pedantic $strict $off $flags "$tests/order.c" -o "$built/order" || wrong "$c order.c $off"
        "$built/order" >/dev/null || wrong "$c order.c $off"
        if [ -z "$off" ]; then
            "$workspan" run --no-report -o "$built/order.wsp" -- "$built/order" 2>"$built/order.log" || wrong "$c order.c, profiled"
        fi
        $c -std=c11 -pedantic $strict $off $flags -c $tests/serial.c -o "$built/serial.o" || wrong "$c serial.c $off"
        for more in "" "-fno-exceptions -fno-rtti"; do
            printf '#include <workspan.hpp>\nint main() { workspan::region here("here"); workspan::sync(); }\n' >"$built/one.cpp"
            $cxx -std=c++17 -pedantic $strict $off $more $flags "$built/one.cpp" -o "$built/one" || wrong "$cxx workspan.hpp $off $more"
        done
        if [ -n "$off" ]; then
            $c -std=c11 $strict $off $flags $tests/serial.c -o "$built/off"
            "$built/off" >/dev/null || wrong "$c $off"
            nm "$built/off" | grep -q workspan_task && wrong "$c $off refers to the library"
        fi
    done
    # shellcheck disable=SC2086
    for program in serial pool locks regions mismatched; do
        $c -std=c11 -pedantic $strict $flags $tests/$program.c -o "$built/$program" -pthread
        known "$built/$program" "$c $program"
        if [ $program = mismatched ]; then
            grep '^workspan: .* on a thread' "$built/err" | sed "s|$built|...|g"
            said=$(grep -c '^workspan: .* on a thread' "$built/err")
            expected=$(grep -c 'SAID' $tests/mismatched.c)
            [ "$said" = "$expected" ] || wrong "$c: $said mismatches are told, not $expected"
            # Each message names the lines that the comment at its call names.
            grep -o 'SAID .*[^ */]' $tests/mismatched.c | sed 's/SAID //' | while read -r pattern; do
                grep -q "$pattern" "$built/err" || { echo "WRONG: $c: not told: $pattern"; exit 1; }
            done || failed=1
        fi
    done
    # shellcheck disable=SC2086
    $c -std=c11 -pedantic $strict $flags $tests/dump.c -o "$built/dump" -pthread
    dumps "$built/dump" "$c dump" || failed=1
    what_if "$built/regions" "$c regions" || failed=1
    # shellcheck disable=SC2086
    $cxx -std=c++17 -pedantic $strict $flags $tests/objects.cpp -o "$built/objects"
    known "$built/objects" "$cxx objects"
done

if command -v cmake >/dev/null; then
    cmake -S $tests -B "$built/cmake" -DCMAKE_PREFIX_PATH="$built/prefix" >"$built/cmake.log" 2>&1 \
        && cmake --build "$built/cmake" >>"$built/cmake.log" 2>&1 || { cat "$built/cmake.log"; failed=1; }
    known "$built/cmake/pool" "CMake pool"
    known "$built/cmake/objects" "CMake objects"
    [ ! -x "$built/cmake/loops" ] || known "$built/cmake/loops" "CMake oneTBB loops nested 2" 2 nested
else
    ci/skip cmake api
fi
exit $failed
