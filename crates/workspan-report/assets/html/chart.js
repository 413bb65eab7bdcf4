// Charts, drawn by uPlot, in the colours of the theme and as wide as there is room.

/**
 * A chart of `height` pixels in a box of its own. `make(colour)` gives uPlot's options, without a size, and its data; `colour`
 * looks up a colour of the styles.
 */
function chart(label, height, make) {
  const box = element('div.chart', { role: 'img', 'aria-label': label });
  let plot = null;
  let width = 0;
  const draw = () => {
    plot?.destroy();
    const [options, values] = make(colourValue);
    plot = new uPlot({ ...options, width: Math.max(240, width), height }, values, box);
  };
  new ResizeObserver(() => {
    if (box.clientWidth === width || box.clientWidth === 0) return;
    width = box.clientWidth;
    if (plot === null) draw();
    else plot.setSize({ width, height });
  }).observe(box);
  for (const colours of ['(prefers-color-scheme: dark)', 'print']) matchMedia(colours).addEventListener('change', () => plot && draw());
  return { box, redraw: () => plot && draw() };
}

/** An axis of a chart, with its grid. */
function axis(colour, label, values) {
  return {
    label,
    labelSize: 20,
    labelFont: '12px system-ui, sans-serif',
    font: '11px system-ui, sans-serif',
    size: 40,
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line'), width: 1 },
    values,
  };
}

/** Intervals as bars: `ends` are triples of x, low and high. */
function whiskers(plot, ends, stroke) {
  const { ctx: context, bbox } = plot;
  const half = 6 * devicePixelRatio;
  context.save();
  context.beginPath();
  context.rect(bbox.left - half, bbox.top, bbox.width + 2 * half, bbox.height);
  context.clip();
  context.strokeStyle = stroke;
  context.lineWidth = 1.5 * devicePixelRatio;
  context.beginPath();
  for (const [at, low, high] of ends) {
    const x = plot.valToPos(at, 'x', true);
    const [bottom, top] = [low, high].map((end) => plot.valToPos(end, 'y', true));
    context.moveTo(x, bottom);
    context.lineTo(x, top);
    for (const end of [bottom, top]) {
      context.moveTo(x - half, end);
      context.lineTo(x + half, end);
    }
  }
  context.stroke();
  context.restore();
}
