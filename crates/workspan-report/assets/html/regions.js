// The regions that the program names.

function regions() {
  const column = (key, head, term, unit) => ({
    key, head, term, isNumber: true, value: (region) => region[key], cell: (region) => figure(region[key], unit),
  });
  const table = sortableTable('Regions', [
    { key: 'name', head: 'Region', value: (region) => region.name, cell: regionCell },
    { ...column('share_of_span', 'Of the span, with all within', 'share_below'), cell: (region) => shareBar(region.share_of_span) },
    column('count', 'Count', 'count', 'count'),
    column('work', 'Work', 'work', 'amount'),
    column('span', 'Span', 'span', 'amount'),
    column('burdened_span', 'Burdened span', 'burdened_span', 'amount'),
    {
      ...column('parallelism', 'Parallelism', 'parallelism', 'ratio'),
      cell: (region) => [figure(region.parallelism, 'ratio'), region.parallelism_range && element('span.soft', null, ` (${range(region.parallelism_range, 'ratio')})`)],
    },
    column('burdened_parallelism', 'Burdened', 'burdened_parallelism', 'ratio'),
    column('spawns', 'Tasks', 'spawns', 'count'),
    column('overhead', 'Overhead', 'tasking_overhead', 'amount'),
    column('blocked', 'Blocked', 'blocked', 'time'),
  ], () => null);
  table.update({ rows: data.regions, sort: { key: 'share_of_span', descending: true } });
  return [element('div.panel', null, table.box)];
}

function regionCell({ name, place, function: around }) {
  return [
    element('strong.name', null, name),
    place && element('div.name.soft.code', null, placeLink(place)),
    around && element('div.name.soft', null, `in ${around}`),
  ];
}
