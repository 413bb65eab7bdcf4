"""Compares the goals that a program printed with the medians of its profiles:

    goals.py OUTPUT TITLE PROFILE...

A goal is a line `goal WORK_FROM WORK_TO SPAN_FROM SPAN_TO`, in milliseconds. Lines `lock HELD
TIMES` are the locks of the program, longest held first. In the exact form (WORKSPAN_STRUCTURE) no time is
compared: the profiles must have the structure that is known of the title.
"""

import json
import statistics
import sys
from itertools import zip_longest

import structure

output, title, *profiles = sys.argv[1:]
if structure.GOLDEN:
    wrong = structure.differences(title, profiles)
    print(f"{title:44} {'WRONG: ' + '; '.join(wrong) if wrong else 'structure as known'}")
    sys.exit(bool(wrong))
profiled = []
for profile in profiles:
    with open(profile, encoding="utf-8") as file:
        profiled.append(json.load(file))
goals = [line.split()[1:] for line in open(output, encoding="utf-8") if line.startswith("goal ")]
if not goals:
    print(f"{title:44} right")
    sys.exit(0)
bounds = [float(bound) for bound in goals[0]]
failed = False
parts = []
for name, low, high in [("work", *bounds[:2]), ("span", *bounds[2:])]:
    figure = statistics.median(profile["totals"][f"{name}_ns"] for profile in profiled) / 1e6
    # The goals do not include the start of the runtime.
    allowed = 5 + 0.08 * high
    right = low * 0.97 - 0.5 <= figure <= high + allowed
    failed |= not right
    goal = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    parts.append(f"{name} {figure:7.2f} ms, goal {goal}{'' if right else '  WRONG'}")
print(f"{title:44} {'; '.join(parts)}")
locks = [line.split()[1:] for line in open(output, encoding="utf-8") if line.startswith("lock ")]
told = zip_longest(*[profile["locks"] for profile in profiled], fillvalue={"held_ns": 0, "acquisitions": 0})
for (goal, acquisitions), found in zip_longest(locks, told, fillvalue=("nan", 0)):
    goal, held = float(goal), statistics.median(lock["held_ns"] for lock in found) / 1e6
    times = {lock["acquisitions"] for lock in found}
    right = goal - 0.2 <= held <= goal * 1.05 + 2 and times == {int(acquisitions)}
    failed |= not right
    print(f"{'':44} lock {held:7.2f} ms, {times} times, goal {goal:g}, {acquisitions}{'' if right else '  WRONG'}")
sys.exit(failed)
