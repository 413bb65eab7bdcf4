// Valgrind's callgrind_annotate reads the profile, and adds up the same work and span.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exported, lacks, printed, PROFILES, totals } from './exported.mjs';

const annotate = (...options) => printed('callgrind_annotate', '--auto=no', ...options);

/** The figure of a line of the table: `1,060 (100.0%)  ???:quicksort`. */
const figure = (line) => Number(line.match(/([\d,]+) \(/)?.[1].replaceAll(',', '') ?? 0);

for (const name of PROFILES) {
  test(`callgrind_annotate adds up ${name}`, { skip: lacks('callgrind_annotate') }, () => {
    const file = exported(name, 'callgrind', '.callgrind');
    const { work, span } = totals(name);
    for (const [event, nanos] of [['Work', work], ['Span', span]]) {
      const lines = annotate('--threshold=100', `--show=${event}`, `--sort=${event}`, file).split('\n');
      const total = lines.find((line) => line.includes('PROGRAM TOTALS'));
      assert.equal(figure(total), nanos);
      const start = lines.findIndex((line) => line.includes('file:function'));
      const functions = lines.slice(start + 2).map(figure);
      assert.equal(functions.reduce((one, other) => one + other, 0), nanos);
    }
  });
}

test('callgrind_annotate shows whole figures of a recursion once', { skip: lacks('callgrind_annotate') }, () => {
  const printed = annotate('--inclusive=yes', '--show=Span', exported('quicksort', 'callgrind', '.callgrind', '--by', 'span'));
  assert.match(printed, /98,000,000 \(100.0%\) +\?\?\?:quicksort/);
  assert.match(printed, /76,600,000 \(78.16%\) +examples\/quicksort.rs:join at examples\/quicksort.rs:31:9/);
});
