"""Compares the goals that a program printed with what its profile says: goals.py OUTPUT PROFILE TITLE.

A goal is a line `goal WORK_FROM WORK_TO SPAN_FROM SPAN_TO`, in milliseconds.
"""

import json
import sys

output, profile, title = sys.argv[1:]
with open(profile, encoding="utf-8") as file:
    totals = json.load(file)["totals"]
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
sys.exit(failed)
