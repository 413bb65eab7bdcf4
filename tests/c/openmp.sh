#!/usr/bin/env bash
# Small OpenMP programs whose work and span are known, in tests/c/openmp: each is compiled by clang and by gcc, run on 1, 2 and
# 8 threads with libomp 14 and a newer one, and its profile is held against what its first comment says.
#
#     tests/c/openmp.sh [PROGRAM…]      all, or those named
#
# A comment has `work` and `span` in units (see spin.h) on 1, 2 and 8 threads: a number, a range A..B, or - where the program
# cannot run. Lines that name a compiler or the version of a libomp hold for it alone, and come before others.
# `lock` and `serialises` are what is known of its locks: see locks.py.
# `site COMPILER: KIND LINE` is a construct that the profile has to name, in the line that the compiler gives it, also where it
# optimises more; `compilers` and `environment` are what the program needs.
set -uo pipefail
cd "$(dirname "$0")/../.."

workspan=${WORKSPAN:-target/debug/workspan}
[ -x "$workspan" ] || { echo "openmp: $workspan is missing; cargo build first" >&2; exit 1; }
programs=tests/c/openmp
built=target/openmp
versions=${LIBOMP_VERSIONS:-14 19}
threads=(1 2 8)
# How far a figure may be beside the known one, in units: below, and above, where the start of the process is.
below=0.15
above=0.5
mkdir -p "$built"

source tests/c/compilers.sh
found_compilers openmp clang gcc

# The values of a line of a program's comment: `expected FILE work clang 19`.
expected() {
    local file=$1 what=$2 compiler=$3 version=$4 key
    for key in "$what $compiler $version:" "$what $compiler:" "$what $version:" "$what"; do
        if sed -n "s/^ \* $key \([0-9-].*\)$/\1/p" "$file" | grep . -m1; then
            return
        fi
    done
}

# The first figure of that name in a profile, which is that of the whole program, in units.
figure() {
    awk -v key="\"$2\":" '$1 == key { printf "%.2f", $2 / 5e6; exit }' "$1"
}

# The columns of threads that a program is run on: for short the middle one, and the last where a lock is known to serialise or
# not to.
columns() {
    if [ -z "${WORKSPAN_SHORT:-}" ]; then
        echo 0 1 2
    elif grep -q '^ \* serialises ' "$1"; then
        echo 1 2
    else
        echo 1
    fi
}

# Is a figure what is expected?
fits() {
    awk -v figure="$1" -v goal="$2" -v below="$below" -v above="$above" 'BEGIN {
        parts = split(goal, range, /\.\./)
        low = range[1]; high = range[parts]
        exit !(figure >= low - below && figure <= high + above + 0.01 * high)
    }'
}

# Does the profile have a construct of a kind in a line of the file?
has_site() {
    awk -v kind="\"$2\"," -v line="$3," -v file="$4" '
        $1 == "\"file\":" { in_file = index($2, file) > 0 }
        $1 == "\"line\":" { in_line = in_file && $2 == line }
        $1 == "\"kind\":" && in_line && $2 == kind { found = 1 }
        END { exit !found }' "$1"
}

# Does the profile name all constructs of a file that it has to? Else says which not.
names_sites() {
    local file=$1 compiler=$2 kind line
    while read -r kind line; do
        has_site "$profile" "$kind" "$line" "$(basename "$file")" || echo "no $kind in line $line"
    done < <(sed -n "s/^ \* site $compiler: //p" "$file")
}

# Compiles a program.
compile() {
    local file=$1 compiler=$2 level=$3 executable=$4 command
    [ "$file" -nt "$executable" ] || [ "$programs/spin.h" -nt "$executable" ] || return 0
    case $file in *.cpp) command=${compiler/clang/clang++}; command=${command/gcc/g++} ;; *) command=$compiler ;; esac
    "$command" -g "$level" -Wall -fopenmp "$file" -o "$executable"
}

# Runs a program, and leaves its profile in $profile.
measure() {
    local executable=$1 count=$2 folder=$3 environment=$4
    rm -f "$profile"
    # shellcheck disable=SC2086
    env $environment LD_LIBRARY_PATH="$folder" \
        timeout 120 "$workspan" run --threads "$count" ${WORKSPAN_RUN_OPTIONS:---clock thread} --libomp "$folder/libomp.so.5" --json "$profile" -- "$executable" >"$log" 2>&1
}

profile=$built/profile.json
log=$built/log
failures=0
checked=0
printf '%-20s %-6s %-6s %7s  %16s  %16s\n' program compiler libomp threads 'work: known, got' 'span: known, got'
for version in $versions; do
    folder=$(tests/c/libomp "$version") || continue
    for file in "$programs"/*.c "$programs"/*.cpp; do
        name=$(basename "$file"); name=${name%.*}
        [ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
        only=$(sed -n 's/^ \* compilers //p' "$file")
        environment=$(sed -n 's/^ \* environment //p' "$file")
        for compiler in "${compilers[@]}"; do
            [ -z "$only" ] || [[ " $only " = *" $compiler "* ]] || continue
            executable=$built/$name.$compiler
            compile "$file" "$compiler" -O1 "$executable" || { failures=$((failures + 1)); continue; }
            read -ra works < <(expected "$file" work "$compiler" "$version")
            read -ra spans < <(expected "$file" span "$compiler" "$version")
            for index in $(columns "$file"); do
                work=${works[index]:?$file} span=${spans[index]:?$file}
                [ "$work" = - ] && continue
                # Other processes disturb: the best of some.
                for _ in 1 2 3 4 5; do
                    problem=
                    if ! measure "$executable" "${threads[index]}" "$folder" "$environment" || [ ! -s "$profile" ]; then
                        problem="no profile: $(tail -n 1 "$log")"
                        continue
                    fi
                    got_work=$(figure "$profile" work_ns) got_span=$(figure "$profile" span_ns)
                    fits "$got_work" "$work" && fits "$got_span" "$span" || problem="not as known"
                    problem+=$(names_sites "$file" "$compiler")
                    locks=$(python3 tests/c/locks.py "$profile" "$file" "$compiler" "$index" 2>&1) || problem=$locks
                    grep -q 'interface told of' "$log" && problem="$(grep -m1 'interface told of' "$log")"
                    [ -z "$problem" ] && break
                done
                checked=$((checked + 1))
                [ -z "$problem" ] || failures=$((failures + 1))
                printf '%-20s %-6s %-6s %7s  %8s %7s  %8s %7s  %s\n' "$name" "$compiler" "$version" "${threads[index]}" \
                    "$work" "${got_work:-}" "$span" "${got_span:-}" "$problem"
            done
            grep -q "^ \* site $compiler:" "$file" || continue
            problem=
            compile "$file" "$compiler" -O2 "$executable.optimised" &&
                measure "$executable.optimised" 2 "$folder" "$environment" || problem="no profile: $(tail -n 1 "$log")"
            problem+=$(names_sites "$file" "$compiler")
            checked=$((checked + 1))
            [ -z "$problem" ] || failures=$((failures + 1))
            printf '%-20s %-6s %-6s %7s  %s\n' "$name" "$compiler" "$version" -O2 "names${problem:+: $problem}"
        done
    done
done
echo "openmp: $checked runs, $failures not as known"
if [ "$checked" -eq 0 ] && [ "$failures" -eq 0 ]; then
    echo "openmp: skipped, there is no compiler or no libomp (ci/setup gets them)"
fi
[ "$failures" -eq 0 ]
