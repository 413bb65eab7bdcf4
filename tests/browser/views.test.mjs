// Every view, used as a reader does.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launched, open, viewsOf, withPage } from './browser.mjs';

after(() => launched.close());

const texts = (page, selector) => page.locator(selector).allTextContents();

test('a page has the views that there is data for', async () => {
  await withPage('quicksort', {}, async (page) => {
    assert.deepEqual(await viewsOf(page), ['overview', 'sites', 'flame', 'code', 'what-if', 'dag', 'workers']);
    for (const view of await viewsOf(page)) {
      await open(page, view);
      assert.equal(await page.locator('nav a[aria-current]').count(), 1);
      assert.ok((await page.locator(`#view-${view}`).innerText()).length > 100, view);
    }
  });
  await withPage('serial', {}, async (page) => {
    assert.deepEqual(await viewsOf(page), ['overview', 'sites', 'flame']);
    assert.match(await page.locator('.answer').first().innerText(), /no parallel construct/);
  });
  await withPage('hostile', {}, async (page) => assert.ok((await viewsOf(page)).includes('regions')));
});

test('locks are a table, and limit what changes give', async () => {
  await withPage('locked', { hash: '#locks' }, async (page) => {
    assert.equal((await viewsOf(page)).at(-1), 'locks');
    const cells = await texts(page, '#view-locks tbody td');
    assert.match(cells[0], /quicksort\.rs:47/);
    assert.deepEqual(cells.slice(1), ['4,190,000', '212 ms', '20.0%', '5.00', '310,000', '95.0 ms']);
    await page.locator('#view-locks tbody a').click();
    assert.match(await page.locator('#view-sites').innerText(), /quicksort\.rs:47/);
    await open(page, 'what-if');
    assert.match(await page.locator('[data-lock]').innerText(), /more than 5\.00 times/);
  });
});

test('what ran when is as wide as the run', async () => {
  await withPage('timed', {}, async (page) => {
    const columns = page.locator('.spent-timeline span');
    assert.equal(await columns.count(), 141);
    assert.equal(await columns.nth(6).getAttribute('title'), 'from 24.0 ms to 28.0 ms: 75.0% work, 12.5% running without a task');
    const widths = await columns.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    assert.ok(Math.abs(widths[0] / widths[140] - 4) < 0.1, `${widths}`);
    assert.match(await page.locator('.spent-ends').innerText(), /^0\s+561 ms$/);
  });
  await withPage('quicksort', {}, async (page) => assert.equal(await page.locator('.spent-timeline').count(), 0));
});

test('three sentences stand on the first screen', async () => {
  for (const name of ['quicksort', 'large', 'serial', 'real']) {
    await withPage(name, {}, async (page) => {
      assert.equal(await page.locator('.answer .text').count(), 3);
      for (const answer of await page.locator('.answer .text').all()) {
        const { bottom, isWhole } = await answer.evaluate((text) => ({
          bottom: text.getBoundingClientRect().bottom,
          isWhole: text.scrollHeight <= text.clientHeight + 1,
        }));
        assert.ok(bottom < 800 && isWhole, `${name}: ${await answer.innerText()}`);
      }
    });
  }
});

test('no value that is missing is shown as a word', async () => {
  for (const name of ['quicksort', 'serial', 'runs', 'real', 'real-against', 'large']) {
    await withPage(name, {}, async (page) => {
      for (const view of await viewsOf(page)) {
        await open(page, view);
        const words = await page.locator(`#view-${view}`).evaluate((section) => {
          const texts = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
          const found = [];
          while (texts.nextNode()) found.push(texts.currentNode.data.trim());
          return found.filter((text) => /^(false|true|null|undefined|NaN)$/.test(text));
        });
        assert.deepEqual(words, [], `${name}, ${view}`);
      }
    });
  }
});

test('figures are explained at a press', async () => {
  await withPage('quicksort', {}, async (page) => {
    await page.getByRole('button', { name: 'Burdened parallelism' }).click();
    assert.match(await page.locator('#definition').innerText(), /^Burdened parallelism \(a ratio\)\s*Work \/ burdened span/);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#definition').isVisible(), false);
  });
});

test('the chart has scales to choose and a table', async () => {
  await withPage('quicksort', {}, async (page) => {
    await page.getByLabel('linear').check();
    await page.getByText('As a table, with definitions').click();
    const heads = await texts(page, '#view-overview thead th');
    assert.deepEqual(heads, ['Cores', 'Lower bound', 'Predicted', 'Measured', 'Upper bound']);
    // Curves begin at one core, and what was measured has its interval.
    assert.equal(await page.locator('[data-speedup="predicted"]').first().innerText(), '1.00');
    assert.match(await page.locator('[data-speedup="measured"]').nth(1).innerText(), /^\d\.\d\d \(\d\.\d\d … \d\.\d\d\)$/);
    await page.locator('.u-over').hover();
    assert.match(await page.locator('.u-legend').first().innerText(), /Cores\s*\d+/);
  });
});

