#!/usr/bin/env bash
# Tests Cilk: sources translated by cilk2c, and the calls of OpenCilk's compiler, written by hand
# (there is no such compiler here). Prints the goal and the figure for each program. `WORKSPAN`
# names another command than the one built here. In the exact form (WORKSPAN_STRUCTURE) no time is
# compared, but the structure: see structure.py.
set -uo pipefail
cd "$(dirname "$0")/cilk" || exit 1
root=../../..
workspan=${WORKSPAN:-$root/target/debug/workspan}
{ [ -x "$workspan" ] && [ -x "$(dirname "$workspan")/workspan-cilk2c" ]; } || cargo build --quiet -p workspan-cli -p workspan-cilk2c --manifest-path "$root/Cargo.toml" || exit 1
workspan=$(realpath "$workspan")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
options=${WORKSPAN_RUN_OPTIONS-}
# The median of this many runs counts.
runs=${WORKSPAN_RUNS:-5}
tolerance=5 # percent
failures=0
checks=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# The installed compilers, for C and C++.
compilers=()
for pair in gcc:g++ clang:clang++; do
    if command -v "${pair%:*}" >/dev/null && command -v "${pair#*:}" >/dev/null; then
        compilers+=("$pair")
    else
        $root/ci/skip "${pair%:*}" cilk
    fi
done

compile() { # compilers, source, program
    local cc=${1%:*} cxx=${1#*:}
    local options=(-O1 -g -Wall -Wextra -Werror -Wno-unknown-pragmas -I "$out")
    case $2 in
    # The programs are in C11, but use POSIX clocks and drand48.
    *.c) "$cc" -std=c11 -D_POSIX_C_SOURCE=200809L "${options[@]}" $("$workspan" cflags) "$2" -o "$3" -lm ;;
    *) "$cxx" -std=c++17 "${options[@]}" $("$workspan" cxxflags) "$2" -o "$3" ;;
    esac
}

# Prints a figure of the profile's totals.
figure() { # file, name
    sed -n '/"totals": {/,$p' "$1" | sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" | head -n 1
}

