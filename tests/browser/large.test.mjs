// 10⁴ sites and 10⁶ vertices: a small page that is there at once.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { PAGES, launched, open, viewsOf, withPage } from './browser.mjs';

after(() => launched.close());

const MEGABYTE = 1_000_000;

test('pages are small', () => {
  for (const name of ['large', 'real', 'real-against', 'quicksort', 'hostile']) {
    const { size } = statSync(path.join(PAGES, `${name}.html`));
    assert.ok(size < MEGABYTE, `${name}: ${size} bytes`);
  }
});

test('a large page is painted within a second', async () => {
  const paints = [];
  for (let nth = 0; nth < 3; nth += 1) {
    await withPage('large', {}, async (page) => {
      await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
      paints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    });
  }
  // The best of them: other programs may have had the processor.
  assert.ok(Math.min(...paints) < 1000, `${paints.map(Math.round)} ms`);
});

test('no view of a large page blocks', async () => {
  const least = new Map();
  for (let nth = 0; nth < 3; nth += 1) {
    await withPage('large', {}, async (page) => {
      for (const view of await viewsOf(page)) {
        const started = Date.now();
        await open(page, view);
        least.set(view, Math.min(least.get(view) ?? Infinity, Date.now() - started));
      }
    });
  }
  // The best of them, as above.
  for (const [view, passed] of least) assert.ok(passed < 2000, `${view}: ${passed} ms`);
});