test('the table of sites sorts by each column, both ways', async () => {
  await withPage('hostile', { hash: '#sites' }, async (page) => {
    const keys = await page.locator('#view-sites .sort').evaluateAll((buttons) => buttons.map((button) => button.dataset.key));
    assert.ok(keys.length >= 10);
    for (const key of keys) {
      const directions = [];
      for (let press = 0; press < 2; press += 1) {
        await page.click(`#view-sites .sort[data-key="${key}"]`);
        directions.push(await page.locator('#view-sites th[aria-sort]').getAttribute('aria-sort'));
        const { rows, wrong } = await page.evaluate(misplaced, [key, directions.at(-1)]);
        assert.ok(rows > 1);
        assert.deepEqual(wrong, [], `${key}, ${directions.at(-1)}`);
      }
      assert.deepEqual(directions.sort(), ['ascending', 'descending']);
    }
  });
});

/** In the page: how many rows the table of sites has, and the neighbours among them that a column is not sorted by. */
function misplaced([key, direction]) {
  const figures = {
    site: (site) => site.place,
    share: (site) => site.share_of_span,
    'share-of-work': (site) => site.share_of_work,
    count: (site) => site.on_work[0][0],
    work: (site) => site.on_work[0][1],
    span: (site) => site.on_work[0][2],
    parallelism: (site) => site.on_work[0][3],
    overhead: (site) => site.overhead,
    blocked: (site) => site.blocked,
    stolen: (site) => site.stolen,
  };
  const known = new Map(JSON.parse(document.getElementById('data').textContent).sites.rows.map((site) => [site.id, figures[key](site)]));
  const sorted = [...document.querySelectorAll('#view-sites tbody tr')].map((row) => known.get(row.dataset.site));
  // What is not known stands last both ways.
  const inOrder = (one, other) => {
    if (one === null || other === null) return other === null;
    const order = typeof one === 'string' ? one.localeCompare(other) : one - other;
    return direction === 'ascending' ? order <= 0 : order >= 0;
  };
  const pairs = sorted.slice(1).map((other, at) => [sorted[at], other]);
  return { rows: sorted.length, wrong: pairs.filter(([one, other]) => !inOrder(one, other)) };
}

test('the table of sites filters, and changes its measure', async () => {
  await withPage('quicksort', { hash: '#sites' }, async (page) => {
    await page.getByLabel('Filter sites').fill('quicksort.rs');
    assert.equal(await page.locator('#view-sites tbody tr').count(), 1);
    const count = () => page.locator('#view-sites tbody tr td').nth(3).innerText();
    const [top] = [await count()];
    await page.getByLabel('Executions').selectOption('2');
    assert.notEqual(await count(), top);
    await page.getByRole('combobox', { name: 'Over' }).selectOption('on_span');
    assert.equal(await count(), '37');
    await page.getByLabel('Filter sites').fill('nothing like it');
    assert.equal(await page.locator('#view-sites tbody tr').count(), 0);
  });
});

test('of several runs, sites have their least and most', async () => {
  await withPage('runs', { hash: `#site=${encodeURIComponent('join@examples/quicksort.rs:31:9')}` }, async (page) => {
    const spread = page.locator('[data-spread]');
    assert.match(await spread.innerText(), /Least … most of 3 runs/);
    const known = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).sites.rows[0].spread);
    assert.ok(known.share_of_span[0] < known.share_of_span[1]);
    assert.match(await spread.innerText(), /Share of the span\s+\d\d\.\d% … \d\d\.\d%/);
    assert.match(await page.locator('tr.selected').innerText(), /\(\d\d\.\d% … \d\d\.\d%\)/);
    assert.match(await page.locator('#view-sites').innerText(), /Figures are of run 2 of 3/);
  });
  await withPage('quicksort', { hash: '#sites' }, async (page) => assert.equal(await page.getByText('Figures are of run').count(), 0));
});

test('addresses lead to sites, code and frames', async () => {
  const id = 'join@examples/quicksort.rs:31:9';
  await withPage('quicksort', { hash: `#site=${encodeURIComponent(id)}` }, async (page) => {
    assert.equal(await page.locator(`[data-details="${id}"]`).count(), 1);
    assert.equal(await page.locator('tr.selected').getAttribute('data-site'), id);
    await page.getByText('In the flame graph').click();
    assert.match(await page.locator('.frame-facts').first().innerText(), /join/);
    await page.goBack();
    assert.equal(await page.locator(`[data-details="${id}"]`).isVisible(), true);
  });
  await withPage('quicksort', { hash: '#code=examples/quicksort.rs:31' }, async (page) => {
    assert.equal(await page.locator('tr.selected').getAttribute('data-line'), '31');
  });
  // What leads nowhere shows what there is.
  for (const hash of ['#nonsense', '#site=%', '#site=nobody', '#code=nothing.rs:1', '#flame=nobody']) {
    await withPage('quicksort', { hash }, async (page) => assert.equal(await page.locator('.view:not([hidden])').count(), 1));
  }
});

