// What changes would give. Every answer was computed by the model when the page was made; here one is looked up.

/** So many pieces can be changed at once. */
const MOST_CHANGED = 2;

function whatIf() {
  const { cores, pieces, options, before, after, basis, lock, profile, is_truncated: isTruncated } = data.what_if;
  const ready = data.what_if.ready ?? [];
  const keyOf = (chosen) => chosen.map(([piece, option]) => `${piece}:${option}`).join();
  const scenarios = new Map([before, ...after].map((scenario) => [keyOf(scenario.chosen), scenario]));
  const chosen = new Map();
  let advised = null;
  const result = element('div');
  const lists = pieces.map((piece, index) => pieceOptions(index));
  const links = ready.map(({ id, title }) => element('a.name', { href: hrefOf('what-if', id) }, title));

  function pieceOptions(index) {
    const named = options.map(({ change, factor }, option) => [String(option), change === 'parallelise' ? `parallel, ${factor} ways` : `${factor} times as fast`]);
    return element('select', {
      'aria-label': `What becomes of ${pieces[index].words}`,
      'data-piece': index,
      onchange: (event) => {
        if (event.target.value === '') chosen.delete(index);
        else chosen.set(index, Number(event.target.value));
        advised = null;
        update();
        history.replaceState(null, '', chosen.size > 0 ? hrefOf('what-if', keyOf(changes())) : hrefOf('what-if'));
      },
    }, element('option', { value: '' }, 'as it is'), named.map(([value, text]) => element('option', { value }, text)));
  }

  /** What is chosen, in the order of the pieces. */
  function changes() {
    return [...chosen].sort(([one], [other]) => one - other);
  }

  function update() {
    lists.forEach((list, index) => {
      list.value = chosen.get(index) ?? '';
      list.disabled = !chosen.has(index) && chosen.size >= MOST_CHANGED;
    });
    links.forEach((link, index) => {
      if (ready[index] === advised) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
    if (advised !== null) {
      const asked = advised.asked?.map(([words, factor]) => [words, 'parallelise', factor]);
      result.replaceChildren(...outcome(advised.scenario, asked));
      result.prepend(element('p.name', null, element('strong', null, advised.title), ':'), element('ul.advised', null, advised.phrases.map((phrase) => element('li.name', null, phrase))));
    } else {
      const asked = changes().map(([piece, option]) => [pieces[piece].words, options[option].change, options[option].factor]);
      result.replaceChildren(...outcome(scenarios.get(keyOf(changes())), asked));
    }
  }

  function outcome(scenario, asked) {
    const rows = [['work', 'amount'], ['span', 'amount'], ['burdened_span', 'amount'], ['parallelism', 'ratio'], ['burdened_parallelism', 'ratio']];
    const words = asked?.flatMap(([code, change, factor]) => ['--region', quoted(code), `--${change}`, String(factor)]);
    return [element('div.overview-columns', null,
      element('div', null,
        scrolling('Figures as it is and changed', element('table.comparison', null,
          element('thead', null, element('tr', null, ['', 'As it is', 'Changed'].map((head) => element(head ? 'th.number' : 'td', head ? { scope: 'col' } : null, head)))),
          element('tbody', null, rows.map(([key, unit]) => element('tr', null,
            element('th', { scope: 'row' }, help(key)),
            element('td.number', null, figure(before[key], unit)),
            element('td.number', { 'data-changed': key, 'data-value': scenario[key] }, figure(scenario[key], unit))))))),
        words?.length > 0 && element('div.command-line', null,
          element('code', null, ['workspan', 'whatif', quoted(profile), ...words].join(' '))),
        lock !== null && element('p.remark', { 'data-lock': '' }, lock),
        basisRemark(basis)),
      element('div', null, whatIfChart(cores, before, scenario), speedupComparison(cores, before, scenario)))];
  }

  const table = scrolling('Code to change', element('table', null,
    element('thead', null, element('tr', null,
      element('th', { scope: 'col' }, 'Code on the critical path'),
      element('th.number', { scope: 'col' }, help('share_of_span', 'Of the span')),
      element('th.number', { scope: 'col' }, help('strands', 'Strands')),
      element('th.number', { scope: 'col' }, help('longest_strand', 'Longest')),
      element('th', { scope: 'col' }, 'What if it were …'))),
    element('tbody', null, pieces.map((piece, index) => element('tr', null,
      element('td.piece-cell', null,
        element('div.name', null, piece.phrase),
        element('div.name.code.soft', null, piece.file === null ? piece.words : placeLink(`${piece.file}:${piece.line}`, piece.words))),
      element('td.number', null, shareBar(piece.share)),
      element('td.number', null, shortCount(piece.strands)),
      element('td.number', null, amount(piece.longest)),
      element('td', null, lists[index]))))));
  update();
  return {
    content: [
      element('div.panel', null,
        element('h2', null, 'Choose what to change'),
        isTruncated && element('p.remark', null, 'The record of the task dag ends before the program did: all of this is of what came before.'),
        pieces.length > 0 ? table : element('p.remark', null, 'No piece of code by itself is a part of the critical path worth a choice.'),
        data.what_if.ready === null && element('p.remark', null, 'The task dag is too large to compute beforehand what findings ask for; ', element('code', null, 'workspan advise'), ' tells what to change.'),
        ready.length > 0 && element('p.ready', null, 'Or look at: ', links.map((link, index) => [index > 0 && ' · ', link])),
        element('p.remark', null, `Code made parallel keeps its work, and its part of the critical path is divided; code made faster has less work, too. The page knows up to ${MOST_CHANGED} changes at once; `, element('code', null, 'workspan whatif'), ' takes any number, any factor, functions and lines.')),
      element('div.panel', null, element('h2', null, 'What that gives'), result),
    ],
    show(what) {
      if (what === undefined) return;
      advised = ready.find(({ id }) => id === what) ?? null;
      chosen.clear();
      for (const [piece, option] of scenarios.get(what)?.chosen ?? []) chosen.set(piece, option);
      update();
    },
  };
}

/** What the figures were computed on, where that is not all that `workspan whatif` goes by. */
function basisRemark({ vertices, is_folded: isFolded, seeds: [seeds, seedsOfTwo] }) {
  const runs = (count) => (count === 1 ? 'one simulated run each' : `the median of ${count} simulated runs`);
  return element('p.remark', null,
    isFolded && `Figures and bounds of changes are of the task dag folded to ${grouped(vertices)} vertices. `,
    seeds > 0 && `Predictions are ${runs(seeds)}. `,
    seeds === 0 && 'The task dag is too large to predict every change here, so for choices there are bounds only. ',
    seeds > 0 && seedsOfTwo === 0 && 'For two changes at once there are bounds only. ',
    seedsOfTwo < 5 && [element('code', null, 'workspan whatif'), ' runs each several times.']);
}

/** A word of a command line. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Speedups as the program is and as it would be. */
function whatIfChart(cores, before, after) {
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
    }, [cores, before.upper, before.lower, after.upper, after.lower, before.predicted, after.predicted]];
  });
  return drawn.box;
}

function speedupComparison(cores, before, after) {
  const heads = ['Cores', 'Bounds as it is', help('predicted'), 'Bounds changed', help('predicted', 'Predicted changed')];
  const bounds = (scenario, at) => `${threeDigits(scenario.lower[at])} … ${threeDigits(scenario.upper[at])}`;
  const predicted = (scenario, at) => figure(scenario.predicted[at], 'speedup');
  return element('details', null, element('summary', null, 'As a table'),
    scrolling('Speedups as it is and changed', element('table', null,
      element('thead', null, element('tr', null, heads.map((head) => element('th.number', { scope: 'col' }, head)))),
      element('tbody', null, cores.map((count, at) => element('tr', { 'data-cores': count },
        element('th.number', { scope: 'row' }, grouped(count)),
        element('td.number', null, bounds(before, at)),
        element('td.number', null, predicted(before, at)),
        element('td.number', null, bounds(after, at)),
        element('td.number', null, predicted(after, at))))))));
}
