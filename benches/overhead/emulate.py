"""Work and span in emulated instructions, five runs of each program, next to Valgrind's counts for
the plain program.

  emulate.py [--short]

Prints tables, and the lines that `gate run` judges. ci/emulate builds what this needs."""

import collections
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(ROOT, "target")
# Runs of each program under the emulator.
RUNS = 5

# Program, its arguments, whether it is in the short form. The start of the process, which differs
# with the engine, is below 0.5 % of each.
EXAMPLES = [
    ("fib", ["30"], False),
    ("quicksort", ["1000000"], True),
    ("matmul", ["256"], True),
    ("wordcount", ["500000"], True),
    ("cilksort", ["1000000"], False),
    ("bfs", ["60"], False),
    ("kmeans", ["100000", "3"], False),
    ("stencil", ["revised", "64", "4"], False),
]
# Long enough that the start of the emulator does not matter.
SUITE = [
    ("bfs", ["150"]),
    ("cholesky", ["1000"]),
    ("cilksort", ["2000000"]),
    ("fft", ["1048576"]),
    ("fib", ["30"]),
    ("heat", ["4"]),
    ("lu", ["512"]),
    ("matmul", ["512"]),
    ("mis", ["500000"]),
    ("nbody", ["1000"]),
    ("nqueens", ["12"]),
    ("par_sort", ["2000000"]),
    ("quicksort", ["2000000"]),
    ("rectmul", ["512"]),
    ("spawns", ["1000000"]),
    ("strassen", ["512"]),
]


def run(command, **more):
    """Runs a command to its end. Returns its output, and its processor time with its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"emulate: {' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    seconds = sum(getattr(after, key) - getattr(before, key) for key in ("ru_utime", "ru_stime"))
    return done.stdout, seconds


def build(package, kind, name, arguments):
    """Builds the plain program, and the one with the engine, by `cargo workspan run`, which also
    runs it."""
    run(["cargo", "build", "--quiet", "--release", "--package", package, f"--{kind}", name])
    command = [os.path.join(TARGET, "release/cargo-workspan"), "workspan", "run", "--no-report", "--package", package]
    run([*command, "--release", f"--{kind}", name, "--", *arguments])


def profile(program, options):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "profile.json")
        command = [os.path.join(TARGET, "release/workspan"), "run", "--no-report", "--json", file]
        _, seconds = run(command + options + ["--", *program])
        with open(file) as text:
            profile = json.load(text)
    serial = next(site["on_work"].get("local_work_count") for site in profile["sites"] if site["kind"] == "root")
    return {**profile["totals"], "serial": serial}, seconds


def plain_instructions(program):
    """What Valgrind counts in the program without the engine, on one thread."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    with tempfile.NamedTemporaryFile("r") as log:
        run([*command, f"--log-file={log.name}", *program], env={**os.environ, "RAYON_NUM_THREADS": "1"})
        counted = re.search(r"I +refs: +([0-9,]+)", log.read())
    return int(counted[1].replace(",", ""))


def differs(values):
    """For each value, 1 if it differs from the majority; 1 for all if there is no majority."""
    (common, count), = collections.Counter(values).most_common(1)
    return [int(value != common or count <= len(values) / 2) for value in values]


def gate(name, readings):
    print(f"gate: {name}", *readings)


def judge(name, plain, real, runs):
    """Prints a program's gates. Returns its cells of the table."""
    outside = {key: [run[key] - run["serial"] for run in runs] for key in ("work_count", "span_count")}
    differing = {key: differs(values) for key, values in outside.items()}
    # In serial code threads start and wait for one another, which varies.
    middle = statistics.median(run["serial"] for run in runs)
    serial = [abs(run["serial"] - middle) for run in runs]
    gate(f"{name}/differing", map(max, *differing.values()))
    gate(f"{name}/serial", serial)
    off = 100 * (real["work_count"] / plain - 1) if plain else None
    if plain:
        gate(f"{name}/work", [off])
    cells = []
    for key, values in differing.items():
        cells += [f"{statistics.median(run[key] for run in runs):,}", f"{RUNS - sum(values)} of {RUNS}"]
        if key == "work_count":
            cells += [f"{real['work_count']:,}", f"{plain:,}" if plain else "", f"{off:+.2f}%" if plain else ""]
    return cells + [f"{statistics.median(serial):,}"]


def table(package, kind, programs, has_costs):
    """Builds programs and prints a row for each. Returns how many times slower each is."""
    head = ["program", "work", "same", "uncut", "Valgrind's", "off", "span", "same", "serial by", "parallelism", "by time"]
    head += ["slower"] * has_costs
    print("| " + " | ".join(head) + " |\n|---|" + "---:|" * (len(head) - 1))
    has_valgrind = shutil.which("valgrind") is not None
    slowdowns = []
    for name, arguments in programs:
        build(package, kind, name, arguments)
        folder = "examples" if kind == "example" else ""
        plain = [os.path.join(TARGET, "release", folder, name), *arguments]
        profiled = [os.path.join(TARGET, "workspan/release", folder, name), *arguments]
        options = ["--metric", "instructions", "--emulate", "--still-clock"]
        runs, seconds = zip(*(profile(profiled, options) for _ in range(RUNS)))
        # Parallel iterators that are split for 64 cores do other work than in the plain run.
        real, _ = profile(profiled, [*options, "--assume-cores", "real"])
        timed, _ = profile(profiled, [])
        subject = name if kind == "example" else f"suite-{name}"
        cells = judge(subject, plain_instructions(plain) if has_valgrind else None, real, runs)
        cells += [f"{totals['parallelism']:.2f}" for totals in (runs[0], timed)]
        if has_costs:
            one_worker = {**os.environ, "RAYON_NUM_THREADS": "1"}
            alone = statistics.median(run(profiled, env=one_worker)[1] for _ in range(RUNS))
            slowdowns.append(statistics.median(seconds) / max(alone, 1e-3))
            cells.append(f"{slowdowns[-1]:.1f}x")
        print("| " + " | ".join([" ".join([name, *arguments]), *cells]) + " |", flush=True)
    return slowdowns


def main():
    short = sys.argv[1:] == ["--short"]
    print(f"{RUNS} runs of each example: the medians, how many agree but for the serial code, and by how much that differs.\n")
    examples = [(name, arguments) for name, arguments, in_short in EXAMPLES if in_short or not short]
    table("workspan-examples", "example", examples, has_costs=False)
    if short:
        return
    print("\nPrograms of the benchmark suite; how many times slower than alone on one worker (processor time).\n")
    slowdowns = table("workspan-suite", "bin", SUITE, has_costs=True)
    print(f"\nFrom {min(slowdowns):.1f} to {max(slowdowns):.1f} times slower.")
    gate("suite/slowdown", slowdowns)


main()
