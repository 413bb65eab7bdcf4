// What a sweep over numbers of threads has measured.

const CURVES = {
  linear: ['Linear', '--soft', [2, 4]],
  elision: ['Without tasks (elision)', '--series-7'],
  maximal: ['Without idle time and inflation (maximal)', '--series-1'],
  'idle-time-specific': ['Without inflation (idle-time-specific)', '--series-2'],
  'inflation-specific': ['Without idle time (inflation-specific)', '--series-4'],
  actual: ['Actual', '--series-0'],
};

function workers() {
  const { program, measured_at: measuredAt, factored, timeline, remarks } = data.workers;
  return [
    timeline && element('div.panel', null,
      element('h2', null, `Workers of a run on ${grouped(timeline.threads)} threads, ${duration(timeline.elapsed)}`),
      element('div.controls', null,
        ['busy', 'scheduling', 'idle'].map((state) => element('span.key', null, element(`span.swatch.${state}`), help(state)))),
      element('div.timeline', null,
        ['', 'busy over time, idle the lighter', 'the whole run'].map((head) => element('span.head-of', null, head)),
        timeline.workers.map(workerRow),
        element('span'), element('span.ends', null, element('span', null, '0'), element('span', null, duration(timeline.elapsed))), element('span')),
      element('p.remark', null, 'When a worker was in the scheduler is not kept, only for how long: over time, that counts as busy.')),
    factored && element('div.panel', null,
      element('h2', null, help('factored', 'Factored speedups'), ': what the speedup is lost to'),
      factored.words.map((words) => element('p', null, words)),
      factoredChart(factored),
      gapTable(factored),
      element('details', null, element('summary', null, 'The curves as a table'), curveTable(factored))),
    panel('About this measurement',
      element('p.name', null, `Measured on ${program}, ${new Date(measuredAt * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}, apart from the profiled run.`),
      remarks.map((remark) => element('p.remark.name', null, remark))),
  ];
}

function workerRow(worker, index) {
  const { work, scheduling, idle, idle_shares: idleShares } = worker;
  const words = `${signedPercent(work)} busy, ${signedPercent(scheduling)} scheduling, ${signedPercent(idle)} idle`;
  const colour = (share) => `color-mix(in srgb, var(--raised) ${Math.round(share * 100)}%, var(--series-1))`;
  const stops = idleShares.map((share, at) => `${colour(share)} ${(at / idleShares.length) * 100}% ${((at + 1) / idleShares.length) * 100}%`);
  return [
    element('span', null, `worker ${index}`),
    stops.length > 0
      ? element('span.strip', { role: 'img', 'aria-label': `worker ${index} over time: ${words}`, title: words, style: { background: `linear-gradient(to right, ${stops.join(', ')})` } })
      : element('span.soft', null, 'not kept'),
    element('span.shares', null,
      element('span.shares-bar', { 'aria-hidden': 'true' }, [['busy', work], ['scheduling', scheduling], ['idle', idle]].map(([state, share]) => element(`span.${state}`, { style: { flex: `${share} 0 0` } }))),
      element('span', null, words)),
  ];
}

function factoredChart({ threads, curves }) {
  return chart('Chart of factored speedups over the number of threads; the table below has the same figures', 280, (colour) => {
    const value = (plot, entry) => (entry === null || entry === undefined ? '–' : threeDigits(entry));
    const whole = (plot, splits) => splits.map((split) => (Number.isInteger(split) ? grouped(split) : ''));
    return [{
      scales: { x: { time: false }, y: { range: (plot, least, most) => [0, most * 1.05] } },
      cursor: { drag: { x: false, y: false } },
      axes: [axis(colour, 'threads', whole), axis(colour, 'speedup')],
      series: [
        { label: 'Threads', value: (plot, entry) => (entry === null || entry === undefined ? '–' : grouped(entry)) },
        ...curves.map(([name]) => {
          const [label, hue, dash] = CURVES[name];
          return { label, stroke: colour(hue), width: 2, dash, value, spanGaps: true, points: { show: true, size: 5 } };
        }),
      ],
      hooks: { draw: [(plot) => curves.forEach(([name, speedups]) => {
        const ends = speedups.flatMap((estimate, at) => (estimate !== null && estimate[1] < estimate[2] ? [[threads[at], estimate[1], estimate[2]]] : []));
        whiskers(plot, ends, colour(CURVES[name][1]));
      })] },
    }, [threads, ...curves.map(([, speedups]) => speedups.map((estimate) => estimate?.[0] ?? null))]];
  }).box;
}

function gapTable({ gaps }) {
  const time = (nanos) => (nanos < 0 ? `−${duration(-nanos)}` : duration(nanos));
  return scrolling('Gaps', element('table', null,
    element('thead', null, element('tr', null, ['Lost to', 'On', help('gap', 'Time of all cores'), '95% interval', help('gap_share', 'Share')].map((head, at) => element(at === 0 ? 'th' : 'th.number', { scope: 'col' }, head)))),
    element('tbody', null, gaps.map(({ lost_to: lostTo, threads, time: [value, low, high], share, is_significant: isSignificant }) => element('tr', null,
      element('th', { scope: 'row' }, lostTo, !isSignificant && element('span.soft', null, ' (not certain)')),
      element('td.number', null, `${grouped(threads)} threads`),
      element('td.number', null, time(value)),
      element('td.number', null, `${time(low)} … ${time(high)}`),
      element('td.number', null, signedPercent(share)))))));
}

function curveTable({ threads, curves }) {
  const cell = (estimate) => (estimate === null ? '–' : [threeDigits(estimate[0]), estimate[1] < estimate[2] && element('span.soft', null, ` ${range(estimate.slice(1), 'ratio')}`)]);
  return scrolling('Factored speedups', element('table', null,
    element('thead', null, element('tr', null, element('th.number', { scope: 'col' }, 'Threads'), curves.map(([name]) => element('th.number', { scope: 'col', title: CURVES[name][0] }, name)))),
    element('tbody', null, threads.map((count, at) => element('tr', null,
      element('th.number', { scope: 'row' }, grouped(count)),
      curves.map(([, speedups]) => element('td.number', null, cell(speedups[at]))))))));
}
