#!/usr/bin/env python3
"""What `workspan inflate` finds in a program with false sharing, and in ones without: a table of goals and figures.

usage: inflate.py WORKSPAN PROGRAM OUT [--short] [--ahead]

WORKSPAN and PROGRAM are executables: the command, and the example `interference` as `cargo workspan run` builds it. Writes the table, and
the report of the shared layout, into the folder OUT. Fails if a goal is missed on a machine that other programs left alone, and whose
processors do not hinder one another by themselves. With --ahead the runs come before all other programs (chrt; the superuser may), so
that a busy machine can tell, too.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys

# Share of the parallel runs' work for which other programs kept a ready thread off the processor: with more, threads that are to
# hinder one another did not run at once.
BUSY = 0.05

# Of so many pairs of copies before a comparison, and as many after it, a quarter slower than one copy alone by SLOWED: the processors of
# a virtual machine may share a core for seconds at a time, and then hinder one another in programs that share nothing, too.
PAIRS, SLOWED = 8, 1.05


def slowed(workspan, program, out):
    """How many times as long the slower of two copies writes as one alone, for each of some pairs."""
    processors = sorted(os.sched_getaffinity(0))[:2]

    def begin(processor):
        file = out / f"copy-{processor}.json"
        command = ["taskset", "-c", str(processor), workspan, "run", "--threads", "1", "--no-record", "--no-report", "--json", file]
        command += ["-o", out / f"copy-{processor}.wsp", "--", program, "padded", "200"]
        return file, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def writing(file, process):
        if process.wait() != 0:
            sys.exit(f"inflate.py: a copy exits with {process.returncode}")
        sites = json.loads(file.read_text())["sites"]
        return next(site["on_work"]["work_ns"] for site in sites if site.get("name") == "write")

    ratios = []
    for _ in range(PAIRS):
        alone = writing(*begin(processors[0]))
        pair = [begin(processor) for processor in processors]
        ratios.append(max(writing(*copy) for copy in pair) / alone)
    return ratios


def compare(ahead, workspan, program, layout, out, rounds, length):
    """The JSON of a comparison."""
    file = out / f"{layout}.inflation.json"
    command = [*ahead, workspan, "inflate", "--runs", str(rounds), "--threads", "2", "-o", file]
    command += ["--report", out / f"{layout}.txt", "--json", "-", "--", program, layout, str(length)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        sys.exit(f"inflate.py: {layout} exits with {ran.returncode}:\n{ran.stderr}")
    return json.loads(ran.stdout)


def where(found, row):
    site = found["sites"][row["site"]]
    if site["kind"] in ("root", "region"):
        extent = ", own code" if row["extent"] == "own" and site["kind"] == "region" else ""
        return site["title"] + extent
    return f"{site['title']} {site['file'].rsplit('/', 1)[-1]}:{site['line']}"


def enclosing(found, row):
    """The region that a row of `interference` is of: that of the function around a join."""
    site = found["sites"][row["site"]]
    if site["kind"] == "region":
        return site["name"]
    return (site["function"] or "").rsplit("::", 1)[-1]


def judged(layout, found):
    """A line of the table for each row, and whether each goal is met."""
    metric = found["metrics"][0]
    lines, met = [], []
    for row in metric["rows"]:
        if row["judgement"] in ("small", "only_oracle", "only_parallel") or row["work"] is None:
            continue
        # The region's own code is little more than its beginning and end.
        is_hindered = layout == "shared" and enclosing(found, row) == "write"
        goal = "inflated" if is_hindered else "no claim"
        is_met = (row["judgement"] == "inflated") == is_hindered
        met.append(is_met)
        work = row["work"]
        lines.append(
            f"| {layout} | {where(found, row)} | {row['work_share']:.0%} | {work['value']:.2f} "
            f"({work['low']:.2f} … {work['high']:.2f}) | {row['judgement'].replace('_', ' ')} | {goal} | {'yes' if is_met else '**no**'} |"
        )
    sites = sorted({where(found, {"site": each["site"], "extent": ""}) for each in found["findings"]})
    if layout == "shared":
        is_met = len(sites) == 1 and found["findings"][0]["site"] in {
            row["site"] for row in metric["rows"] if enclosing(found, row) == "write"
        }
        goal = "one, in `write`"
    else:
        is_met = not sites
        goal = "none"
    met.append(is_met)
    listed = ", ".join(sites) or "none"
    lines.append(f"| {layout} | findings | | | {listed} | {goal} | {'yes' if is_met else '**no**'} |")
    return lines, all(met)


def main():
    workspan, program, out = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    is_short = "--short" in sys.argv[4:]
    ahead = ["chrt", "-r", "1"] if "--ahead" in sys.argv[4:] else []
    rounds, length = (16, 200) if is_short else (31, 400)
    out.mkdir(parents=True, exist_ok=True)
    lines, missed, busiest = [], [], 0.0
    for layout in ("shared", "padded", "compute", "read"):
        before = slowed(workspan, program, out)
        # Threads that begin on one processor have to come apart before they can hinder one another.
        longer = 4 if layout == "shared" else 1
        found = compare(ahead, workspan, program, layout, out, rounds, longer * length)
        busy = found["metrics"][0]["program"]["parallel_off_processor"]
        of_layout, is_met = judged(layout, found)
        busiest = max(busiest, busy)
        lines += of_layout
        if not is_met:
            hindered = statistics.quantiles(before + slowed(workspan, program, out), n=4)[2]
            missed.append((layout, busy, hindered))
    table = [
        f"{rounds} rounds, 2 threads{', before all other programs (--ahead)' if ahead else ''}; for up to {busiest:.0%} of their work threads were kept off the processor by other programs.",
        "",
        "| program | row | of the work | inflation | judged | goal | met |",
        "|---|---|---:|---|---|---|---|",
        *lines,
    ]
    text = "\n".join(table) + "\n"
    (out / "table.md").write_text(text)
    print(text)
    for layout, busy, hindered in missed:
        said = ""
        if busy > BUSY:
            said = f", but other programs kept its threads off the processor for {busy:.0%} of their work: no verdict"
        elif hindered > SLOWED:
            said = f", but a quarter of copies that share nothing took {hindered:.2f} times as long or longer: no verdict"
        print(f"inflate: goal missed by {layout}{said}")
    if any(busy <= BUSY and hindered <= SLOWED for _, busy, hindered in missed):
        sys.exit(1)


main()
