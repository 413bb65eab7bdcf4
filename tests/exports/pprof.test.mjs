// Go's pprof reads the profile, and adds up the same work and span.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exported, lacks, printed, PROFILES, totals } from './exported.mjs';

const pprof = (file, ...options) => printed('go', 'tool', 'pprof', ...options, file);

/** The sums of the values of all samples, by sample type. */
function sums(raw) {
  const [, types, samples] = raw.match(/^Samples:\n(.*)\n([^]*?)^Locations/m);
  const names = types.trim().split(/\s+/).map((type) => type.split('/')[0].replace('[dflt]', ''));
  const sums = names.map(() => 0);
  for (const [, values] of samples.matchAll(/^([\d\s]+):/gm)) {
    values.trim().split(/\s+/).forEach((value, index) => { sums[index] += Number(value); });
  }
  return Object.fromEntries(names.map((name, index) => [name, sums[index]]));
}

for (const name of PROFILES) {
  test(`pprof adds up ${name}`, { skip: lacks('go') }, () => {
    const file = exported(name, 'pprof', '.pb.gz');
    const found = sums(pprof(file, '-raw'));
    const { work, span } = totals(name);
    assert.deepEqual([found.work, found.span], [work, span]);
  });
}

test('pprof shows the functions and the chosen sample type', { skip: lacks('go') }, () => {
  const file = exported('quicksort', 'pprof', '.pb.gz', '--by', 'span');
  const top = pprof(file, '-top', '-unit=ns');
  assert.match(top, /^Type: span$/m);
  assert.match(top, /of 98000000ns total/);
  assert.match(top, /76600000ns +78.16% +78.16% +76600000ns +78.16% +join at examples\/quicksort.rs:31:9/);
  assert.match(pprof(file, '-top', '-sample_index=work', '-unit=ns'), /of 1060000000ns total/);
  assert.match(pprof(file, '-list=join', '-unit=ns') + pprof(file, '-traces'), /quicksort::quicksort/);
});
