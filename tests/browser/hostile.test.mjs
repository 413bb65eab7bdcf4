// Names with markup, quotes and control characters are text, wherever they stand.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launched, open, viewsOf, withPage } from './browser.mjs';

after(() => launched.close());

test('hostile names are shown as they are', async () => {
  await withPage('hostile', {}, async (page) => {
    for (const view of await viewsOf(page)) {
      await open(page, view);
      for (const link of (await page.locator(`#view-${view} a`).all()).slice(0, 12)) {
        assert.match(await link.getAttribute('href'), /^#/);
      }
      assert.equal(await page.locator('img, iframe, object, embed, svg[onload], main script').count(), 0, view);
      const shown = await page.locator(`#view-${view}`).innerText();
      // Line ends and tabs of the layout apart, control characters are told, not passed on.
      assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u202e]/, view);
    }
    await open(page, 'sites');
    const table = await page.locator('#view-sites').innerText();
    for (const name of ['<img src=x onerror="window.broken=', '</script><script>', '<svg/onload=', 'javascript:window.broken', '\\u{7}nul\\u{0}escape\\u{1b}[31m', '日本語 🦀']) {
      assert.ok(table.includes(name), name);
    }
    assert.match(table, /more characters\)/);
    assert.equal(await page.evaluate(() => window.broken), undefined);
  });
});

test('each hostile site can be opened', async () => {
  await withPage('hostile', { hash: '#sites' }, async (page) => {
    const ids = await page.locator('#view-sites tbody tr').evaluateAll((rows) => rows.map((row) => row.dataset.site));
    assert.ok(ids.length > 7);
    for (const id of ids) {
      await page.evaluate((address) => { location.hash = address; }, `#site=${encodeURIComponent(id)}`);
      await page.waitForFunction((wanted) => document.querySelector('[data-details]')?.dataset.details === wanted, id);
    }
    assert.equal(await page.evaluate(() => window.broken), undefined);
  });
});