test('findings lead to their code', async () => {
  await withPage('quicksort', {}, async (page) => {
    await page.locator('ol.findings a[href^="#code="]').first().click();
    assert.equal(await page.locator('#view-code tr.selected').getAttribute('data-line'), '31');
  });
});

test('the flame graph measures, zooms, searches and moves', async () => {
  await withPage('real', { hash: '#flame' }, async (page) => {
    for (const measure of await page.locator('input[name="flame-measure"]').all()) {
      await measure.check();
      const first = await page.locator('.flame button').first().evaluate((frame) => frame.style.width);
      assert.equal(first, '100%');
    }
    await page.getByLabel('Search frames').fill('partition');
    assert.match(await page.locator('#view-flame [role="status"]').innerText(), /^[1-9]\d* frames? found(, [\d,]+ of them shown)?$/);
    assert.ok(await page.locator('.flame .found').count() > 0);
    // All are counted, drawn or not.
    await page.getByLabel('Search frames').fill('a');
    const [, counted] = (await page.locator('#view-flame [role="status"]').innerText()).match(/^([\d,]+) frames found/);
    const known = await page.evaluate(() => {
      const { frames } = JSON.parse(document.getElementById('data').textContent).flame;
      return frames.filter(({ label, name, place }) => /a/i.test(`${name ?? label} ${place}`)).length;
    });
    assert.equal(Number(counted.replaceAll(',', '')), known);
    await page.getByLabel('Search frames').fill('');
    const frame = page.locator('.flame button.site').nth(1);
    const number = await frame.getAttribute('data-frame');
    await frame.click();
    assert.equal(await page.locator(`.flame [data-frame="${number}"]`).evaluate((zoomed) => zoomed.style.width), '100%');
    await page.keyboard.press('ArrowUp');
    assert.notEqual(await page.locator('.flame :focus').getAttribute('data-frame'), number);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.flame .above').count(), 0);
  });
});

test('whiskers stand at what was measured', async () => {
  await withPage('quicksort', {}, async (page) => {
    const drawn = await page.evaluate(async () => {
      const [, , low, high] = data0().workers.measured.at(-1);
      return { low, high, bars: await barsAt(data0().workers.measured.at(-1)[0]) };

      function data0() {
        return JSON.parse(document.getElementById('data').textContent);
      }

      /** How many pixels of the text's colour stand beside the point of so many threads, above one another. */
      async function barsAt(threads) {
        const canvas = document.querySelector('#view-overview canvas');
        const over = document.querySelector('#view-overview .u-over').getBoundingClientRect();
        const box = canvas.getBoundingClientRect();
        const x = (over.left - box.left + (Math.log2(threads) / 8) * over.width) * devicePixelRatio;
        const { data } = canvas.getContext('2d').getImageData(Math.floor(x + 5 * devicePixelRatio), 0, 1, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += data[at + 3] > 90 && data[at] < 60 && data[at + 1] < 60 && data[at + 2] < 60;
        return count;
      }
    });
    assert.ok(drawn.low < drawn.high);
    // The point itself is 4 pixels wide to this side.
    assert.ok(drawn.bars >= 1, JSON.stringify(drawn));
  });
});

test('the flame graph shows what has changed since another profile', async () => {
  await withPage('real-against', { hash: '#flame' }, async (page) => {
    const facts = () => page.locator('#view-flame [data-change]').innerText();
    assert.match(await facts(), /^Before \d.* ms; since then \+0\.00 points, \+\d.* ms of the work\.$/);
    // Half as many numbers: all took less time, but only some a smaller share.
    const kinds = async () => page.locator('.flame button').evaluateAll((frames) => frames.map((frame) => (frame.classList.contains('grown') ? 'grown' : 'shrunk')));
    assert.ok((await kinds()).includes('grown') && (await kinds()).includes('shrunk'));
    await page.getByLabel('change of time').check();
    assert.equal((await kinds())[0], 'grown');
    await page.getByLabel('by span').first().check();
    assert.match(await facts(), /of the span\.$/);
    assert.match(await page.locator('.flame-colours').innerText(), /grown[^]*shrunk/);
    await page.getByLabel('critical path').check();
    assert.equal(await page.locator('.flame .grown').count(), 0);
    assert.match(await page.locator('#view-flame').innerText(), /Gone since then/);
    assert.match(await page.locator('#view-flame').innerText(), /earlier\.wsp/);
  });
  await withPage('real', { hash: '#flame' }, async (page) => assert.equal(await page.locator('#view-flame [data-change], input[name="flame-colour"]').count(), 0));
});

test('joins that call themselves are one frame', async () => {
  await withPage('real', { hash: '#flame' }, async (page) => {
    const joins = await page.evaluate(() => {
      const { frames } = JSON.parse(document.getElementById('data').textContent).flame;
      return frames.filter((frame) => frame.label === 'join').length;
    });
    assert.equal(joins, 1);
  });
});

test('the dag zooms, and tells of its vertices', async () => {
  await withPage('quicksort', { hash: '#dag' }, async (page) => {
    const width = () => page.locator('.dag svg').evaluate((svg) => svg.getBoundingClientRect().width);
    const [before] = [await width()];
    await page.getByRole('button', { name: 'Zoom in' }).click();
    assert.ok(await width() > before * 1.4);
    await page.locator('.dag').focus();
    await page.keyboard.press('-');
    assert.ok(Math.abs(await width() - before) < 2);
    const facts = () => page.locator('#view-dag .frame-facts').innerText();
    const [chosen] = [await facts()];
    assert.match(chosen, /critical path/);
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await facts(), chosen);
    await page.locator('.dag .vertex.holds').first().click();
    assert.match(await facts(), /tasks folded into it/);
  });
});

