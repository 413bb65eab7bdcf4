# Sourced by the tests of C programs: `found_compilers PART COMPILER…` puts those that are there into `compilers`, and says which
# are not.
# shellcheck shell=bash
compilers=()
found_compilers() {
    local part=$1 compiler
    shift
    for compiler in "$@"; do
        if command -v "$compiler" >/dev/null; then
            compilers+=("$compiler")
        else
            echo "$part: $compiler is missing, and skipped"
        fi
    done
}
