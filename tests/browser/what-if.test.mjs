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

/** What the page says of one scenario, and what the command says of the same. */
async function compare(page, chosenIn) {
  await page.locator('[data-changed="work"]').waitFor();
  const answer = asked(await page.locator('.command-line code').innerText());
  const figures = { work: 'work_ns', span: 'span_ns', burdened_span: 'burdened_span_ns', parallelism: 'parallelism', burdened_parallelism: 'burdened_parallelism' };
  for (const [shown, key] of Object.entries(figures)) {
    const value = await page.locator(`[data-changed="${shown}"]`).getAttribute('data-value');
    assertClose(Number(value), answer.after[key], shown);
  }
  const whatIf = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).what_if);
  const chosen = chosenIn(whatIf);
  for (const expected of answer.speedup) {
    const at = whatIf.cores.indexOf(expected.cores);
    assertClose(chosen.lower[at], expected.after.lower, `lower bound on ${expected.cores}`);
    assertClose(chosen.upper[at], expected.after.upper, `upper bound on ${expected.cores}`);
    if (chosen.predicted[at] === null) continue;
    const off = Math.abs(chosen.predicted[at] / expected.after.predicted - 1);
    assert.ok(off <= FEW_RUNS, `prediction on ${expected.cores}: ${chosen.predicted[at]} on the page, ${expected.after.predicted} by the command`);
  }
}

/** The scenario of what the lists say. */
async function compareLists(page) {
  const lists = await page.locator('select[data-piece]').evaluateAll((all) => all.map((list) => [list.dataset.piece, list.value]));
  const wanted = lists.filter(([, value]) => value !== '').map((pair) => pair.join(':')).join();
  assert.equal(new URL(page.url()).hash, `#what-if=${encodeURIComponent(wanted)}`);
  await compare(page, ({ after }) => after.find((scenario) => scenario.chosen.map((pair) => pair.join(':')).join() === wanted));
}

for (const name of ['quicksort', 'locked', 'real']) {
  test(`one change and two of ${name}`, async () => {
    await withPage(name, { hash: '#what-if' }, async (page) => {
      const lists = page.locator('select[data-piece]');
      await lists.nth(0).selectOption({ label: 'parallel, 16 ways' });
      await compareLists(page);
      await lists.nth(1).selectOption({ label: '2 times as fast' });
      await compareLists(page);
      if (await lists.count() > 2) assert.equal(await lists.nth(2).isDisabled(), true);
      const both = new URL(page.url()).hash;
      await lists.nth(0).selectOption({ label: 'as it is' });
      await compareLists(page);
      // The address of the two leads to them again.
      await page.evaluate((hash) => { location.hash = hash; }, both);
      await page.waitForFunction(() => document.querySelector('select[data-piece="0"]').value !== '');
      await compareLists(page);
    });
  });

  // What is first to try there is to do less under the lock, which no change of the task dag stands for.
  if (name === 'locked') continue;
  test(`what to try, ready in ${name}`, async () => {
    await withPage(name, {}, async (page) => {
      await page.locator('.answer').nth(2).getByText('See what that would give').click();
      const link = page.locator('.ready a[aria-current]');
      const id = decodeURIComponent(new URL(page.url()).hash.replace('#what-if=', ''));
      assert.equal(id, 'finding-0');
      assert.match(await link.innerText(), /^What WS\d+ asks for/);
      // The command knows code as a whole only, not that of one site alone.
      if (await page.locator('.command-line').count() > 0) await compare(page, ({ ready }) => ready.find((entry) => entry.id === id).scenario);
      const span = await page.locator('[data-changed="span"]').getAttribute('data-value');
      const { before } = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).what_if);
      assert.ok(Number(span) < before.span);
      // A choice of one's own takes its place.
      await page.locator('select[data-piece]').nth(0).selectOption({ label: 'parallel, 4 ways' });
      assert.equal(await link.count(), 0);
      await page.locator('.ready a').last().click();
      await page.waitForFunction(() => document.querySelector('select[data-piece="0"]').value === '');
      await compare(page, ({ ready }) => ready.at(-1).scenario);
    });
  });
}

test('speedups below one have ticks', async () => {
  // The quicksort, were a scheduler to make it slower.
  const page = readFileSync(path.join(PAGES, 'quicksort.html'), 'utf8');
  const [, begin, text, end] = page.match(/^([^]*<script type="application\/json" id="data">)([^]*?)(<\/script>[^]*)$/);
  const data = JSON.parse(text);
  for (const scenario of [data.what_if.before, ...data.what_if.after]) scenario.lower[0] = 0.3;
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

test('every change and every two have bounds, and predictions as far as there is time', async () => {
  for (const name of ['quicksort', 'real']) {
    await withPage(name, { hash: '#what-if' }, async (page) => {
      const { pieces, options, after, before, basis, ready } = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).what_if);
      const [alone, pairs] = [pieces.length * options.length, (pieces.length * (pieces.length - 1)) / 2];
      assert.equal(after.length, alone + pairs * options.length ** 2, name);
      for (const scenario of [before, ...after, ...ready.map((entry) => entry.scenario)]) {
        const seeds = scenario === before || scenario.chosen.length === 0 ? 1 : basis.seeds[scenario.chosen.length - 1];
        scenario.predicted.forEach((predicted, at) => {
          assert.ok(scenario.upper[at] >= scenario.lower[at]);
          assert.equal(predicted !== null, seeds > 0, `${name}: ${scenario.chosen}`);
          // A prediction on few cores may lie below what the lower bound takes for a scheduler's worst.
          if (predicted !== null) assert.ok(predicted > 0 && predicted <= scenario.upper[at] * (1 + 1e-5), `${name}: ${scenario.chosen} ${predicted}`);
        });
      }
      await page.locator('select[data-piece]').nth(0).selectOption({ index: 3 });
      await page.locator('#view-what-if').getByText('As a table').click();
      assert.match(await page.locator('#view-what-if tr[data-cores] td').first().innerText(), /^\d/);
      if (name === 'quicksort') assert.ok(basis.seeds.every((seeds) => seeds > 0));
      if (name === 'real') assert.match(await page.locator('#view-what-if').innerText(), /there are bounds only/);
    });
  }
});
