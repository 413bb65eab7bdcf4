// All that is known of one site.

function siteDetails(site) {
  const measures = (on) => [0, 1, 2].map((kind) => [kind, ...measureOf(site, on, kind)]).map(([kind, count, work, span, parallelism]) => element('tr', null,
    element('th', { scope: 'row' }, help(on), ', ', help(['top_call_site', 'top_caller', 'local'][kind])),
    [[count, 'count'], [work, 'amount'], [span, 'amount'], [parallelism, 'ratio']].map(([value, unit]) => element('td.number', null, figure(value, unit)))));
  const facts = [
    ['Function around it', site.function],
    ['Called there', site.detail],
    ['Note', site.note],
    ['Own code', `${percent(site.share_of_span)} of the span`],
    ['With all within', `${percent(site.share_of_work)} of the work`],
    ['Tasks', `${grouped(site.spawns)} created, ${grouped(site.stolen)} stolen, ${amount(site.overhead)} overhead`],
    ['Blocked', site.blocked > 0 ? duration(site.blocked) : null],
  ].filter(([, text]) => text);
  const inFlame = data.flame.frames.some((frame) => frame.site === site.id);
  return element('div.panel', { 'data-details': site.id },
    element('h2.name', null, site.label, site.place && [', ', placeLink(site.place)]),
    element('div.details-columns', null,
      element('div', null,
        element('dl.facts', null, facts.map(([name, text]) => [element('dt', null, name), element('dd.name', null, text)])),
        inFlame && element('p', null, element('a', { href: hrefOf('flame', site.id) }, 'In the flame graph'))),
      scrolling('Measures', element('table', null,
        element('thead', null, element('tr', null, element('th', { scope: 'col' }, 'Executions'),
          [['count', 'Count'], ['work', 'Work'], ['span', 'Span'], ['site_parallelism', 'Parallelism']].map(([key, text]) => element('th.number', { scope: 'col' }, help(key, text))))),
        element('tbody', null, measures('on_work'), measures('on_span')))),
      site.spread && siteSpread(site.spread),
      site.path && element('div', null,
        element('h3', null, 'What its span is made up of'),
        element('ul', null, site.path.map(([id, nanos, share]) => element('li', null, shareBar(share, colourOf(id)), ` ${amount(nanos)} `, siteLink(id, siteWords(sitesById.get(id)))))),
        site.path_left_out && element('p.soft', null, `and ${grouped(site.path_left_out)} more`))));
}

/** How far the figures of a site vary over several runs. */
function siteSpread({ runs, ...spread }) {
  const rows = [['count', 'count'], ['work', 'amount'], ['span', 'amount'], ['share_of_span', 'share'], ['stolen', 'count']];
  const { runs: all } = data.sites.shown_run;
  return element('div', { 'data-spread': '' },
    element('h3', null, `Least … most of ${grouped(all)} runs`),
    element('dl.facts', null, rows.map(([key, unit]) => [element('dt', null, help(key)), element('dd', null, extent(spread[key], unit))])),
    runs < all && element('p.soft', null, `It was reached in ${grouped(runs)} of them; the figures are of those.`));
}
