// The call sites: a table to sort and to filter, and what is known of the one that is chosen.

const MEASURES = [['0', 'top call site'], ['1', 'top caller'], ['2', 'local']];

/** Count, work, span and parallelism of a site; those by top caller are there where they differ from those by top call site. */
function measureOf(site, on, kind) {
  return site[on][kind] ?? site[on][0];
}

function sites() {
  const state = { text: '', measure: '0', on: 'on_work', chosen: null };
  const measure = (site) => measureOf(site, state.on, Number(state.measure));
  const column = (key, head, term, value, unit) => ({
    key, head, term, value, isNumber: true, cell: (site) => figure(value(site), unit),
  });
  const table = sortableTable('Call sites', [
    { key: 'site', head: 'Site', value: (site) => site.place, cell: siteCell },
    { ...column('share', 'Of the span', 'share_of_span', (site) => site.share_of_span), cell: shareCell },
    { ...column('share-of-work', 'Work, with all within', 'share_below', (site) => site.share_of_work), cell: (site) => shareBar(site.share_of_work, 'var(--series-1)') },
    column('count', 'Count', 'count', (site) => measure(site)[0], 'count'),
    column('work', 'Work', 'work', (site) => measure(site)[1], 'amount'),
    column('span', 'Span', 'span', (site) => measure(site)[2], 'amount'),
    column('parallelism', 'Parallelism', 'site_parallelism', (site) => measure(site)[3], 'ratio'),
    column('overhead', 'Overhead', 'tasking_overhead', (site) => site.overhead, 'amount'),
    column('blocked', 'Blocked', 'blocked', (site) => site.blocked, 'time'),
    column('stolen', 'Stolen', 'stolen', (site) => site.stolen, 'count'),
  ], (site) => ({ class: site.id === state.chosen ? 'selected' : null, 'data-site': site.id }));
  const count = element('span.soft', { role: 'status' });
  const details = element('div');

  function refresh(change) {
    const words = state.text.toLowerCase();
    const matches = (site) => [site.place, site.label, site.kind, site.function].some((text) => text?.toLowerCase().includes(words));
    const rows = data.sites.rows.filter(matches);
    count.textContent = `${grouped(rows.length)} of ${grouped(data.sites.rows.length)} sites`;
    table.update({ rows, ...change });
  }

  const set = (key) => (value) => {
    state[key] = value;
    refresh();
  };
  const filter = element('input', { type: 'search', placeholder: 'Filter: place, function, kind', 'aria-label': 'Filter sites', oninput: () => set('text')(filter.value) });
  refresh({ sort: { key: 'share', descending: true } });
  const { left_out: leftOut, left_out_shares: [ofSpan, ofWork], shown_run: run } = data.sites;
  return {
    content: [
      details,
      element('div.panel', null,
        element('div.controls', null,
          filter,
          selection('Executions', MEASURES, state.measure, set('measure')),
          selection('Over', [['on_work', 'all of them (on the work)'], ['on_span', 'those on the critical path (on the span)']], state.on, set('on')),
          count,
          element('span.soft', null, 'What is a ', help('top_call_site', 'top call site'), ', a ', help('top_caller', 'top caller'), ', ', help('local', 'local'), '?')),
        table.box,
        run && element('p.remark', null, `Figures are of run ${grouped(run.shown)} of ${grouped(run.runs)}, the one with the median span; in brackets the least and the most of all. Of the other figures a site's own panel tells them.`),
        leftOut > 0 && element('p.remark', null, `${grouped(leftOut)} smaller sites are left out, none with more than ${percent(ofSpan)} of the span or ${percent(ofWork)} of the work; `, element('code', null, 'workspan report --limit all'), ' lists them.')),
    ],
    show(id) {
      state.chosen = sitesById.has(id) ? id : null;
      details.replaceChildren(...(state.chosen === null ? [] : [siteDetails(sitesById.get(id))]));
      refresh();
    },
  };
}

function siteCell(site) {
  return [
    element('a.name', { href: hrefOf('site', site.id), title: siteWords(site) }, site.label),
    site.place && element('div.name.soft', null, placeLink(site.place)),
    site.function && element('div.name.soft', { title: site.function }, `in ${site.function}`),
  ];
}

/** The share of the span, and how far it varies over several runs. */
function shareCell({ share_of_span: share, spread }) {
  const [least, most] = spread?.share_of_span ?? [share, share];
  return [shareBar(share), least < most && element('div.soft', null, `(${extent([least, most], 'share')})`)];
}
