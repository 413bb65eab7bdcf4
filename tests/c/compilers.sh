# Sourced by the tests of C programs: `found_compilers PART COMPILER…` puts the installed ones into
# `compilers`, and skips the others.
# shellcheck shell=bash
compilers=()
found_compilers() {
    local part=$1 compiler
    shift
    for compiler in "$@"; do
        if command -v "$compiler" >/dev/null; then
            compilers+=("$compiler")
        else
            ci/skip "$compiler" "$part (ci/setup installs it)"
        fi
    done
}
