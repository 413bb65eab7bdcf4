#!/usr/bin/env python3
"""Metrics other than time of programs in C: instructions of known strands, emulated (OpenMP, Cilk), to the instruction; and the
work of an OpenMP program in parallel against that of one thread.

What needs QEMU's emulator of programs (package qemu-user) or a compiler is skipped, and said, where it is missing. WORKSPAN: the
command, target/release/workspan if not set."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "tests/c/metrics")
WORKSPAN = os.path.realpath(os.environ.get("WORKSPAN") or os.path.join(ROOT, "target/release/workspan"))
# Strands of N and of so many N: what runs differ by is known to the instruction.
LESS, MORE = 1_000, 3_000
# How often N runs on the work and on the span, of OpenMP but in the serial code. Of OpenMP's tasks the last is the longest.
KNOWN = {"openmp": (16 * 17 // 2, 16), "cilk": (6, 5)}

failures = []


def run(*command, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def is_held(label, is_right, figures):
    print(f"{'ok' if is_right else 'WRONG':<6}{label}: {figures}")
    if not is_right:
        failures.append(label)


def libomp():
    """The options for a libomp that tests use; None, and said, where there is none."""
    for version in os.environ.get("LIBOMP_VERSIONS", "16 14").split():
        found = subprocess.run([os.path.join(ROOT, "tests/c/libomp"), version], capture_output=True, text=True)
        if found.returncode == 0:
            return ["--libomp", os.path.join(found.stdout.strip(), "libomp.so.5")]
    print("skipped: there is no libomp, so nothing of OpenMP is measured")
    return None


def compiled(compiler, program, folder):
    """The file of the program."""
    file = os.path.join(folder, program)
    source = os.path.join(SOURCES, f"{program}.c")
    flags = ["-O1", "-g", f"-I{SOURCES}"]
    if program == "openmp":
        # gcc's own runtime tells nothing: workspan has libomp take its place.
        flags.append("-fopenmp")
    else:
        flags += run(WORKSPAN, "cflags").split()
        run(WORKSPAN, "cilk2c", source, "-o", f"{file}.c")
        source = f"{file}.c"
    run(compiler, *flags, source, "-o", file)
    return file


def counted(program, options, folder, n):
    """Work and span in instructions; of OpenMP but for the serial code, in which libomp goes by the number of the process."""
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
    # Where threads start, two of them may want one lock, which takes more instructions: in a run of dozens.
    for _ in range(3):
        less, again, more = (counted(program, options, folder, n) for n in (LESS, LESS, MORE))
        found = [one - other for one, other in zip(more, less)]
        if less == again and found == goal:
            break
        print(f"{label}, not as known: {less}, {again}, {more}")
    is_held(f"{label}, twice the same", less == again, f"{less} and {again}")
    is_held(f"{label}, strands longer by known instructions", found == goal, f"work and span {found}, goal {goal}")


def inflate(label, program, options):
    # They share nothing, and a run may be disturbed.
    for _ in range(3):
        is_right, figures = inflated(program, options)
        if is_right:
            break
        print(f"{label}, inflate: not as known: {figures}")
    is_held(f"{label}, inflate compares the same tasks", is_right, figures)


def inflated(program, options):
    own = ["--threads", "2", "--runs", "2", "--json", "-"]
    report = json.loads(run(WORKSPAN, "inflate", *own, *options, "--", program, "1000000", cwd=os.path.dirname(program)))
    sites = report["sites"]
    row = next(row for row in report["metrics"][0]["rows"] if sites[row["site"]]["kind"] == "task")
    counts = [row["oracle_count"], row["parallel_count"]]
    threads = [report["metrics"][0]["program"]["oracle_threads"], report["threads"]]
    ratio = row["parallel_work"] / row["oracle_work"]
    is_right = report["runtime"] == "openmp" and counts == [16, 16] and threads == [1, 2] and 0.5 < ratio < 2
    return is_right, f"{report['runtime']}, tasks {counts}, threads {threads}, work {ratio:.2f} times that of one thread"


def main():
    emulates = shutil.which(os.environ.get("WORKSPAN_QEMU") or "qemu-x86_64") is not None
    if not emulates:
        print("skipped: nothing is counted, there is no qemu-x86_64 (ci/setup installs it)")
    openmp = libomp()
    with tempfile.TemporaryDirectory() as folder:
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler) is None:
                print(f"skipped: there is no {compiler}")
                continue
            for program, known in KNOWN.items():
                label = f"{program}, {compiler}"
                if program == "openmp" and openmp is None:
                    continue
                try:
                    file = compiled(compiler, program, folder)
                    if emulates:
                        options = ["--threads", "1", *openmp] if program == "openmp" else []
                        count(label, file, options, folder, known)
                    if program == "openmp":
                        inflate(label, file, openmp)
                except RuntimeError as error:
                    is_held(label, False, error)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
