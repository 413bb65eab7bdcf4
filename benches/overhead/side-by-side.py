"""The tables of ci/side-by-side, and lines for `gate run`: side-by-side.py FOLDER PROBLEM... -- SIDE...

FOLDER contains profiles PROBLEM.SIDE.RUN.json, and PROBLEM.SIDE.plain, the processor times without
workspan. The figures are medians over all runs of the region `compute`. A gate compares the runs of
one turn.
"""

import json
import os
import pathlib
import statistics
import sys

folder = pathlib.Path(sys.argv[1])
split = sys.argv.index("--")
problems, sides = sys.argv[2:split], sys.argv[split + 1 :]


def profiles(problem, side):
    for path in sorted(folder.glob(f"{problem.replace(' ', '_')}.{side}.*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def processor():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "a processor without a name"


def printed(nanoseconds):
    return f"{nanoseconds / 1e6:.2f} ms" if nanoseconds >= 1e6 else f"{nanoseconds / 1e3:.1f} µs"


runs = len(list(profiles(problems[0], sides[0])))
load = os.getloadavg()[2]
print(f"Medians of {runs} runs each on one core of {os.cpu_count()}, {processor()}; load of the machine {load:.1f}.")
print()
print("| program | runtime | plain run | work | span | parallelism | spawns | syncs | work / rayon's | span / rayon's |")
print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
costs, gates = [], []
for problem in problems:
    rayon = None
    for side in sides:
        found = list(profiles(problem, side))
        regions = [region["sum"] for profile in found for region in profile["regions"] if region["name"] == "compute"]
        if len(regions) != runs:
            sys.exit(f"{problem}, {side}: {len(regions)} regions `compute` in {runs} profiles")
        work = statistics.median(region["work_ns"] for region in regions)
        span = statistics.median(region["span_ns"] for region in regions)
        parallelism = [region["work_ns"] / region["span_ns"] for region in regions]
        file = folder / f"{problem.replace(' ', '_')}.{side}.plain"
        plains = list(map(int, file.read_text(encoding="utf-8").split())) if file.exists() else []
        plain = statistics.median(plains) if plains else None
        rayon = rayon or (work, span, parallelism)
        subject = f"{problem.replace(' ', '-')}-{side}"
        if side != "rayon":
            gates.append((f"{subject}/parallelism", [here / there for here, there in zip(parallelism, rayon[2])]))
        if plains:
            off = [100 * (region["work_ns"] / plain_ns - 1) for region, plain_ns in zip(regions, plains)]
            gates.append((f"{subject}/work", off))
        spawns, syncs = found[0]["totals"]["spawns"], regions[0]["syncs"]
        print(
            f"| {problem} | {side} | {printed(plain) if plain else ''} | {printed(work)} | {printed(span)} | {work / span:.1f} | {spawns} | {syncs} "
            f"| {work / rayon[0]:.2f} | {span / rayon[1]:.2f} |"
        )
        if plain:
            costs.append((problem, side, plain / spawns, (work - plain) / spawns, work / plain - 1))
print()
print("What a spawn takes, with the work of its task; and what the profile has beyond the plain run, by the median of each:")
print()
print("| program | runtime | plain run / spawns | (work - plain run) / spawns | of the plain run |")
print("|---|---|---:|---:|---:|")
for problem, side, plain, more, share in costs:
    print(f"| {problem} | {side} | {plain:.0f} ns | {more:+.0f} ns | {100 * share:+.0f}% |")
print()
for gate, readings in gates:
    print(f"gate: {gate}", *(f"{reading:.4f}" for reading in readings))
