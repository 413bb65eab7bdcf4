// What changes would give that findings and the advice ask for, as the model computed it when the page was made.

function whatIf() {
  const { ready, lock, profile, is_truncated: isTruncated } = data.what_if;
  const result = element('div');
  const links = (ready ?? []).map(({ id, title }) => element('a.name', { href: hrefOf('what-if', id) }, title));

  function outcome({ title, phrases, asked, before, after, speedup }) {
    const rows = [['work', 'amount'], ['span', 'amount'], ['burdened_span', 'amount'], ['parallelism', 'ratio'], ['burdened_parallelism', 'ratio']];
    const keyOf = (name, unit) => (unit === 'amount' ? `${name}_ns` : name);
    const words = asked?.flatMap(([code, factor]) => ['--region', quoted(code), '--parallelise', String(factor)]);
    return [element('h2.name', null, title), element('ul.advised', null, phrases.map((phrase) => element('li.name', null, phrase))), element('div.overview-columns', null,
      element('div', null,
        scrolling('Figures as it is and changed', element('table.comparison', null,
          element('thead', null, element('tr', null, ['', 'As it is', 'Changed'].map((head) => element(head ? 'th.number' : 'td', head ? { scope: 'col' } : null, head)))),
          element('tbody', null, rows.map(([name, unit]) => element('tr', null,
            element('th', { scope: 'row' }, help(name)),
            element('td.number', null, figure(before[keyOf(name, unit)], unit)),
            element('td.number', { 'data-changed': keyOf(name, unit), 'data-value': after[keyOf(name, unit)] }, figure(after[keyOf(name, unit)], unit))))))),
        words && element('div.command-line', null,
          element('code', null, ['workspan', 'whatif', quoted(profile), ...words].join(' '))),
        lock !== null && element('p.remark', { 'data-lock': '' }, lock)),
      element('div', null, whatIfChart(speedup), speedupComparison(speedup)))];
  }

  return {
    content: [
      element('div.panel', null,
        element('h2', null, 'What is advised'),
        isTruncated && element('p.remark', null, 'The record of the task dag ends before the program did: all of this is of what came before.'),
        ready === null && element('p.remark', null, 'The task dag is too large to compute beforehand what findings ask for; ', element('code', null, 'workspan advise'), ' tells what to change.'),
        links.length > 0 && element('p.ready', null, links.map((link, index) => [index > 0 && ' · ', link])),
        element('p.remark', null, 'Code made parallel keeps its work, and its part of the critical path is divided. ', element('code', null, 'workspan whatif'), ' takes other changes: any factor, functions and lines.')),
      links.length > 0 && element('div.panel', null, result),
    ],
    show(what) {
      if (links.length === 0) return;
      const shown = Math.max(0, ready.findIndex(({ id }) => id === what));
      links.forEach((link, index) => {
        if (index === shown) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      });
      result.replaceChildren(...outcome(ready[shown]));
    },
  };
}

/** A word of a command line. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Speedups as the program is and as it would be. */
function whatIfChart(speedup) {
  const each = (when, figure) => speedup.map((on) => on[when][figure]);
  const drawn = chart('Chart of the speedup as it is and changed; the table below has the same figures', 240, (colour) => {
    const value = (plot, entry) => (entry === null || entry === undefined ? '–' : threeDigits(entry));
    const line = (label, name, extra) => ({ label, stroke: colour(name), width: 2, value, points: { show: false }, ...extra });
    const dots = { points: { show: true, size: 6, fill: colour('--panel') } };
    return [{
      scales: { x: { time: false, ...LOGARITHMIC }, y: { ...LOGARITHMIC, range: (plot, least, most) => [firstSpeedup(least), most * 1.1] } },
      cursor: { drag: { x: false, y: false } },
      bands: [
        { series: [1, 2], fill: `color-mix(in srgb, ${colour('--series-rest')} 16%, transparent)` },
        { series: [3, 4], fill: `color-mix(in srgb, ${colour('--series-1')} 14%, transparent)` },
      ],
      axes: speedupAxes(colour, true),
      series: [
        { label: 'Cores', value: (plot, entry) => (entry === null || entry === undefined ? '–' : grouped(entry)) },
        line('Upper, as it is', '--series-rest'),
        line('Lower, as it is', '--series-rest', { dash: [6, 4] }),
        line('Upper, changed', '--series-1'),
        line('Lower, changed', '--series-1', { dash: [6, 4] }),
        line('Predicted, as it is', '--soft', dots),
        line('Predicted, changed', '--series-0', dots),
      ],
    }, [speedup.map(({ cores }) => cores), each('before', 'upper'), each('before', 'lower'), each('after', 'upper'), each('after', 'lower'), each('before', 'predicted'), each('after', 'predicted')]];
  });
  return drawn.box;
}

function speedupComparison(speedup) {
  const heads = ['Cores', 'Bounds as it is', help('predicted'), 'Bounds changed', help('predicted', 'Predicted changed')];
  const bounds = ({ lower, upper }) => `${threeDigits(lower)} … ${threeDigits(upper)}`;
  const predicted = (expected) => figure(expected.predicted, 'speedup');
  return element('details', null, element('summary', null, 'As a table'),
    scrolling('Speedups as it is and changed', element('table', null,
      element('thead', null, element('tr', null, heads.map((head) => element('th.number', { scope: 'col' }, head)))),
      element('tbody', null, speedup.map(({ cores, before, after }) => element('tr', { 'data-cores': cores },
        element('th.number', { scope: 'row' }, grouped(cores)),
        element('td.number', null, bounds(before)),
        element('td.number', null, predicted(before)),
        element('td.number', null, bounds(after)),
        element('td.number', null, predicted(after))))))));
}
