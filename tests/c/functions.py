"""Compares what a program printed about its calls with its profiles:

    functions.py OUTPUT TITLE KINDS PROFILE...

KINDS has any of the words `hooked` and `exact`. Numbers of calls must be the same in all profiles;
for times, the median counts.

    calls NAME COUNT     how often a function was called
    least NAME WORK      lower and upper bounds of the work of all its calls from one place, except
    most NAME WORK       recursive ones, in milliseconds

Lines that begin with `hooked` hold only with hooks, which functions call even if they are inlined.
`most` is only checked if it is known exactly which calls have ended. In the exact form (WORKSPAN_STRUCTURE)
only numbers of calls are compared.
"""

import json
import os
import re
import statistics
import sys

output, title, kinds, *profiles = sys.argv[1:]
sites_of_each = []
for profile in profiles:
    with open(profile, encoding="utf-8") as file:
        sites_of_each.append(json.load(file)["sites"])


def is_of(site, name):
    """Whether the site is the function, whatever its namespace and template arguments."""
    return site["kind"] == "function" and re.fullmatch(rf"(.*::)?{name}(<.*>)?", site["name"] or "")


failed = False
told = 0
for line in open(output, encoding="utf-8"):
    words = line.split()
    if words and words[0] == "hooked":
        if "hooked" not in kinds:
            continue
        words = words[1:]
    if not words or words[0] not in (("calls",) if "WORKSPAN_STRUCTURE" in os.environ else ("calls", "least", "most")):
        continue
    what, name, expected = words[0], words[1], float(words[2])
    calls_of_each = [[site["on_work"] for site in sites if is_of(site, name)] for sites in sites_of_each]
    if what == "calls":
        counts = [sum(call["count"] for call in calls) for calls in calls_of_each]
        found = next((count for count in counts if count != expected), expected)
        right = found == expected
    else:
        found = statistics.median(max((call["top_call_site"]["work_ns"] for call in calls), default=0) for calls in calls_of_each) / 1e6
        right = found >= expected * 0.97 if what == "least" else found <= expected or "exact" not in kinds
    told += 1
    if not right:
        failed = True
        print(f"{title}: {what} {name}: {found:g}, expected {expected:g}  WRONG")
print(f"{title:44} {told} figures of functions {'WRONG' if failed else 'right'}")
sys.exit(failed or told == 0)
