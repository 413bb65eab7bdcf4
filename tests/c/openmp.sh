#!/usr/bin/env bash
# Tests small OpenMP programs of known work and span, in tests/c/openmp: each is compiled by clang
# and by gcc, and run several times on 1, 2 and 8 threads with libomp 14 and a newer one, and with
# gcc's own runtime (libgomp); the medians of its profiles are compared with the program's first comment. All profiles must name its
# constructs.
#
#     tests/c/openmp.sh [PROGRAM…]      all programs, or the named ones
#
# A comment has `work` and `span` in units (see spin.h) on 1, 2 and 8 threads: a number, a range
# A..B, or - where the program cannot run. Lines that name a compiler or a version of libomp apply
# only to it, and take precedence over others. `lock` and `serialises` describe its locks: see
# locks.py. `site COMPILER: KIND LINE` is a construct that the profile must name, in the line that
# the compiler gives it, also with more optimisation; `libgomp refuses` names the function of gcc's
# runtime that is not followed there; `compilers` and `environment` are what the
# program needs. In the exact form (WORKSPAN_STRUCTURE) no time is compared, but the structure: see
# structure.py.
set -uo pipefail
cd "$(dirname "$0")/../.."

workspan=${WORKSPAN:-target/debug/workspan}
[ -x "$workspan" ] || { echo "openmp: $workspan is missing; cargo build first" >&2; exit 1; }
programs=tests/c/openmp
built=target/openmp
versions=${LIBOMP_VERSIONS:-14 19 libgomp}
threads=(1 2 8)
# How far a figure may be from the known one, in units: below it, and above, which includes the
# start of the process.
below=0.15
above=0.5
runs=${WORKSPAN_RUNS:-5}
mkdir -p "$built"

source tests/c/compilers.sh
found_compilers openmp clang gcc

# Prints the values of a line in a program's comment: `expected FILE work clang 19`.
expected() {
    local file=$1 what=$2 compiler=$3 version=$4 key
    for key in "$what $compiler $version:" "$what $compiler:" "$what $version:" "$what"; do
        if sed -n "s/^ \* $key \([0-9-].*\)$/\1/p" "$file" | grep . -m1; then
            return
        fi
    done
}

# Prints the median, in units, of the first figure of that name in each profile, which is the whole
# program's.
figure() { # name, profile...
    awk -v key="\"$1\":" 'FNR == 1 { found = 0 } $1 == key && !found { print $2 / 5e6; found = 1 }' "${@:2}" | sort -n |
        awk '{ figures[NR] = $1 } END { printf "%.2f", figures[int((NR + 1) / 2)] }'
}

# Prints the columns of thread counts to run a program on: in the short form the middle one, and
# also the last if the comment says whether a lock serialises.
columns() {
    if [ -n "${WORKSPAN_STRUCTURE:-}" ]; then
        echo 1
    elif [ -z "${WORKSPAN_SHORT:-}" ]; then
        echo 0 1 2
    elif grep -q '^ \* serialises ' "$1"; then
        echo 1 2
    else
        echo 1
    fi
}

# Is a figure near or in the expected range?
fits() {
    awk -v figure="$1" -v goal="$2" -v below="$below" -v above="$above" 'BEGIN {
        parts = split(goal, range, /\.\./)
        low = range[1]; high = range[parts]
        exit !(figure >= low - below && figure <= high + above + 0.01 * high)
    }'
}

# Does the profile have a construct of this kind in this line of the file?
has_site() {
    awk -v kind="\"$2\"," -v line="$3," -v file="$4" '
        $1 == "\"file\":" { in_file = index($2, file) > 0 }
        $1 == "\"line\":" { in_line = in_file && $2 == line }
        $1 == "\"kind\":" && in_line && $2 == kind { found = 1 }
        END { exit !found }' "$1"
}

# Prints the constructs of a file that a profile should name, but does not.
names_sites() {
    local file=$1 compiler=$2 profile=$3 kind line
    while read -r kind line; do
        has_site "$profile" "$kind" "$line" "$(basename "$file")" || echo "no $kind in line $line"
    done < <(sed -n "s/^ \* site $compiler: //p" "$file")
}

compile() {
    local file=$1 compiler=$2 level=$3 executable=$4 command
    [ "$file" -nt "$executable" ] || [ "$programs/spin.h" -nt "$executable" ] || return 0
    case $file in *.cpp) command=${compiler/clang/clang++}; command=${command/gcc/g++} ;; *) command=$compiler ;; esac
    "$command" -g "$level" -Wall -fopenmp "$file" -o "$executable"
}

# Runs a program under workspan, and leaves its profile in a file; prints problems.
measure() {
    local executable=$1 count=$2 runtime=$3 environment=$4 profile=$5 folder=
    rm -f "$profile"
    [ "$runtime" = libgomp ] || folder=$(dirname "$runtime")
    # shellcheck disable=SC2086
    env $environment ${folder:+LD_LIBRARY_PATH="$folder"} \
        timeout 120 "$workspan" run --threads "$count" ${WORKSPAN_RUN_OPTIONS-} --libomp "$runtime" --json "$profile" \
        -- "$executable" >"$log" 2>&1 && [ -s "$profile" ] || { echo "no profile: $(tail -n 1 "$log")"; return 1; }
    grep -m1 'interface told of' "$log"
    return 0
}

