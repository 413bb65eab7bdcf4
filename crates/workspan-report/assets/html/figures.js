// Figures as people read them: three significant digits and a unit, as in the text report.

function threeDigits(number) {
  if (number < 9.995) return number.toFixed(2);
  if (number < 99.95) return number.toFixed(1);
  if (number < 1e15) return grouped(Math.round(number));
  return number.toExponential(2).replace('+', '');
}

/** `8,518,398` */
function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `602 ns`, `7.50 µs`, `1.06 s` */
function duration(nanos) {
  if (nanos < 1000) return `${Math.round(nanos)} ns`;
  const units = [[1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];
  const [size, unit] = units.find(([size]) => nanos / size < 999.5) ?? units[2];
  return `${threeDigits(nanos / size)} ${unit}`;
}

/** An amount of what was measured: a time, or so many events. */
function amount(measured) {
  return data.metric === null || data.metric.unit === 'ns' ? duration(measured) : shortCount(measured);
}

/** `<0.01%`, `7.82%` */
function percent(share) {
  if (share <= 0) return '0%';
  if (share < 0.00005) return '<0.01%';
  return `${threeDigits(share * 100)}%`;
}

/** A share that may be below 0: `−7.82%` */
function signedPercent(share) {
  return share < 0 ? `−${percent(-share)}` : percent(share);
}

/** `9,999`, `587k`, `8.52M` */
function shortCount(count) {
  if (count < 10000) return grouped(count);
  const units = [[1e3, 'k'], [1e6, 'M'], [1e9, 'G'], [1e12, 'T']];
  const [size, unit] = units.find(([size]) => count / size < 999.5) ?? units[3];
  return `${threeDigits(count / size)}${unit}`;
}

const writers = { amount, time: duration, ratio: threeDigits, count: grouped, share: percent, speedup: threeDigits, samples: threeDigits };

/** A figure of a unit; what is not known is a dash. */
function figure(value, unit) {
  return value === null || value === undefined ? '–' : writers[unit](value);
}

/** From one figure to another; null is without limit. */
function range([least, most], unit) {
  const [from, to] = [least, most].map((end) => (end === null ? '∞' : writers[unit](end)));
  return `${from} … ${to}`;
}

/** The least and the most of a figure, which may be one. */
function extent(ends, unit) {
  const [least, most] = ends.map((end) => figure(end, unit));
  return least === most ? least : `${least} … ${most}`;
}
