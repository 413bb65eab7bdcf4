#!/bin/sh
# The C and C++ interfaces, installed to a temporary prefix: programs built by pkg-config and by CMake, with each compiler,
# run as they are and under `workspan run`, where their work and span are known; headers without warnings; calls that do
# not fit; profiles of programs that go on; what-if on regions; WORKSPAN_DISABLED. WORKSPAN: the command, target/debug/workspan if not set.
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

# The files that a program wrote of itself, read by workspan: what_was_dumped TITLE
what_was_dumped() {
    grep '^dump ' "$built/out" | while read -r _ file goal; do
        echo "goal $goal" >"$built/goal"
        if ! "$workspan" report "$built/dumps/$file" --json "$built/dumped" >"$built/report" 2>&1; then
            cat "$built/report"
            exit 1
        fi
        python3 tests/c/goals.py "$built/goal" "$built/dumped" "$1 $file" || exit 1
        grep -q 'ran on after' "$built/report" || { echo "WRONG: $1 $file is not told to be of a part"; exit 1; }
        "$workspan" dag "${built}/dumps/$file" >/dev/null || exit 1
    done
}

# dumps PROGRAM TITLE
dumps() {
    mkdir -p "$built/dumps"
    rm -f "$built/dumps"/*
    root=$PWD
    (cd "$built/dumps" && cd_profile "$1" "$2") && what_was_dumped "$2" \
        && "$workspan" report "$built/dumps/again.raw" >/dev/null
}

# As `profile`, with the program's files in the current folder.
cd_profile() {
    "$1" >"$built/plain" 2>&1 || wrong "$2 fails as it is"
    [ -z "$(ls)" ] || wrong "$2 writes files as it is"
    # The path of the command is of the repository's root.
    case $workspan in /*) ;; *) workspan=$root/$workspan ;; esac
    # shellcheck disable=SC2086
    if ! "$workspan" run ${WORKSPAN_RUN_OPTIONS-} --json "$built/profile" -- "$1" >"$built/out" 2>"$built/err"; then
        cat "$built/out" "$built/err"
        return 1
    fi
    python3 "$root/tests/c/goals.py" "$built/out" "$built/profile" "$2"
}

# what_if PROGRAM TITLE: work and span of the changed program, in milliseconds. A region has its own strands: those of `inner` are
# not the ones of `outer`.
what_if() {
    # shellcheck disable=SC2086
    "$workspan" run ${WORKSPAN_RUN_OPTIONS-} -o "$built/regions.wsp" -- "$1" >/dev/null 2>&1
    while read -r region change factor work span; do
        "$workspan" whatif "$built/regions.wsp" --region "$region" "--$change" "$factor" --json >"$built/answer"
        python3 - "$built/answer" "$work" "$span" "$2: $region $change $factor" <<'END' || return 1
import json, sys
after = json.load(open(sys.argv[1]))["after"]
found = [after[f"{name}_ns"] / 1e6 for name in ("work", "span")]
expected = [float(word) for word in sys.argv[2:4]]
right = all(0.97 * e - 0.5 <= f <= 1.08 * e + 5 for f, e in zip(found, expected))
print(f"{sys.argv[4]:44} work {found[0]:.1f} ms, span {found[1]:.1f} ms{'' if right else f'  WRONG, expected {expected}'}")
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
            # Each is told with the line that its comment names, and the one of what is open.
            grep -o 'SAID .*[^ */]' $tests/mismatched.c | sed 's/SAID //' | while read -r pattern; do
                grep -q "$pattern" "$built/err" || { echo "WRONG: $c: not told: $pattern"; exit 1; }
            done || failed=1
        fi
    done
    # shellcheck disable=SC2086
    $c -std=c11 -pedantic $strict $flags $tests/dump.c -o "$built/dump" -pthread
    for try in 1 2 3 4 5; do
        dumps "$built/dump" "$c dump" && break
        [ $try -lt 5 ] || failed=1
    done
    for try in 1 2 3; do
        what_if "$built/regions" "$c regions" && break
        [ $try -lt 3 ] || failed=1
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
