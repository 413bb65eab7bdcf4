"""Compares the locks in a program's profiles with what is known about them:

    locks.py SOURCE COMPILER COLUMN PROFILE...

The source's first comment has lines

    lock [COMPILER] LINE[+LINE…]: UNITS UNITS UNITS
    serialises LINE

`lock` is a lock that these lines acquire, and for how many units of 5 ms it is held, for each
column; COLUMN is the one of the profiles. `serialises` is the line of the finding WS009 on the most
threads; `none` means that there is no such finding. The median of the times counts, and the
findings of most profiles. Prints the first mismatch.
"""

import json
import re
import statistics
import sys

source, compiler, column, *profiles = sys.argv[1:]
UNIT = 5e6
BELOW, ABOVE = 0.02, 0.1  # of a unit
FACTOR = 1.03

told = []
for profile in profiles:
    with open(profile, encoding="utf-8") as file:
        told.append(json.load(file))
with open(source, encoding="utf-8") as file:
    comment = file.read().split("*/")[0]


def line_of(profile, site):
    location = profile["sites"][site]["location"]
    return int(re.search(r":(\d+)", location).group(1)) if isinstance(location, str) else location["line"]


def locks_of(profile):
    """For each lock, the lines that acquire it, and for how many units it is held."""
    return [({line_of(profile, place["site"]) for place in lock["places"]}, lock["held_ns"] / UNIT) for lock in profile["locks"]]


def serialising(profile):
    return [str(line_of(profile, finding["site"])) for finding in profile["findings"] if finding["number"] == "WS009"]


locks = [locks_of(profile) for profile in told]
for known, lines, units in re.findall(r"^ \* lock (?:(clang|gcc) )?([\d+]+): (.*)$", comment, re.MULTILINE):
    if known not in ("", compiler):
        continue
    lines = set(map(int, lines.split("+")))
    goal = float(units.split()[int(column)])
    held = [next((held for places, held in of_one if places == lines), None) for of_one in locks]
    if None in held:
        sys.exit(f"no lock of lines {sorted(lines)}: {locks}")
    if not goal - BELOW <= statistics.median(held) <= goal * FACTOR + ABOVE:
        sys.exit(f"the lock of lines {sorted(lines)} held for {held}, not {goal}")

serialises = re.search(r"^ \* serialises (\w+)$", comment, re.MULTILINE)
if serialises and column == "2":
    lines = [serialising(profile) for profile in told]
    right = [line for line in [serialises.group(1)] if line != "none"]
    if 2 * lines.count(right) <= len(lines):
        sys.exit(f"WS009 of lines {lines}, not of {serialises.group(1)}")