test('a vertex leads to its code', async () => {
  await withPage('real', { hash: '#dag' }, async (page) => {
    await page.locator('#view-dag .frame-facts a.code').first().click();
    assert.match(new URL(page.url()).hash, /^#code=.*quicksort\.rs/);
    assert.ok(await page.locator('.source tr.selected').count() > 0);
  });
});

test('the source has figures beside its lines', async () => {
  await withPage('real', { hash: '#code' }, async (page) => {
    assert.ok(await page.locator('.source tr.hot').count() > 0);
    assert.match((await texts(page, '.source .text')).join('\n'), /fn partition/);
    const shares = (await texts(page, '.source td.number:not(.line-number)')).filter(Boolean);
    assert.ok(shares.length > 0);
    for (const share of shares) assert.match(share, /^(\d+% ± [1-9]\d*|\d+\.\d% ± 0\.\d)$/);
    for (const file of await page.locator('.files a').all()) await file.click();
  });
  await withPage('real-no-source', { hash: '#code' }, async (page) => {
    assert.equal((await texts(page, '.source .text')).join(''), '');
    assert.match(await page.locator('#view-code').innerText(), /--no-source/);
  });
});

test('workers, gaps and curves of a sweep', async () => {
  await withPage('quicksort', { hash: '#workers' }, async (page) => {
    assert.equal(await page.locator('.timeline .strip').count(), 8);
    for (const state of ['busy', 'scheduling', 'idle']) assert.equal(await page.locator(`.shares-bar .${state}`).count(), 8);
    await page.getByRole('button', { name: 'Scheduling', exact: true }).click();
    assert.match(await page.locator('#definition').innerText(), /stole tasks/);
    assert.match(await page.locator('#view-workers').innerText(), /work inflation/);
  });
});

test('nothing is wider than a phone', async () => {
  for (const name of ['quicksort', 'real', 'hostile', 'large']) {
    await withPage(name, { width: 390, height: 844 }, async (page) => {
      for (const view of await viewsOf(page)) {
        await open(page, view);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 390, `${name}, ${view}: ${width} px`);
      }
    });
  }
});

test('dark where that is preferred', async () => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
  await withPage('quicksort', { scheme: 'dark' }, async (page) => assert.ok(await background(page) < 60));
  await withPage('quicksort', { scheme: 'light' }, async (page) => assert.ok(await background(page) > 200));
});

test('on paper there is the open view alone, and nothing cut off', async () => {
  for (const name of ['real-against', 'quicksort', 'hostile']) {
    await withPage(name, { width: 720, scheme: 'dark' }, async (page) => {
      for (const view of await viewsOf(page)) {
        await open(page, view);
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        assert.equal(await page.locator('main .view:visible').count(), 1);
        assert.equal(await page.locator('nav a:visible').count(), 1);
        assert.equal(await page.locator('input[type="search"]:visible, .controls button:visible:not(.help)').count(), 0);
        const paper = await page.evaluate(() => ({
          width: document.documentElement.scrollWidth,
          cut: [...document.querySelectorAll('.view:not([hidden]) *')].filter((box) => getComputedStyle(box).overflowX === 'auto' && box.scrollWidth > box.clientWidth + 1).length,
          background: getComputedStyle(document.body).backgroundColor,
        }));
        assert.equal(paper.cut, 0, `${name}, ${view}`);
        assert.ok(paper.width <= 720, `${name}, ${view}: ${paper.width} px`);
        assert.equal(paper.background, 'rgb(255, 255, 255)');
        await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
      }
    });
  }
});