# Is a figure within the tolerance of its goal? Both are integers. In the exact form nobody asks.
is_near() { # figure, goal
    [ -z "${WORKSPAN_STRUCTURE:-}" ] || return 0
    local off=$(($1 - $2))
    [ $((${off#-} * 100)) -le $(($2 * tolerance)) ]
}

profile() { # JSON file, program, arguments...
    local json=$1
    shift
    # The options are several words.
    # shellcheck disable=SC2086
    CILKSCALE_OUT=$out/table.csv "$workspan" run $options --json "$json" --report /dev/null -- "$@" >"$out/said" 2>&1 || {
        cat "$out/said"
        return 1
    }
}

median() { sort -n | sed -n "$(((runs + 1) / 2))p"; }

# Compares the structure of profiles with the known one.
structure() { # label, profiles...
    local problem
    problem=$(python3 ../structure.py "$@") || { fail "$1: $problem"; return; }
    [ -z "${WORKSPAN_STRUCTURE:-}" ] || echo "$1: structure as known"
}

# Profiles a program, and compares the medians of work and span with the known ones.
known() { # label, program, work in ms, span in ms
    local work span run
    checks=$((checks + 1))
    for ((run = 1; run <= runs; run++)); do
        profile "$out/known-$run.json" "$2" || { fail "$1"; return; }
    done
    if [ -n "${WORKSPAN_STRUCTURE:-}" ]; then
        structure "$1" "$out"/known-*.json
        return
    fi
    work=$(for ((run = 1; run <= runs; run++)); do figure "$out/known-$run.json" work_ns; done | median)
    span=$(for ((run = 1; run <= runs; run++)); do figure "$out/known-$run.json" span_ns; done | median)
    printf '%-28s goal %3d ms work %3d ms span   is %6.1f %6.1f\n' "$1" "$3" "$4" \
        "$((work / 10000))e-2" "$((span / 10000))e-2"
    is_near "$work" "$3000000" && is_near "$span" "$4000000" || fail "$1: not within $tolerance%"
}

# Programs of known work and span, as Cilk sources and with the compiler's calls written by hand.
mkdir -p "$out/known"
cp spin.h "$out"
goals() {
    echo "fib.c 67 8"
    echo "loop.c 160 10"
    echo "regions.c 34 20"
    echo "called.c 38 20"
    echo "throws.cpp 30 20"
}
for pair in "${compilers[@]}"; do
    while read -r source work span; do
        name=${source%.*}
        "$workspan" cilk2c "known/$source" -o "$out/known/$source" &&
            compile "$pair" "$out/known/$source" "$out/cilk2c" || { fail "cilk2c $source"; continue; }
        compile "$pair" "hooks/$source" "$out/hooks" || { fail "hooks $source"; continue; }
        "$out/cilk2c" && "$out/hooks" || fail "$name without a profile"
        known "$name, cilk2c, ${pair%:*}" "$out/cilk2c" "$work" "$span"
        known "$name, hooks, ${pair%:*}" "$out/hooks" "$work" "$span"
    done < <(goals)
done

# The papers' programs check their own answers, run plain and profiled.
for pair in "${compilers[@]}"; do
    for source in programs/*.c programs/*.cpp; do
        name=$(basename "$source")
        checks=$((checks + 1))
        "$workspan" cilk2c "$source" -o "$out/$name" && compile "$pair" "$out/$name" "$out/program" &&
            "$out/program" >"$out/plain" && profile "$out/program.json" "$out/program" || { fail "$name"; continue; }
        grep -qxFf "$out/plain" "$out/said" || fail "$name: another answer under a profile"
        structure "$name, ${pair%:*}" "$out/program.json"
        printf '%-28s %s; parallelism %s\n' "$name, ${pair%:*}" "$(cat "$out/plain")" \
            "$(figure "$out/program.json" parallelism)"
    done
done

# Cilkscale's functions, and its table.
header="tag,work (seconds),span (seconds),parallelism,burdened_span (seconds),burdened_parallelism"
for pair in "${compilers[@]}"; do
    checks=$((checks + 1))
    label="measure, ${pair%:*}"
    compile "$pair" hooks/measure.cpp "$out/measure" && "$out/measure" || { fail "$label"; continue; }
    rm -f "$out/table.csv"
    profile "$out/measure.json" "$out/measure" "$out/stream" || { fail "$label"; continue; }
    [ "$(cat "$out/stream")" = "2,0.5,4,1,2" ] || fail "$label: a file's stream got $(cat "$out/stream")"
    [ "$(head -n 1 "$out/table.csv")" = "$header" ] || fail "$label: the table's header"
    [ "$(cut -d , -f 1 "$out/table.csv" | tr '\n' '|')" = "tag|three of 10 ms||" ] || fail "$label: the table's rows"
    echo "$label: $(sed -n 2p "$out/table.csv")"
    structure "$label" "$out/measure.json"
    # The last row is the whole program's, except for the work done after it was written.
    [ -n "${WORKSPAN_STRUCTURE:-}" ] || awk -F , -v work="$(figure "$out/measure.json" work_ns)" \
        'END { off = $2 * 1e9 / work; exit !(off > 0.9 && off < 1.05) }' "$out/table.csv" ||
        fail "$label: the last row is not the program's: $(tail -n 1 "$out/table.csv")"
    rm -f "$out/table.csv"
    # The program expects its own figures to be times, so it fails; the table is in the metric.
    CILKSCALE_OUT=$out/table.csv "$workspan" run --metric page-faults --no-report -o "$out/measure.wsp" -- "$out/measure" "$out/stream" \
        >"$out/said" 2>&1 || true
    if [ -e "$out/table.csv" ]; then
        [ "$(head -n 1 "$out/table.csv")" = "${header//seconds/page-faults}" ] || fail "$label, by page faults: the table's header"
    else
        grep -q "counted here\|cannot be counted" "$out/said" || fail "$label, by page faults: $(cat "$out/said")"
    fi
done

# Keywords in macros, through the preprocessor; a run with a second worker.
for pair in "${compilers[@]}"; do
    checks=$((checks + 2))
    label="macros, ${pair%:*}"
    "$workspan" cilk2c macros.c >"$out/refused" 2>&1 && fail "$label: no error"
    grep -q 'macros.c:7:1: `cilk_spawn` in the macro `SPAWN`' "$out/refused" || fail "$label: $(cat "$out/refused")"
    "${pair%:*}" -E $("$workspan" cflags) macros.c -o "$out/macros.i" &&
        "$workspan" cilk2c "$out/macros.i" -o "$out/macros.c" && compile "$pair" "$out/macros.c" "$out/macros" &&
        "$out/macros" && profile "$out/macros.json" "$out/macros" || fail "$label"
    structure "$label" "$out/macros.json"
    grep -q '"macros.c"' "$out/macros.json" || fail "$label: no site has its place in macros.c"

    label="workers, ${pair%:*}"
    compile "$pair" hooks/workers.c "$out/workers" && profile "$out/workers.json" "$out/workers" || fail "$label"
    structure "$label" "$out/workers.json"
    grep -q 'more than one worker' "$out/said" || fail "$label: no warning"
    echo "$label: work $(figure "$out/workers.json" work_ns) ns, span $(figure "$out/workers.json" span_ns) ns"
    is_near "$(figure "$out/workers.json" parallelism | tr -d . | cut -c 1-3)" 200 || fail "$label: parallelism"
done

echo "cilk: $checks checks, $failures failures"
[ "$failures" = 0 ]
