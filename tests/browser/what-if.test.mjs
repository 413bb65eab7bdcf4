// What the page says of a change is what the command says.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { PAGES, WORKSPAN, launched, open, withPage } from './browser.mjs';

after(() => launched.close());

/** What `workspan whatif` says of the command line that the page suggests. */
function asked(commandLine) {
  const command = commandLine.replace(/^workspan /, `'${WORKSPAN}' `);
  return JSON.parse(execFileSync('sh', ['-c', `${command} --json`], { cwd: PAGES, encoding: 'utf8', maxBuffer: 1 << 28 }));
}

function assertClose(one, other, what) {
  assert.ok(Math.abs(one - other) <= 2e-5 * Math.abs(other), `${what}: ${one} on the page, ${other} by the command`);
}

/** How far the median of a few simulated runs may be off that of five. */
const FEW_RUNS = 0.3;

/** What the page says of the advised change that is shown, and what the command says of the same. */
async function compare(page, id) {
  const answer = asked(await page.locator('.command-line code').innerText());
  for (const key of ['work_ns', 'span_ns', 'burdened_span_ns', 'parallelism', 'burdened_parallelism']) {
    const value = await page.locator(`[data-changed="${key}"]`).getAttribute('data-value');
    assertClose(Number(value), answer.after[key], key);
  }
  const { ready } = await whatIf(page);
  const { speedup } = ready.find((entry) => entry.id === id);
  for (const expected of answer.speedup) {
    const shown = speedup.find(({ cores }) => cores === expected.cores)?.after;
    if (shown === undefined) continue;
    assertClose(shown.lower, expected.after.lower, `lower bound on ${expected.cores}`);
    assertClose(shown.upper, expected.after.upper, `upper bound on ${expected.cores}`);
    if (shown.predicted === null) continue;
    const off = Math.abs(shown.predicted / expected.after.predicted - 1);
    assert.ok(off <= FEW_RUNS, `prediction on ${expected.cores}: ${shown.predicted} on the page, ${expected.after.predicted} by the command`);
  }
}

/** What the page knows of changes. */
function whatIf(page) {
  return page.evaluate(() => JSON.parse(document.getElementById('data').textContent).what_if);
}

for (const name of ['quicksort', 'real']) {
  test(`what is advised for ${name}`, async () => {
    await withPage(name, {}, async (page) => {
      await page.locator('.answer').nth(2).getByText('See what that would give').click();
      const link = page.locator('.ready a[aria-current]');
      const id = decodeURIComponent(new URL(page.url()).hash.replace('#what-if=', ''));
      assert.equal(id, 'finding-0');
      assert.match(await link.innerText(), /^What WS\d+ asks for/);
      // The command knows code as a whole only, not that of one site alone.
      if (await page.locator('.command-line').count() > 0) await compare(page, id);
      const span = await page.locator('[data-changed="span_ns"]').getAttribute('data-value');
      const { ready } = await whatIf(page);
      assert.ok(Number(span) < ready[0].before.span_ns);
      await page.locator('.ready a').last().click();
      await page.locator('.ready a[aria-current]', { hasText: 'workspan advise' }).waitFor();
      await compare(page, 'advice');
      await page.locator('#view-what-if').getByText('As a table').click();
      assert.match(await page.locator('#view-what-if tr[data-cores] td').first().innerText(), /^\d/);
    });
  });
}

test('speedups below one have ticks', async () => {
  // The quicksort, were a scheduler to make it slower.
  const page = readFileSync(path.join(PAGES, 'quicksort.html'), 'utf8');
  const [, begin, text, end] = page.match(/^([^]*<script type="application\/json" id="data">)([^]*?)(<\/script>[^]*)$/);
  const data = JSON.parse(text);
  for (const { speedup: [{ before, after: changed }] } of data.what_if.ready) before.lower = changed.lower = 0.3;
  writeFileSync(path.join(PAGES, 'slow.html'), begin + JSON.stringify(data).replaceAll('<', '\\u003c') + end);
  await withPage('slow', {}, async (page) => {
    await page.evaluate(() => {
      const { fillText } = CanvasRenderingContext2D.prototype;
      window.texts = [];
      CanvasRenderingContext2D.prototype.fillText = function record(words, ...place) {
        window.texts.push(words);
        return fillText.call(this, words, ...place);
      };
    });
    await open(page, 'what-if');
    await page.waitForFunction(() => window.texts.includes('speedup'));
    const texts = await page.evaluate(() => window.texts);
    for (const tick of ['0.25', '0.5', '1', '2', '64']) assert.ok(texts.includes(tick), `${tick} in ${texts}`);
  });
});

test('a dag that is too large for what findings ask for says so', async () => {
  await withPage('large', { hash: '#what-if' }, async (page) => {
    assert.match(await page.locator('#view-what-if').innerText(), /too large to compute beforehand what findings ask for/);
  });
  await withPage('quicksort', { hash: '#what-if' }, async (page) => assert.equal(await page.getByText('too large').count(), 0));
});
