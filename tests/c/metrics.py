#!/usr/bin/env python3
"""Tests metrics other than time on C programs: emulated instructions of known strands (OpenMP,
Cilk), exact to the instruction, and the parallel work of an OpenMP program against that on one
thread.

Needs QEMU's emulator of programs (package qemu-user), gcc and clang. WORKSPAN: the command,
target/release/workspan by default."""

import collections
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "tests/c/metrics")
WORKSPAN = os.path.realpath(os.environ.get("WORKSPAN") or os.path.join(ROOT, "target/release/workspan"))
# Two values of N, the program's argument: the difference between their runs is known exactly.
LESS, MORE = 1_000, 3_000
# How many times N the work and the span contain, in OpenMP without the serial code. The last of
# OpenMP's tasks is the longest.
KNOWN = {"openmp": (16 * 17 // 2, 16), "cilk": (6, 5)}

failures = []


def run(*command, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def skip(name, why):
    subprocess.run([os.path.join(ROOT, "ci/skip"), name, why], check=True)


def is_held(label, is_right, figures):
    print(f"{'ok' if is_right else 'WRONG':<6}{label}: {figures}")
    if not is_right:
        failures.append(label)


def runtimes(compiler):
    """The options for the OpenMP runtimes to try: gcc's own, and the first libomp that can be had."""
    own = [["--libomp", "libgomp"]] if compiler == "gcc" else []
    return own + libomp()


def libomp():
    for version in os.environ.get("LIBOMP_VERSIONS", "16 14").split():
        found = subprocess.run([os.path.join(ROOT, "tests/c/libomp"), version], stdout=subprocess.PIPE, text=True)
        if found.returncode == 0:
            return [["--libomp", os.path.join(found.stdout.strip(), "libomp.so.5")]]
    return []


def compiled(compiler, program, folder):
    """Compiles the program, and returns its file."""
    file = os.path.join(folder, program)
    source = os.path.join(SOURCES, f"{program}.c")
    flags = ["-O1", "-g", f"-I{SOURCES}"]
    if program == "openmp":
        flags.append("-fopenmp")
    else:
        flags += run(WORKSPAN, "cflags").split()
        run(WORKSPAN, "cilk2c", source, "-o", f"{file}.c")
        source = f"{file}.c"
    run(compiler, *flags, source, "-o", file)
    return file


def counted(program, options, folder, n):
    """Work and span in instructions; in OpenMP without the serial code, where the runtime's instructions
    depend on the process ID."""
    file = os.path.join(folder, "counted.json")
    own = ["--emulate", "--still-clock", "--no-report", "--no-record", "--json", file]
    run(WORKSPAN, "run", *own, *options, "--", program, str(n))
    with open(file, encoding="utf-8") as text:
        profile = json.load(text)
    root = next(site for site in profile["sites"] if site["kind"] == "root")
    left_out = {which: root[f"on_{which}"][f"local_{which}_count"] if options else 0 for which in ("work", "span")}
    return [profile["totals"][f"{which}_count"] - left_out[which] for which in ("work", "span")]


def count(label, program, options, folder, known):
    # A strand of n is 2n instructions.
    goal = [2 * (MORE - LESS) * times for times in known]
    # When threads start, two of them may want the same lock, which takes more instructions, in one
    # run in dozens. So the result of most runs counts.
    of_less = [counted(program, options, folder, LESS) for _ in range(3)]
    less, times = collections.Counter(map(tuple, of_less)).most_common(1)[0]
    more = collections.Counter(tuple(counted(program, options, folder, MORE)) for _ in range(3)).most_common(1)[0][0]
    found = [one - other for one, other in zip(more, less)]
    is_held(f"{label}, the same in most runs", times >= 2, of_less)
    is_held(f"{label}, strands longer by known instructions", found == goal, f"work and span {found}, goal {goal}")


def inflate(label, program, options):
    tries = [inflated(program, options) for _ in range(3)]
    ratio = statistics.median(ratio for _, ratio, _ in tries)
    is_held(f"{label}, inflate compares the same tasks", all(is_same for is_same, _, _ in tries), [figures for *_, figures in tries])
    # The tasks share nothing.
    is_held(f"{label}, no work inflation", 0.5 < ratio < 2, f"work {ratio:.2f} times that of one thread")


def inflated(program, options):
    own = ["--threads", "2", "--runs", "2", "--json", "-"]
    report = json.loads(run(WORKSPAN, "inflate", *own, *options, "--", program, "1000000", cwd=os.path.dirname(program)))
    sites = report["sites"]
    row = next(row for row in report["metrics"][0]["rows"] if sites[row["site"]]["kind"] == "task")
    counts = [row["oracle_count"], row["parallel_count"]]
    threads = [report["metrics"][0]["program"]["oracle_threads"], report["threads"]]
    ratio = row["parallel_work"] / row["oracle_work"]
    is_same = report["runtime"] == "openmp" and counts == [16, 16] and threads == [1, 2]
    return is_same, ratio, f"{report['runtime']}, tasks {counts}, threads {threads}"


def main():
    emulates = shutil.which(os.environ.get("WORKSPAN_QEMU") or "qemu-x86_64") is not None
    if not emulates:
        skip("qemu-x86_64", "no instructions of C programs are counted (ci/setup installs it)")
    with tempfile.TemporaryDirectory() as folder:
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                skip(compiler, "metrics")
                continue
            for program, known in KNOWN.items():
                for runtime in runtimes(compiler) if program == "openmp" else [[]]:
                    label = ", ".join([program, compiler, *runtime[1:]])
                    try:
                        file = compiled(compiler, program, folder)
                        if emulates:
                            options = ["--threads", "1", *runtime] if runtime else []
                            count(label, file, options, folder, known)
                        if runtime:
                            inflate(label, file, runtime)
                    except RuntimeError as error:
                        is_held(label, False, error)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
