// Screenshots of a page's views: `node gallery.mjs FOLDER`, of the pages in $WORKSPAN_PAGES.

import path from 'node:path';
import { launched, open, withPage } from './browser.mjs';

const folder = process.argv[2];

const SHOTS = [
  { name: 'overview', page: 'real' },
  { name: 'overview-dark', page: 'real', scheme: 'dark' },
  { name: 'overview-phone', page: 'real', width: 390, height: 844 },
  { name: 'sites', page: 'real', view: 'sites', after: (page) => page.locator('#view-sites tbody a').first().click() },
  { name: 'flame', page: 'real', view: 'flame', after: (page) => page.getByLabel('by span').first().check() },
  { name: 'flame-difference', page: 'real-against', view: 'flame' },
  { name: 'code', page: 'real', view: 'code' },
  { name: 'what-if', page: 'real', view: 'what-if' },
  { name: 'dag', page: 'real', view: 'dag' },
  { name: 'dag-dark', page: 'real', view: 'dag', scheme: 'dark' },
  { name: 'workers', page: 'quicksort', view: 'workers' },
];

/** Before and after the repairs of the book's case studies: the figures, and the speedup to expect. */
const STUDIES = ['quicksort-serial', 'quicksort-repaired', 'stencil-naive', 'stencil-revised', 'bfs-large-nodes', 'bfs-small-nodes'];

for (const name of STUDIES) {
  await withPage(name, { height: 1200 }, async (page) => {
    await open(page, 'overview');
    await page.waitForTimeout(200);
    await page.locator('.overview-columns').screenshot({ path: path.join(folder, `study-${name}.png`) });
  });
}

for (const { name, page: of, view = 'overview', after = () => {}, ...options } of SHOTS) {
  await withPage(of, options, async (page) => {
    await open(page, view);
    await after(page);
    await page.waitForTimeout(200);
    await page.screenshot({ path: path.join(folder, `report-${name}.png`) });
  });
}
await launched.close();