profiles=()
for ((run = 1; run <= runs; run++)); do profiles+=("$built/profile-$run.json"); done
log=$built/log
failures=0
checked=0
printf '%-20s %-6s %-6s %7s  %16s  %16s\n' program compiler libomp threads 'work: known, got' 'span: known, got'
for version in $versions; do
    runtime=libgomp
    [ "$version" = libgomp ] || runtime=$(tests/c/libomp "$version")/libomp.so.5 || continue
    for file in "$programs"/*.c "$programs"/*.cpp; do
        name=$(basename "$file"); name=${name%.*}
        [ $# -eq 0 ] || [[ " $* " = *" $name "* ]] || continue
        only=$(sed -n 's/^ \* compilers //p' "$file")
        environment=$(sed -n 's/^ \* environment //p' "$file")
        own=
        [ "$version" != libgomp ] || own=libgomp
        for compiler in "${compilers[@]}"; do
            [ -z "$only" ] || [[ " $only " = *" $compiler "* ]] || continue
            [ "$version" != libgomp ] || [ "$compiler" = gcc ] || continue
            executable=$built/$name.$compiler
            compile "$file" "$compiler" -O1 "$executable" || { failures=$((failures + 1)); continue; }
            refused=$(sed -n 's/^ \* libgomp refuses //p' "$file")
            if [ "$version" = libgomp ] && [ -n "$refused" ]; then
                [[ $(measure "$executable" 2 "$runtime" "$environment" "${profiles[0]}") = *"$refused"* ]] && continue
                echo "$name: $refused is not refused"
                failures=$((failures + 1))
                continue
            fi
            read -ra works < <(expected "$file" work "$compiler" "$version")
            read -ra spans < <(expected "$file" span "$compiler" "$version")
            for index in $(columns "$file"); do
                work=${works[index]:?$file} span=${spans[index]:?$file}
                [ "$work" = - ] && continue
                problem='' got_work='' got_span=''
                for profile in "${profiles[@]}"; do
                    problem+=$(measure "$executable" "${threads[index]}" "$runtime" "$environment" "$profile") || break
                    problem+=$(names_sites "$file" "$compiler" "$profile")
                done
                if [ -n "${WORKSPAN_STRUCTURE:-}" ]; then
                    problem+=$(python3 tests/c/structure.py "$name $compiler${own:+ $own}" "${profiles[@]}")
                elif [ -z "$problem" ]; then
                    got_work=$(figure work_ns "${profiles[@]}") got_span=$(figure span_ns "${profiles[@]}")
                    fits "$got_work" "$work" && fits "$got_span" "$span" || problem="not as known"
                    problem+=$(python3 tests/c/locks.py "$file" "$compiler" "$index" "${profiles[@]}" 2>&1)
                fi
                checked=$((checked + 1))
                [ -z "$problem" ] || failures=$((failures + 1))
                printf '%-20s %-6s %-6s %7s  %8s %7s  %8s %7s  %s\n' "$name" "$compiler" "$version" "${threads[index]}" \
                    "$work" "$got_work" "$span" "$got_span" "$problem"
            done
            grep -q "^ \* site $compiler:" "$file" || continue
            problem=
            compile "$file" "$compiler" -O2 "$executable.optimised" || problem="cannot be compiled"
            [ -n "$problem" ] || problem=$(measure "$executable.optimised" 2 "$runtime" "$environment" "${profiles[0]}")
            [ -n "$problem" ] || problem=$(names_sites "$file" "$compiler" "${profiles[0]}")
            checked=$((checked + 1))
            [ -z "$problem" ] || failures=$((failures + 1))
            printf '%-20s %-6s %-6s %7s  %s\n' "$name" "$compiler" "$version" -O2 "names${problem:+: $problem}"
        done
    done
done

# A link that gives gcc's programs LLVM's runtime for their own: it alone reports, so all is reported once.
linked=$built/linked
if [ $# -eq 0 ] && [[ " $versions " = *" libgomp "* ]] && [ -x "$built/tasks.gcc" ] && folder=$(tests/c/libomp 14); then
    mkdir -p "$linked"
    ln -sf "$folder/libomp.so.5" "$linked/libgomp.so.1"
    problem=
    spawns() { grep -m1 '"spawns":' "$1"; }
    measure "$built/tasks.gcc" 2 "$folder/libomp.so.5" '' "${profiles[0]}" >/dev/null
    env LD_LIBRARY_PATH="$linked" "$workspan" run --threads 2 --json "$linked/profile.json" -- "$built/tasks.gcc" >"$log" 2>&1 ||
        problem="no profile: $(tail -n 1 "$log")"
    [ "$(spawns "${profiles[0]}")" = "$(spawns "$linked/profile.json")" ] ||
        problem+="$(spawns "$linked/profile.json"), and by --libomp $(spawns "${profiles[0]}")"
    checked=$((checked + 1))
    [ -z "$problem" ] || failures=$((failures + 1))
    printf '%-20s %-6s %-6s %7s  %s\n' tasks gcc link 2 "${problem:-as by --libomp}"
fi
echo "openmp: $checked programs as run, $failures not as known"
[ "$failures" -eq 0 ]
