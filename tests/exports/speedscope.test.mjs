// speedscope reads its own format and others of ours, and understands the same work and span.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import Ajv from 'ajv';
import { exported, PROFILES, totals } from './exported.mjs';
import { closed, lacksBrowser, schema, totalOf, understood } from './speedscope.mjs';

after(closed);

for (const name of [...PROFILES, 'serial', 'large']) {
  test(`speedscope's schema accepts ${name}`, () => {
    const file = exported(name, 'speedscope', '.speedscope.json');
    const document = JSON.parse(readFileSync(file, 'utf8'));
    const isValid = new Ajv({ strict: false }).compile(schema);
    assert.ok(isValid(document), JSON.stringify(isValid.errors));
  });

  test(`speedscope opens ${name}`, { skip: lacksBrowser }, async () => {
    const file = exported(name, 'speedscope', '.speedscope.json', '--by', 'span');
    const { profiles, activeProfileIndex } = await understood(file);
    const found = Object.fromEntries(profiles.map((profile) => [profile.name, totalOf(profile)]));
    const { work, span } = totals(name);
    assert.deepEqual([found.work, found.span], [work, span]);
    assert.equal(profiles[activeProfileIndex].name, 'span');
    assert.ok(profiles.every((profile) => profile.name === 'samples' || profile.unit === 'nanoseconds'));
  });
}

for (const name of PROFILES) {
  test(`speedscope opens collapsed stacks of ${name}`, { skip: lacksBrowser }, async () => {
    for (const [by, total] of Object.entries(totals(name))) {
      const file = exported(name, 'collapsed', '.collapsedstack.txt', '--by', by);
      const { profiles } = await understood(file);
      assert.deepEqual(profiles.map(totalOf), [total], by);
    }
  });

  test(`speedscope opens pprof of ${name}`, { skip: lacksBrowser }, async () => {
    for (const [by, total] of Object.entries(totals(name))) {
      const { profiles } = await understood(exported(name, 'pprof', '.pb.gz', '--by', by));
      assert.deepEqual(profiles.map(totalOf), [total], by);
    }
  });
}

test('speedscope shows hostile names as names', { skip: lacksBrowser }, async () => {
  for (const [format, extension] of [['speedscope', '.speedscope.json'], ['pprof', '.pb.gz'], ['collapsed', '.collapsedstack.txt']]) {
    const { shared } = await understood(exported('hostile', format, extension));
    const names = shared.frames.map((frame) => frame.name);
    for (const part of ['<img src=x onerror=', '</script><script>', '\\u{7}nul\\u{0}escape\\u{1b}[31m', '日本語 🦀']) {
      assert.ok(names.some((name) => name.includes(part)), `${part} in ${format}`);
    }
    assert.ok(names.every((name) => !/[\u0000-\u001f]/.test(name)), format);
  }
});
