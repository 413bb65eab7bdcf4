// The program's locks, and how far they let it scale.

function locks() {
  const column = (key, head, term, unit) => ({
    key, head, term, isNumber: true, value: (lock) => lock[key], cell: (lock) => figure(lock[key], unit),
  });
  const table = sortableTable('Locks', [
    { key: 'place', head: 'Acquired at', value: (lock) => lock.places[0][0], cell: lockPlaces },
    column('acquisitions', 'Acquired', 'acquisitions', 'count'),
    column('held', 'Held', 'held', 'amount'),
    { ...column('work_share', 'Of the work', 'held'), cell: (lock) => shareBar(lock.work_share) },
    column('most_speedup', 'Most speedup', 'most_speedup', 'speedup'),
    column('waits', 'Waits', 'lock_waits', 'count'),
    column('waited', 'Waited', 'lock_waits', 'time'),
  ], () => null);
  table.update({ rows: data.locks, sort: { key: 'held', descending: true } });
  return [element('div.panel', null,
    table.box,
    element('p.remark', null, 'What is done under one lock is done by one thread after the other: no number of cores gives more speedup. Threads waited so long in this run.'))];
}

/** Where a lock is acquired; of several places each with its time. */
function lockPlaces({ places, places_hidden: hidden }) {
  return [
    places.map(([id, held]) => element('div.name', null,
      siteLink(id, siteWords(sitesById.get(id))),
      places.length > 1 && element('span.soft', null, ` ${amount(held)}`))),
    hidden > 0 && element('div.soft', null, `and ${grouped(hidden)} more`),
  ];
}
