// The critical path as one bar of the sites whose own code it is, and the threads' time as one of
// what it went to.

function spanBar(parts, others) {
  const words = (part) => `${percent(part.share)}, ${amount(part.nanos)}: ${siteWords(part)}`;
  const segment = (part) => element('a', {
    href: hrefOf('site', part.site),
    title: words(part),
    'aria-label': words(part),
    style: { flex: `${part.share} 0 0`, background: colourOf(part.site) },
  });
  const rest = others !== null && element('span', {
    title: `${percent(others.share)}, ${amount(others.nanos)}: ${grouped(others.sites)} other sites`,
    style: { flex: `${others.share} 0 0` },
  });
  const entry = (part) => element('li', null,
    element('span.swatch', { style: { background: colourOf(part.site) } }),
    element('strong', null, percent(part.share)),
    element('a.name', { href: hrefOf('site', part.site), title: words(part) }, siteWords(part)));
  const LISTED = 6;
  return [
    element('div.span-bar', null, parts.map(segment), rest),
    element('ul.span-legend', null, parts.slice(0, LISTED).map(entry)),
  ];
}

/** `parts`: name, time and share of each. */
function spentBar(parts) {
  const colours = {
    work: 'var(--good)',
    'waits in tasks': 'var(--series-4)',
    'waits for locks': 'var(--series-0)',
    'running without a task': 'var(--series-2)',
    'idle while the span ran': 'var(--line)',
    'the profiler': 'var(--series-7)',
    'not explained': 'var(--critical-fill)',
  };
  const colour = (name) => colours[name] ?? 'var(--soft)';
  const words = ([name, time, share]) => `${percent(share)}, ${amount(time)}: ${name}`;
  const segment = (part) => element('span', { title: words(part), style: { flex: `${part[2]} 0 0`, background: colour(part[0]) } });
  const entry = (part) => element('li', { title: words(part) },
    element('span.swatch', { style: { background: colour(part[0]) } }),
    element('strong', null, percent(part[2])),
    element('span', null, part[0]));
  return [
    element('div.span-bar', { 'aria-hidden': 'true' }, parts.map(segment)),
    element('ul.span-legend', null, parts.map(entry)),
  ];
}
