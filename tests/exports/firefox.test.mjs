// The Firefox Profiler's own command line reads the profile as its page does, and adds up the same work and span.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { exported, PROFILES, totals } from './exported.mjs';

const command = createRequire(import.meta.url).resolve('@firefox-devtools/profiler-cli/dist/profiler-cli.js');
const sessions = mkdtempSync(path.join(os.tmpdir(), 'workspan-firefox-'));
Object.assign(process.env, { PROFILER_CLI_SESSION_DIR: sessions, PROFILER_CLI_NO_SYMBOLICATE: '1' });

after(() => rmSync(sessions, { recursive: true }));

/** What the reader that was started as `session` says; null if it is not ready. */
function asked(session, ...options) {
  const ran = spawnSync('node', [command, ...options, '--session', session, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
  return ran.status === 0 ? JSON.parse(ran.stdout) : null;
}

/** The names of the threads in `file` with the functions of each. */
async function threads(file) {
  const session = path.basename(file, '.firefox.json');
  // In place of `load`, which waits half a second for a reader to start, and no longer on a busy machine.
  const reader = spawn('node', [command, '--daemon', file, '--session', session], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(reader, 'exit');
  try {
    let listed = null;
    const givingUp = Date.now() + 60_000;
    while (!listed && reader.exitCode === null && Date.now() < givingUp) {
      await setTimeout(100);
      // A question before it listens makes others take it for dead.
      if (readdirSync(sessions).includes(`${session}.sock`)) listed = asked(session, 'thread', 'list');
    }
    assert.ok(listed, `the Firefox Profiler does not open ${file}`);
    return listed.threads.map(({ threadHandle, name }) => {
      const { functions, weightType } = asked(session, 'thread', 'functions', '--thread', threadHandle, '--include-idle');
      return { name, functions, weightType };
    });
  } finally {
    reader.kill();
    await ended;
  }
}

const sum = (functions) => functions.reduce((sum, { selfSamples }) => sum + selfSamples, 0);

for (const name of PROFILES) {
  test(`the Firefox Profiler adds up ${name}`, async () => {
    const found = await threads(exported(name, 'firefox', '.firefox.json'));
    for (const [measure, nanos] of Object.entries(totals(name))) {
      const { functions, weightType } = found.find((thread) => thread.name === measure);
      assert.equal(weightType, 'tracing-ms');
      assert.equal(Math.round(sum(functions) * 1e6), nanos, measure);
    }
  });
}

test('the Firefox Profiler shows functions and hostile names', async () => {
  const [work] = await threads(exported('quicksort', 'firefox', '.firefox.json'));
  const join = work.functions.find((found) => found.name === 'join at examples/quicksort.rs:31:9');
  assert.deepEqual([join.selfSamples, join.totalSamples], [1038.6, 1038.6]);
  const [{ functions }] = await threads(exported('hostile', 'firefox', '.firefox.json'));
  const hostile = functions.map((found) => found.name);
  assert.ok(hostile.some((name) => name.includes('</script><script>')), `${hostile}`);
  assert.ok(hostile.some((name) => name.includes('\\u{7}nul\\u{0}escape')), `${hostile}`);
});
