// The first screen: three answers, the critical path, the figures, the speedup to expect, the findings.

function overview() {
  const { answers, headlines, speedup, span, span_rest: spanRest, spent, findings, notes } = data.overview;
  const total = headlines.find((headline) => headline.key === 'span');
  return [
    element('div.answers', null, answers.map(answer)),
    element('div.panel', null,
      element('h2', null, help('critical_path'), `: ${amount(total.value)} that no number of cores shortens, by whose code it is`),
      spanBar(span, spanRest)),
    spent && element('div.panel', null,
      element('h2', null, `Where the threads’ time went: ${spent.run}`),
      spentBar(spent.parts),
      spent.timeline && spentTimeline(spent.timeline),
      spent.meanwhile && element('p.remark', null, spent.meanwhile),
      spent.efficiency && element('p.remark', null, spent.efficiency)),
    element('div.overview-columns', null,
      panel(null, element('dl.headlines', null, headlines.map(headlineEntry))),
      speedup ? element('div.panel', null, speedupChart(speedup, data.workers?.measured)) : panel('Speedup to expect', 'Not known from this run: the first answer says why.')),
    findings.length > 0 && panel('Findings', element('ol.findings', null, findings.map(finding))),
    notes.length > 0 && panel('Notes', element('ul.findings', null, notes.map((note) =>
      element('li', null, element('span.tag', { 'aria-hidden': 'true' }, '!'), element('p.name', null, note))))),
    panel('Measurement', element('dl.facts', null, data.program.facts.map(({ name, text }) =>
      [element('dt', null, name), element('dd.name', null, text)]))),
  ];
}

function answer({ question, short, text, tone, site, what_if: whatIfId }) {
  return element(`div.panel.answer.${tone}`, null,
    element('h2', null, question),
    element('p.short.name', null, site === null ? short : siteLink(site, short)),
    element('p.text.name', { title: text }, text),
    whatIfLink(whatIfId));
}

/** A link to what a change that is advised would give; null is none. */
function whatIfLink(id) {
  return id !== null && element('p.to-what-if', null, element('a', { href: hrefOf('what-if', id) }, 'See what that would give'));
}

function headlineEntry({ key, value, unit, range: ends, why }) {
  return element('div', null,
    element('dt', null, help(key)),
    element('dd', null,
      element('span', { 'data-figure': key }, figure(value, unit)),
      ends && element('span.range', { title: why }, range(ends, unit))));
}

function finding({ number, text, evidence, advice, gain, site, place, what_if: whatIfId }) {
  return element('li', null,
    element('span.tag', null, number),
    element('div', null,
      element('p.what.name', null, siteLink(site, text)),
      element('p.soft.name', null, evidence),
      place !== '' && element('p.name', null, 'Code: ', placeLink(place)),
      advice && element('p', null, element('strong', null, 'Try: '), advice),
      element('p', null, gain),
      whatIfLink(whatIfId),
      element('details', null, element('summary', null, `What ${number} means, with an example`), element('pre.explanation.code', null, data.overview.explanations[number]))));
}
