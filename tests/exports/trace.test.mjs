// Readers of trace events understand what workers did, and when.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { FOLDER } from './exported.mjs';
import { closed, lacksBrowser, totalOf, understood } from './speedscope.mjs';

after(closed);

/** The sweep of the folder, and its trace. */
function traced() {
  const file = path.join(FOLDER, 'quicksort.trace.json');
  const options = ['export', 'quicksort.sweep.json', '--format', 'trace', '--output', file];
  execFileSync(process.env.WORKSPAN_COMMAND, options, { cwd: FOLDER });
  const sweep = JSON.parse(readFileSync(path.join(FOLDER, 'quicksort.sweep.json'), 'utf8'));
  return { file, sweep };
}

/** What the run with the median time on each number of threads measured. */
function measurements(sweep) {
  const idle = sweep.runs.filter((run) => run.kind === 'idle' && !run.is_warm_up && run.exit.code === 0);
  const threads = [...new Set(idle.map((run) => run.threads))].sort((one, other) => one - other);
  return threads.map((count) => {
    const runs = idle.filter((run) => run.threads === count).sort((one, other) => one.elapsed - other.elapsed);
    return runs[Math.floor((runs.length - 1) / 2)].workers;
  });
}

/** How long the frames of an evented profile were open of which the name begins so. */
function timeOf(profile, frames, name) {
  const signs = { O: -1, C: 1 };
  const events = profile.events.filter((event) => frames[event.frame].name.startsWith(name));
  return events.reduce((sum, event) => sum + signs[event.type] * event.at, 0);
}

test('speedscope shows each worker', { skip: lacksBrowser }, async () => {
  const { file, sweep } = traced();
  const { profiles, shared } = await understood(file);
  const expected = measurements(sweep).flatMap((run) => run.workers.map((worker) => ({ run, worker })));
  assert.equal(profiles.length, expected.length);
  const numberOf = (profile) => Number(/\(tid (\d+)\)/.exec(profile.name)?.[1]);
  const workers = [...profiles].sort((one, other) => numberOf(one) - numberOf(other));
  workers.forEach((profile, index) => {
    const { run, worker } = expected[index];
    assert.equal(profile.unit, 'microseconds');
    assert.equal(Math.round(totalOf(profile) * 1e3), run.elapsed, profile.name);
    const times = ['busy', 'idle', 'partly idle'].map((name) => timeOf(profile, shared.frames, name) * 1e3);
    const [busy, idle, partly] = times.map(Math.round);
    assert.ok(Math.abs(busy + idle + partly - run.elapsed) <= 1, profile.name);
    assert.ok(idle <= worker.idle + run.elapsed / 100 && worker.idle <= idle + partly + run.elapsed / 100, profile.name);
  });
});
