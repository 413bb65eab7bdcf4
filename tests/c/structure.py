"""What of a profile repeats exactly, whatever the machine does: the sites' kinds, places, names and counts,
the locks' places and acquisitions, and the numbers of spawns and syncs. No figure is a time.

    structure.py TITLE PROFILE...

Compares each profile with the rows under `== TITLE` in the file WORKSPAN_STRUCTURE. With WORKSPAN_BLESS=1
writes these rows instead; a count that differs between the profiles, or from one that is there, depends on
the schedule, and is `*`: any, also none. To begin anew, delete the file first.
"""

import collections
import json
import os
import sys

GOLDEN = os.environ.get("WORKSPAN_STRUCTURE")
SOURCES = os.path.dirname(os.path.abspath(__file__))
OURS = {name for _, _, names in os.walk(SOURCES) for name in names}


def place(site):
    """Headers of a runtime or a library have other lines in each version."""
    name = os.path.basename(site["file"] or "")
    return f"{name}:{site['line']}" if name in OURS else "elsewhere" if name else "-"


def of_profile(file):
    """Rows and their counts."""
    with open(file, encoding="utf-8") as text:
        profile = json.load(text)
    rows = collections.Counter({"spawns": profile["totals"]["spawns"], "syncs": profile["totals"]["syncs"]})
    sites = profile["sites"]
    for site in sites:
        where = place(site)
        # Functions of a library are others in each version.
        if where != "elsewhere" or site["kind"] != "function":
            rows[f"{site['kind']} {where} {site['name'] or ''}".strip()] += site["on_work"]["count"]
    for lock in profile["locks"]:
        rows["lock " + " ".join(sorted({place(sites[one["site"]]) for one in lock["places"]}))] += lock["acquisitions"]
    return rows


def merged(profiles, known):
    profiles = [{name: str(count) for name, count in profile.items()} for profile in profiles] + ([known] if known else [])
    names = sorted(set().union(*profiles))
    counts = {name: {profile.get(name, "0") for profile in profiles} for name in names}
    return {name: "".join(found) if len(found) == 1 else "*" for name, found in counts.items()}


def read():
    """The golden file: title, row, count."""
    golden = {}
    if os.path.exists(GOLDEN):
        with open(GOLDEN, encoding="utf-8") as text:
            for line in text.read().splitlines():
                if line.startswith("== "):
                    rows = golden.setdefault(line[3:], {})
                elif line:
                    count, row = line.split(maxsplit=1)
                    rows[row] = count
    return golden


def write(golden):
    with open(GOLDEN, "w", encoding="utf-8") as text:
        for title, rows in golden.items():
            text.write(f"== {title}\n" + "".join(f"{count:>6} {row}\n" for row, count in rows.items()))


def repaired(profile, known):
    """libomp's entry points for GCC leave the region's line to what the region's own thread begins next, such as a
    task or another region, where that thread comes before the others: it goes back to the line that lacks as many."""
    regions = {row.split()[1] for row in known if row.startswith("parallel ")}
    begun = [row for row in profile if row.split()[-1] in regions]
    for row in begun:
        had = known.get(row, "0")
        surplus = profile[row] - int(had) if had != "*" else 0
        kind = row.split()[0] + " "
        lacking = {other for other in known if other.startswith(kind) and known[other] == str(profile[other] + surplus)}
        if surplus > 0 and lacking:
            profile[min(lacking)] += surplus
            profile[row] -= surplus
    return profile


def differences(title, files):
    """What is not as in the golden file, in words; nothing without such a file."""
    if GOLDEN is None:
        return []
    golden = read()
    found = [of_profile(file) for file in files]
    if os.environ.get("WORKSPAN_BLESS"):
        golden[title] = merged(found, golden.get(title))
        write(golden)
        return []
    if title not in golden:
        return [f"{os.path.basename(GOLDEN)} has no `{title}`"]
    known = golden[title]
    if title.endswith(" gcc"):
        found = [repaired(profile, known) for profile in found]
    return [
        f"{row}: {profile[row]}, not {known.get(row, 0)}"
        for profile in found
        for row in sorted(set(profile) | set(known))
        if known.get(row) != "*" and str(profile[row]) != known.get(row, "0")
    ]


if __name__ == "__main__":
    wrong = differences(sys.argv[1], sys.argv[2:])
    print("\n".join(wrong), end="")
    sys.exit(bool(wrong))
