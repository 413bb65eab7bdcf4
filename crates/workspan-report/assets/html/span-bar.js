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

const SPENT_COLOURS = {
  work: 'var(--good)',
  'waits in tasks': 'var(--series-4)',
  'waits in tasks: locks': 'var(--series-0)',
  'other waits in tasks': 'var(--series-rest)',
  'waits in tasks: channels': 'var(--series-4)',
  'waits in tasks: conditions': 'var(--series-3)',
  'waits in tasks: other threads': 'var(--series-6)',
  'waits in tasks: sleep': 'var(--series-5)',
  'waits in tasks: input or output': 'var(--series-2)',
  'waits in tasks: child processes': 'var(--series-rest)',
  'waits for locks': 'var(--series-0)',
  'running without a task': 'var(--series-1)',
  'idle while the span ran': 'var(--line)',
  'the profiler': 'var(--series-7)',
  'not explained': 'var(--critical-fill)',
};

/** `parts`: name, time and share of each. */
function spentBar(parts) {
  const colour = (name) => SPENT_COLOURS[name] ?? 'var(--soft)';
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

/**
 * What ran when, from left to right. `parts`: of each its start and end, and the shares of work and of
 * running without a task.
 */
function spentTimeline(parts) {
  const [work, without] = ['work', 'running without a task'];
  const column = ([start, end, inStrands, outside]) => {
    const [first, second] = [inStrands, inStrands + outside].map((share) => `${share * 100}%`);
    const colours = [
      `${SPENT_COLOURS[work]} ${first}`,
      `${SPENT_COLOURS[without]} ${first} ${second}`,
      `${SPENT_COLOURS['idle while the span ran']} ${second}`,
    ];
    return element('span', {
      title: `from ${duration(start)} to ${duration(end)}: ${percent(inStrands)} ${work}, ${percent(outside)} ${without}`,
      style: { flex: `${end - start} 0 0`, background: `linear-gradient(to top, ${colours.join(', ')})` },
    });
  };
  return element('div', { 'aria-hidden': 'true' },
    element('div.spent-timeline', null, parts.map(column)),
    element('div.spent-ends', null, element('span', null, '0'), element('span', null, duration(parts.at(-1)[1]))));
}
