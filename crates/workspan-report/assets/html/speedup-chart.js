// The speedup on numbers of cores: bounds, prediction and measurement.

/** Values of `rows`, which begin with their number of cores, at each of `cores`. */
function atCores(cores, rows, column) {
  const known = new Map(rows.map((row) => [row[0], row[column]]));
  return cores.map((count) => known.get(count) ?? null);
}

/** The numbers of cores that tables have rows for, and axes ticks. */
const SHOWN_CORES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096];

/** The ticks of axes of speedups, which may be below 1. */
const SPEEDUP_TICKS = Array.from({ length: 16 }, (nothing, at) => 2 ** (at - 3));

/** Those of `ticks` that lie on an axis. */
function ticksWithin(ticks) {
  return (plot, index, least, most) => ticks.filter((tick) => tick >= least * 0.999 && tick <= most * 1.001);
}

/** What ticks of speedups are called; those between whole numbers and powers of two have no name. */
function speedupWords(plot, splits) {
  return splits.map((split) => (Number.isInteger(split) || SPEEDUP_TICKS.includes(split) ? grouped(split) : ''));
}

/** What ticks of cores are called: whole numbers. */
function coresWords(plot, splits) {
  return splits.map((split) => (Number.isInteger(split) ? grouped(split) : ''));
}

/** A scale in powers of two. */
const LOGARITHMIC = { distr: 3, log: 2 };

/** The axes of a chart of speedups over numbers of cores. */
function speedupAxes(colour, isLogarithmic) {
  const axisOf = (label, words, ticks) => ({
    ...axis(colour, label, words),
    ...(isLogarithmic && { splits: ticksWithin(ticks), filter: (plot, splits) => splits }),
  });
  return [axisOf('cores', coresWords, SHOWN_CORES), axisOf('speedup', speedupWords, SPEEDUP_TICKS)];
}

/** Where a logarithmic axis of speedups begins: at 1, or at the power of two below the `least` of them. */
function firstSpeedup(least) {
  return Math.min(1, 2 ** Math.floor(Math.log2(least)));
}

/** The chart of a `speedup` as the overview has it, with its choice of scales and the same as a table. */
function speedupChart(speedup, measured = []) {
  const cores = [...new Set([...speedup.bounds, ...speedup.predicted, ...measured].map((row) => row[0]))].sort((a, b) => a - b);
  const column = (rows, index) => atCores(cores, rows, index);
  const values = [cores, column(speedup.bounds, 2), column(speedup.bounds, 1), column(speedup.predicted, 1), column(measured, 1)];
  let scale = 'log';
  const drawn = chart('Chart of the speedup over the number of cores; the table below has the same figures', 270, (colour) => {
    const value = (plot, figureAt) => (figureAt === null || figureAt === undefined ? '–' : threeDigits(figureAt));
    const line = (label, name, extra) => ({
      label, stroke: colour(name), width: 2, spanGaps: true, value, points: { show: false }, ...extra,
    });
    const series = [
      { label: 'Cores', value: (plot, count) => (count === null || count === undefined ? '–' : grouped(count)) },
      line('Upper bound', '--series-1'),
      line('Lower bound', '--series-2', { dash: [6, 4] }),
      line('Predicted', '--series-0', { points: { show: true, size: 6, fill: colour('--panel') } }),
      line('Measured', '--text', { width: 0, points: { show: true, size: 8, fill: colour('--text') } }),
    ];
    const kept = series.map((entry, index) => index < 3 || values[index].some((figureAt) => figureAt !== null));
    const logarithmic = scale === 'log' ? LOGARITHMIC : {};
    return [{
      scales: { x: { time: false, ...logarithmic }, y: { ...logarithmic, range: (plot, least, most) => [scale === 'log' ? firstSpeedup(least) : 0, most * 1.05] } },
      cursor: { drag: { x: false, y: false }, points: { size: 7 } },
      bands: [{ series: [1, 2], fill: `color-mix(in srgb, ${colour('--series-1')} 9%, transparent)` }],
      axes: speedupAxes(colour, scale === 'log'),
      series: series.filter((entry, index) => kept[index]),
      hooks: { draw: [(plot) => whiskers(plot, measured.map(([threads, , low, high]) => [threads, low, high]), colour('--text'))] },
    }, values.filter((entry, index) => kept[index])];
  });
  const scales = choice('scale', 'Scales', [['log', 'log'], ['linear', 'linear']], scale, (chosen) => {
    scale = chosen;
    drawn.redraw();
  });
  return [
    element('div.chart-head', null, element('h2', null, 'Speedup to expect'), scales),
    drawn.box,
    element('details', null, element('summary', null, 'As a table, with definitions'), speedupTable(speedup, measured), speedup.prediction && element('p.remark', null, speedup.prediction)),
  ];
}

function speedupTable(speedup, measured) {
  const shown = (count) => SHOWN_CORES.includes(count) || count === speedup.assumed_cores;
  const counts = [...new Set([...speedup.bounds, ...measured].map((row) => row[0]))].sort((a, b) => a - b)
    .filter((count) => shown(count) || measured.some(([threads]) => threads === count));
  const figures = (rows, index) => atCores(counts, rows, index);
  const columns = [
    ['lower', figures(speedup.bounds, 1)],
    ['predicted', figures(speedup.predicted, 1)],
    ['measured', figures(measured, 1)],
    ['upper', figures(speedup.bounds, 2)],
  ].filter(([, column]) => column.some((entry) => entry !== null));
  const intervals = { measured, predicted: speedup.predicted.map(([count, , least, most]) => [count, null, least, most]) };
  const intervalOf = (key, count) => {
    const [, , least, most] = intervals[key]?.find((row) => row[0] === count) ?? [];
    return least < most && element('span.soft', null, ` (${range([least, most], 'speedup')})`);
  };
  return scrolling('Speedups', element('table', null,
    element('thead', null, element('tr', null, element('th.number', { scope: 'col' }, 'Cores'),
      columns.map(([key]) => element('th.number', { scope: 'col' }, help(key))))),
    element('tbody', null, counts.map((count, at) => element('tr', null,
      element('th.number', { scope: 'row' }, grouped(count) + (count === speedup.assumed_cores ? ' (assumed)' : '')),
      columns.map(([key, column]) => element('td.number', { 'data-speedup': key }, figure(column[at], 'speedup'), intervalOf(key, count))))))));
}
