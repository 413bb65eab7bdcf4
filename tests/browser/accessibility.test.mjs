// axe-core finds nothing serious, in any view, light or dark.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { launched, open, viewsOf, withPage } from './browser.mjs';

after(() => launched.close());

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function serious(page) {
  // Through the debugger's protocol, which the page's policy does not hold back.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

for (const scheme of ['light', 'dark']) {
  for (const name of ['real-against', 'quicksort', 'hostile']) {
    test(`nothing serious in ${name}, ${scheme}`, async () => {
      await withPage(name, { scheme }, async (page) => {
        for (const view of await viewsOf(page)) {
          await open(page, view);
          assert.deepEqual(await serious(page), [], view);
        }
        await page.evaluate(() => { location.hash = document.querySelector('.span-bar a').hash; });
        await page.locator('[data-details]').waitFor();
        assert.deepEqual(await serious(page), [], 'details');
      });
    });
  }
}
