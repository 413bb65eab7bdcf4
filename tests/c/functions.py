"""Compares what a program printed of its calls with what its profile says: functions.py OUTPUT PROFILE TITLE [hooked] [exact].

    calls NAME COUNT     how often a function was called
    least NAME WORK      the least and the most that all calls of it from one place, but recursive ones, have of work, in
                         milliseconds
    most NAME WORK

A line that begins with `hooked` is of functions that call hooks, which are there inlined, too. `most` is looked at where it is
known exactly which calls are over.
"""

import json
import re
import sys

output, profile, title, *kinds = sys.argv[1:]
with open(profile, encoding="utf-8") as file:
    sites = json.load(file)["sites"]


def is_of(site, name):
    """Whether the site is of calls of the function, whatever stands around its name."""
    return site["kind"] == "function" and re.fullmatch(rf"(.*::)?{name}(<.*>)?", site["name"] or "")


failed = False
told = 0
for line in open(output, encoding="utf-8"):
    words = line.split()
    if words and words[0] == "hooked":
        if "hooked" not in kinds:
            continue
        words = words[1:]
    if not words or words[0] not in ("calls", "least", "most"):
        continue
    what, name, expected = words[0], words[1], float(words[2])
    calls = [site for site in sites if is_of(site, name)]
    if what == "calls":
        found = sum(site["on_work"]["count"] for site in calls)
        right = found == expected
    else:
        found = max((site["on_work"]["top_call_site"]["work_ns"] for site in calls), default=0) / 1e6
        right = found >= expected * 0.97 if what == "least" else found <= expected or "exact" not in kinds
    told += 1
    if not right:
        failed = True
        print(f"{title}: {what} {name}: {found:g}, expected {expected:g}  WRONG")
print(f"{title:44} {told} figures of functions {'WRONG' if failed else 'right'}")
sys.exit(failed or told == 0)
