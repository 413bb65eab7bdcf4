#!/usr/bin/env python3
"""What `workspan inflate` finds in a program with false sharing, and in some without: a table, and
lines for `gate run`.

usage: inflate.py WORKSPAN PROGRAM OUT [--short] [--ahead]

WORKSPAN and PROGRAM are executables: the command, and the example `interference` as
`cargo workspan run` builds it. Writes the table, and the report of the shared layout, into the
folder OUT. With --ahead the runs have priority over all other programs (by chrt; needs root).
"""

import json
import pathlib
import subprocess
import sys

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
    """The region of a row of `interference`; for a join, that of the function around it."""
    site = found["sites"][row["site"]]
    if site["kind"] == "region":
        return site["name"]
    return (site["function"] or "").rsplit("::", 1)[-1]


def judged(layout, found):
    """Returns the lines of the table, one for each row; how many rows are found to be inflated that
    must be; and how many rows and findings are judged wrongly."""
    metric = found["metrics"][0]
    lines, met, found_rows = [], [], 0
    for row in metric["rows"]:
        if row["judgement"] in ("small", "only_oracle", "only_parallel") or row["work"] is None:
            continue
        # The region's own code is little more than its beginning and end.
        is_hindered = layout == "shared" and enclosing(found, row) == "write"
        goal = "inflated" if is_hindered else "no claim"
        is_met = (row["judgement"] == "inflated") == is_hindered
        met.append(is_met)
        found_rows += is_met and is_hindered
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
    return lines, found_rows, met.count(False)


def main():
    workspan, program, out = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    is_short = "--short" in sys.argv[4:]
    ahead = ["chrt", "-r", "1"] if "--ahead" in sys.argv[4:] else []
    rounds, length = (16, 200) if is_short else (31, 400)
    out.mkdir(parents=True, exist_ok=True)
    lines, busiest = [], 0.0
    for layout in ("shared", "padded", "compute", "read"):
        # Threads that begin on one processor must separate before they can hinder one another.
        longer = 4 if layout == "shared" else 1
        found = compare(ahead, workspan, program, layout, out, rounds, longer * length)
        busiest = max(busiest, found["metrics"][0]["program"]["parallel_off_processor"])
        of_layout, found_rows, misjudged = judged(layout, found)
        lines += of_layout
        if layout == "shared":
            print(f"gate: {layout}/found {found_rows}")
        print(f"gate: {layout}/misjudged {misjudged}", flush=True)
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


main()
