// The folded task dag, each vertex where it would run were there enough cores: from left to right as they depend on one another.

const LANE = 24;
const BOX = 18;
const AXIS = 22;

/** As `element`, of SVG. */
function drawing(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.');
  const created = document.createElementNS('http://www.w3.org/2000/svg', tag);
  if (classes.length > 0) created.setAttribute('class', classes.join(' '));
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children);
  return created;
}

/** The longest vertex of the critical path. */
function longest(vertices) {
  const critical = vertices.map((vertex, index) => index).filter((index) => vertices[index].critical);
  return critical.reduce((most, index) => (vertices[index].span > vertices[most].span ? index : most), critical[0]);
}

/** Code as words tell it, without the folders that it is in. */
function shortCode(words) {
  return words.split('..').map(baseOfBoundary).join('..');
}

function baseOfBoundary(words) {
  return words.replace(/^.*\/(?=[^/]*\.\w+:)/, '');
}

function dagView() {
  const dag = data.dag;
  const state = { zoom: 1, chosen: longest(dag.drawn) };
  const box = element('div.dag', { tabindex: '0', role: 'application', 'aria-label': 'Task dag: arrow keys choose a vertex, plus and minus zoom', onkeydown: press, onwheel: wheel });
  const facts = element('div.frame-facts', { 'aria-live': 'polite' });
  const order = dag.drawn.map((vertex, index) => index).filter((index) => dag.drawn[index].span > 0)
    .sort((one, other) => dag.drawn[one].start - dag.drawn[other].start || dag.drawn[one].lane - dag.drawn[other].lane);

  function draw() {
    const width = Math.max(300, box.clientWidth - 2) * state.zoom;
    const x = (nanos) => 4 + (nanos / Math.max(1, dag.span)) * (width - 8);
    const y = (lane) => AXIS + lane * LANE + (LANE - BOX) / 2;
    const middle = (lane) => AXIS + lane * LANE + LANE / 2;
    const height = AXIS + dag.lanes * LANE + 4;
    const TICKS = Math.max(2, Math.round(width / 160));
    const ticks = Array.from({ length: TICKS + 1 }, (nothing, at) => (dag.span * at) / TICKS);
    const edge = ([from, to]) => {
      const [source, target] = [dag.drawn[from], dag.drawn[to]];
      const kind = source.critical && target.critical ? '.critical' : from === state.chosen || to === state.chosen ? '.chosen' : '';
      const [x1, x2] = [x(source.start + source.span), x(target.start)];
      const bend = Math.min(14, Math.max(4, (x2 - x1) / 2));
      return drawing(`path.edge${kind}`, { d: `M${x1},${middle(source.lane)} C${x1 + bend},${middle(source.lane)} ${x2 - bend},${middle(target.lane)} ${x2},${middle(target.lane)}` });
    };
    const vertex = (index) => {
      const { start, span, lane, critical, parallelism, tasks, code: codeIndex } = dag.drawn[index];
      const wide = Math.max(1.5, x(start + span) - x(start));
      const classes = ['vertex', critical && 'critical', parallelism !== null && 'holds', index === state.chosen && 'chosen'].filter(Boolean);
      const text = tasks > 0 ? `${shortCount(tasks)} tasks` : `${amount(span)} ${shortCode(dag.codes[codeIndex])}`;
      const fits = Math.floor((wide - 8) / 6.3);
      const shape = drawing(`g.${classes.join('.')}`, { 'data-vertex': index },
        drawing('rect', { x: x(start), y: y(lane), width: wide, height: BOX, rx: Math.min(3, wide / 2) }));
      if (fits >= 6) shape.append(drawing('text', { x: x(start) + 5, y: y(lane) + 13 }, text.length > fits ? `${text.slice(0, fits - 1)}…` : text));
      shape.addEventListener('click', () => choose(index));
      return shape;
    };
    box.replaceChildren(drawing('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
      ...ticks.map((nanos) => drawing('path.tick', { d: `M${x(nanos)},${AXIS}V${height}` })),
      ...ticks.map((nanos, at) => drawing('text.tick-label', { x: x(nanos), y: 14, 'text-anchor': at === 0 ? 'start' : at === TICKS ? 'end' : 'middle' }, amount(nanos))),
      ...dag.drawn_edges.map(edge),
      ...order.map(vertex)));
  }

  function choose(index) {
    state.chosen = index;
    draw();
    tell();
  }

  function tell() {
    const { kind, code: codeIndex, start, span, work, tasks, parallelism, critical } = dag.drawn[state.chosen];
    const [words, place] = [dag.codes[codeIndex], dag.code_places[codeIndex]];
    facts.replaceChildren(
      element('p.name', null, element('strong', null, kind), critical ? ' on the critical path: ' : ': ', place ? placeLink(place, words) : element('span.code', null, words)),
      element('p.soft', null, [
        `work ${amount(work)}`,
        `span ${amount(span)}`,
        parallelism !== null && `parallelism ${threeDigits(parallelism)} within`,
        tasks > 0 && `${grouped(tasks)} tasks folded into it`,
        `could begin at ${amount(start)}`,
      ].filter(Boolean).join(', ')));
  }

  function zoom(factor) {
    const { drawn: vertices, span } = dag;
    const before = state.zoom;
    state.zoom = Math.min(200, Math.max(1, state.zoom * factor));
    const at = (vertices[state.chosen].start / Math.max(1, span)) * box.clientWidth;
    const inView = Math.min(box.clientWidth, Math.max(0, at * before - box.scrollLeft));
    draw();
    box.scrollLeft = at * state.zoom - inView;
  }

  function press(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === '+' || event.key === '=') zoom(1.5);
    else if (event.key === '-') zoom(1 / 1.5);
    else if (step !== undefined) choose(order[Math.min(order.length - 1, Math.max(0, order.indexOf(state.chosen) + step))]);
    else return;
    event.preventDefault();
  }

  function wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2);
  }

  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width || box.clientWidth === 0) return;
    width = box.clientWidth;
    draw();
  }).observe(box);
  tell();
  const key = (text, style) => element('span.key', null, element('span.swatch', { style }), text);
  return {
    content: [element('div.panel', null,
      element('div.controls', null,
        element('button', { type: 'button', onclick: () => zoom(1.5) }, 'Zoom in'),
        element('button', { type: 'button', onclick: () => zoom(1 / 1.5) }, 'Zoom out'),
        key(element('span', null, 'the ', help('critical_path', 'critical path')), { background: 'var(--critical-fill)' }),
        key('folded, with parallelism within', { background: 'var(--series-1)' }),
        key('a strand', { background: 'var(--series-rest)' })),
      box,
      facts,
      element('p.remark', null,
        `${grouped(dag.vertices)} vertices and ${grouped(dag.edges)} edges were recorded`,
        dag.drawn.length < dag.vertices && `; what is of less than ${amount(dag.grain)} of work is folded, so that ${grouped(dag.drawn.length)} are left`,
        '. Each stands where it would run on any number of cores: as early as what it depends on allows, the critical path on top.',
        dag.is_truncated && ' The record ends before the program did.'))],
    show() {},
  };
}
