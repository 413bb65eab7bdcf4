#!/bin/sh
# The C and C++ interfaces, installed to a temporary prefix: programs built by pkg-config and by CMake, with each compiler,
# run as they are and under `workspan run`, where their work and span are known; headers without warnings; calls that do
# not fit; WORKSPAN_DISABLED. WORKSPAN: the command, target/debug/workspan if not set.
set -eu
cd "$(dirname "$0")/../.."
workspan=${WORKSPAN:-target/debug/workspan}
tests=tests/c/api
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
failed=0

wrong() {
    echo "WRONG: $*"
    failed=1
}

# profile PROGRAM TITLE [ARGUMENTS]
profile() {
    profiled=$1 title=$2
    shift 2
    "$profiled" "$@" >"$built/plain" 2>&1 || wrong "$title fails as it is"
    grep -q workspan "$built/plain" && wrong "$title says something of workspan as it is"
    if ! "$workspan" run ${WORKSPAN_RUN_OPTIONS-} --json "$built/profile" -- "$profiled" "$@" >"$built/out" 2>"$built/err"; then
        cat "$built/out" "$built/err"
        return 1
    fi
    python3 tests/c/goals.py "$built/out" "$built/profile" "$title"
}

# The same, again where something else took the machine meanwhile: an engine that is wrong is wrong each time.
known() {
    for _ in 1 2 3 4 5; do
        profile "$@" && return
    done
    failed=1
}

crates/workspan-capi/package/install "$built/prefix"
PKG_CONFIG_PATH=$built/prefix/share/pkgconfig
export PKG_CONFIG_PATH
if command -v pkg-config >/dev/null; then
    flags=$(pkg-config --cflags workspan)
    echo "pkg-config --cflags workspan, version $(pkg-config --modversion workspan): $flags" | sed "s|$built|...|g"
else
    echo "skipped: no pkg-config"
    flags="-fno-plt -I$built/prefix/include"
fi

strict="-Wall -Wextra -Werror -O1 -g"
for compilers in "gcc g++" "clang clang++"; do
    # shellcheck disable=SC2086
    set -- $compilers
    c=$1 cxx=$2
    if ! command -v "$c" >/dev/null || ! command -v "$cxx" >/dev/null; then
        echo "skipped: no $c, or no $cxx"
        continue
    fi
    # The flags are several words each.
    # shellcheck disable=SC2086
    for off in "" -DWORKSPAN_DISABLED; do
        for header in workspan.h workspan/order.h; do
            printf '#include <%s>\nint main(void) { workspan_sync(); return workspan_active(); }\n' $header >"$built/one.c"
            $c -std=c11 -pedantic $strict $off $flags "$built/one.c" -o "$built/one" || wrong "$c $header $off"
        done
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
    for program in serial pool mismatched; do
        $c -std=c11 -pedantic $strict $flags $tests/$program.c -o "$built/$program" -pthread
        known "$built/$program" "$c $program"
        if [ $program = mismatched ]; then
            grep 'ends' "$built/err" | sed "s|$built|...|g"
            grep -q 'mismatched.c:7.*mismatched.c:10' "$built/err" || wrong "$c: both places of a mismatch are not told"
        fi
    done
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
    echo "skipped: no cmake"
fi
exit $failed
