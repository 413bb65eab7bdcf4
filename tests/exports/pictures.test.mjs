// Pictures are valid, and browsers show them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { exported, PROFILES, totals } from './exported.mjs';
import { closed, lacksBrowser, withPage } from './speedscope.mjs';

after(closed);

for (const name of PROFILES) {
  test(`a browser draws the flame graph of ${name}`, { skip: lacksBrowser }, async () => {
    for (const [by, total] of Object.entries(totals(name))) {
      const file = exported(name, 'flamegraph', '.svg', '--by', by);
      const titles = await withPage(async (page) => {
        await page.goto(pathToFileURL(file).href);
        assert.equal(await page.locator('parsererror').count(), 0);
        assert.equal(await page.evaluate(() => window.broken), undefined);
        return page.locator('g > title').allTextContents();
      });
      assert.ok(titles.includes(`all (${total.toLocaleString('en')} ns, 100%)`), by);
      assert.ok(titles.length > 2, by);
    }
  });
}

for (const name of [...PROFILES, 'serial']) {
  test(`a browser draws the plot of ${name}`, { skip: lacksBrowser }, async () => {
    const texts = await withPage(async (page) => {
      await page.goto(pathToFileURL(exported(name, 'svg', '.plot.svg')).href);
      assert.equal(await page.locator('parsererror').count(), 0);
      assert.equal(await page.evaluate(() => window.broken), undefined);
      return page.locator('text').allTextContents();
    });
    const words = texts.map((text) => text.trim());
    for (const word of ['speedup', 'cores', '256', 'upper bound', 'lower bound']) assert.ok(words.includes(word), word);
    assert.equal(words.includes('predicted'), name !== 'serial');
  });
}
