"""Compares the goals that a program printed with what its profile says: goals.py OUTPUT PROFILE TITLE.

A goal is a line `goal WORK_FROM WORK_TO SPAN_FROM SPAN_TO`, in milliseconds. Lines `lock HELD TIMES` are the locks of the
program, the one that is held longest first.
"""

import json
import sys
from itertools import zip_longest

output, profile, title = sys.argv[1:]
with open(profile, encoding="utf-8") as file:
    profiled = json.load(file)
totals = profiled["totals"]
goals = [line.split()[1:] for line in open(output, encoding="utf-8") if line.startswith("goal ")]
if not goals:
    print(f"{title:44} right")
    sys.exit(0)
bounds = [float(bound) for bound in goals[0]]
failed = False
parts = []
for name, low, high in [("work", *bounds[:2]), ("span", *bounds[2:])]:
    figure = totals[f"{name}_ns"] / 1e6
    # Starting the runtime, and what a neighbour takes of the machine, are in no goal.
    allowed = 5 + 0.08 * high
    right = low * 0.97 - 0.5 <= figure <= high + allowed
    failed |= not right
    goal = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    parts.append(f"{name} {figure:7.2f} ms, goal {goal}{'' if right else '  WRONG'}")
print(f"{title:44} {'; '.join(parts)}")
locks = [line.split()[1:] for line in open(output, encoding="utf-8") if line.startswith("lock ")]
told = [(lock["held_ns"] / 1e6, lock["acquisitions"]) for lock in profiled["locks"]]
for (goal, acquisitions), (held, times) in zip_longest(locks, told, fillvalue=("nan", 0)):
    goal, held = float(goal), float(held)
    right = goal - 0.2 <= held <= goal * 1.05 + 2 and int(acquisitions) == times
    failed |= not right
    print(f"{'':44} lock {held:7.2f} ms, {times} times, goal {goal:g}, {acquisitions}{'' if right else '  WRONG'}")
sys.exit(failed)
