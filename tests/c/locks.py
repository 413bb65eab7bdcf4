"""Compares the locks of a profile with what is known of a program: locks.py PROFILE SOURCE COMPILER COLUMN.

The source's first comment has lines

    lock [COMPILER] LINE[+LINE…]: UNITS UNITS UNITS     a lock that these lines acquire, and for how many units of 5 ms it is held
    serialises LINE                                     on the most threads the finding WS009 is of that line; none: there is none

the units for each column, of which COLUMN is the one that the profile is of. Prints the first thing that is otherwise.
"""

import json
import re
import sys

profile, source, compiler, column = sys.argv[1:]
UNIT = 5e6
BELOW, ABOVE = 0.02, 0.1  # of a unit
FACTOR = 1.03

with open(profile, encoding="utf-8") as file:
    told = json.load(file)
with open(source, encoding="utf-8") as file:
    comment = file.read().split("*/")[0]


def line_of(site):
    location = told["sites"][site]["location"]
    return int(re.search(r":(\d+)", location).group(1)) if isinstance(location, str) else location["line"]


locks = [({line_of(place["site"]) for place in lock["places"]}, lock["held_ns"] / UNIT) for lock in told["locks"]]
for known, lines, units in re.findall(r"^ \* lock (?:(clang|gcc) )?([\d+]+): (.*)$", comment, re.MULTILINE):
    if known not in ("", compiler):
        continue
    lines = set(map(int, lines.split("+")))
    goal = float(units.split()[int(column)])
    held = [held for places, held in locks if places == lines]
    if not held:
        sys.exit(f"no lock of lines {sorted(lines)}: {locks}")
    if not goal - BELOW <= held[0] <= goal * FACTOR + ABOVE:
        sys.exit(f"the lock of lines {sorted(lines)} held for {held[0]:.3f}, not {goal}")

serialises = re.search(r"^ \* serialises (\w+)$", comment, re.MULTILINE)
if serialises and column == "2":
    lines = [str(line_of(finding["site"])) for finding in told["findings"] if finding["number"] == "WS009"]
    if lines != [line for line in [serialises.group(1)] if line != "none"]:
        sys.exit(f"WS009 of lines {lines}, not of {serialises.group(1)}")
