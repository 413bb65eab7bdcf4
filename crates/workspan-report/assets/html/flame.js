// The flame graph of the logical call tree: the program on top, below each frame what it runs.

/** How a frame's width is chosen: its index among the weights, its unit, and its name in a sentence. */
const FLAME_MEASURES = {
  work: [0, 'amount', 'of the work'],
  span: [1, 'amount', 'of the span'],
  burdened_span: [2, 'amount', 'of the burdened span'],
  samples: [3, 'samples', 'of the samples'],
};

const FRAME_HEIGHT = 22;

/** Frames narrower than this part of the whole are not drawn. */
const LEAST_WIDTH = 0.0008;

/** Narrower ones have no room for a name. */
const NARROW = 0.02;

function flame() {
  const { frames, left_out: leftOut, has_burdened: hasBurdened, has_samples: hasSamples, against } = data.flame;
  const below = frames.map(() => []);
  frames.forEach(({ parent }, index) => parent !== null && below[parent].push(index));
  const state = { measure: 'work', focus: 0, text: '', colour: against === null ? 'path' : 'share' };
  const box = element('div.flame', { role: 'tree', 'aria-label': 'Flame graph', onkeydown: press });
  const facts = element('div.frame-facts', { 'aria-live': 'polite' });
  const found = element('span.soft', { role: 'status' });
  let drawn = new Map();
  // The largest change that a frame has seen, in what colours tell.
  let mostChanged = 0;

  const weight = (index) => frames[index].weight[FLAME_MEASURES[state.measure][0]];
  const share = (index, measure) => {
    const [at] = FLAME_MEASURES[measure];
    return frames[0].weight[at] > 0 ? frames[index].weight[at] / frames[0].weight[at] : 0;
  };
  const change = (index) => frames[index].difference[state.colour][FLAME_MEASURES[state.measure][0]];
  const words = (index) => siteWords({ ...frames[index], label: frames[index].name ?? frames[index].label }) + (frames[index].recursive ? ' (recursive)' : '');
  const matches = (index) => state.text !== '' && words(index).toLowerCase().includes(state.text.toLowerCase());

  function draw() {
    const above = [];
    for (let at = frames[state.focus].parent; at !== null; at = frames[at].parent) above.unshift(at);
    drawn = new Map();
    mostChanged = state.colour === 'path' ? 0 : frames.reduce((most, frame, index) => Math.max(most, Math.abs(change(index))), 0);
    above.forEach((index, depth) => place(index, 0, 1, depth, true));
    let deepest = above.length;
    const fill = (index, left, width, depth) => {
      deepest = Math.max(deepest, depth);
      place(index, left, width, depth, false);
      let at = left;
      for (const child of [...below[index]].sort((one, other) => weight(other) - weight(one))) {
        const part = weight(index) > 0 ? (weight(child) / weight(index)) * width : 0;
        if (part >= LEAST_WIDTH) fill(child, at, part, depth + 1);
        at += part;
      }
    };
    fill(state.focus, 0, 1, above.length);
    box.style.height = `${(deepest + 1) * FRAME_HEIGHT}px`;
    box.replaceChildren(...drawn.values());
    enter(state.focus);
    search();
  }

  function place(index, left, width, depth, isAbove) {
    const { site, label, place: where } = frames[index];
    const text = [label, site !== undefined && baseName(where)].filter(Boolean).join(' ');
    const shade = shadeOf(index);
    const button = element('button', {
      type: 'button',
      role: 'treeitem',
      tabindex: '-1',
      'aria-level': depth + 1,
      'aria-label': `${text}: ${percent(share(index, state.measure))} ${FLAME_MEASURES[state.measure][2]}, ${words(index)}${shade.words}`,
      'data-frame': index,
      title: words(index),
      class: [site !== undefined && 'site', isAbove && 'above', width < NARROW && 'narrow', shade.kind].filter(Boolean).join(' '),
      style: {
        left: `${left * 100}%`,
        width: `${width * 100}%`,
        top: `${depth * FRAME_HEIGHT}px`,
        '--shade': `${shade.part}%`,
      },
      onclick: () => focusOn(index),
      onfocus: () => tell(index),
      onmouseenter: () => tell(index),
    }, width >= NARROW && text);
    drawn.set(index, button);
  }

  /** How strong the colour of a frame is: the more of it is on the critical path, or the more it has changed. */
  function shadeOf(index) {
    if (state.colour === 'path') {
      const ofSpan = share(index, 'span');
      return { kind: '', part: ofSpan > 0 ? 12 + 38 * ofSpan : 0, words: '' };
    }
    const by = change(index);
    const part = by === 0 ? 0 : 6 + 44 * (Math.abs(by) / mostChanged);
    return { kind: by > 0 ? 'grown' : 'shrunk', part, words: `, ${changeWords(index, state.measure)}` };
  }

  /** By how much a frame has changed. */
  function changeWords(index, measure) {
    const [at, unit] = FLAME_MEASURES[measure];
    const { time, share: shares } = frames[index].difference;
    return `${signed(shares[at] * 100, (number) => `${threeDigits(number)} points`)}, ${signed(time[at], (number) => figure(number, unit))}`;
  }

  function focusOn(index) {
    state.focus = index;
    draw();
    drawn.get(index).focus({ preventScroll: true });
  }

  /** Makes a frame the one that the tab key reaches. */
  function enter(index) {
    for (const button of drawn.values()) button.tabIndex = -1;
    drawn.get(index).tabIndex = 0;
    tell(index);
  }

  function tell(index) {
    const { site, label, name, place, weight: weights } = frames[index];
    const figures = Object.entries(FLAME_MEASURES)
      .filter(([measure]) => (measure !== 'burdened_span' || hasBurdened) && (measure !== 'samples' || hasSamples))
      .map(([measure, [at, unit, name]]) => `${percent(share(index, measure))} ${name} (${figure(weights[at], unit)})`);
    facts.replaceChildren(
      element('p.name', null, element('strong', null, site === undefined ? name ?? label : siteLink(site, label)), place && [' ', placeLink(place)]),
      element('p.soft', null, figures.join(', ')),
      ...(against === null ? [] : [beforeFacts(index)]));
  }

  function beforeFacts(index) {
    const { difference } = frames[index];
    const [at, unit, name] = FLAME_MEASURES[state.measure];
    const wasThere = difference.before.some((weight) => weight > 0);
    return element('p', { 'data-change': state.measure }, wasThere
      ? `Before ${figure(difference.before[at], unit)}; since then ${changeWords(index, state.measure)} ${name}.`
      : 'New: it was not there before.');
  }

  function press(event) {
    const index = Number(event.target.dataset.frame);
    const parent = frames[index].parent;
    const siblings = (parent === null ? [index] : below[parent]).filter((other) => drawn.has(other))
      .sort((one, other) => weight(other) - weight(one));
    const next = {
      ArrowUp: parent,
      ArrowDown: [...below[index]].filter((child) => drawn.has(child)).sort((one, other) => weight(other) - weight(one))[0],
      ArrowLeft: siblings[siblings.indexOf(index) - 1],
      ArrowRight: siblings[siblings.indexOf(index) + 1],
      Home: 0,
    }[event.key];
    if (event.key === 'Escape') focusOn(0);
    else if (next === undefined || next === null || !drawn.has(next)) return;
    else {
      enter(next);
      drawn.get(next).focus();
    }
    event.preventDefault();
  }

  function search() {
    const all = new Set(frames.map((frame, index) => index).filter(matches));
    const shown = [...all].filter((index) => drawn.has(index)).length;
    for (const [index, button] of drawn) button.classList.toggle('found', all.has(index));
    box.classList.toggle('searching', state.text !== '');
    const hidden = shown < all.size && `, ${grouped(shown)} of them shown`;
    found.textContent = state.text === '' ? '' : `${grouped(all.size)} ${all.size === 1 ? 'frame' : 'frames'} found${hidden || ''}`;
  }

  const measures = ['work', 'span', hasBurdened && 'burdened_span', hasSamples && 'samples'].filter(Boolean);
  const input = element('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search frames', oninput: () => { state.text = input.value; search(); } });
  const legend = element('div.controls', null, legendOf(state.colour));
  const colours = against !== null && choice('flame-colour', 'Colours', [['share', 'change of share'], ['time', 'change of time'], ['path', 'critical path']], state.colour, (colour) => {
    state.colour = colour;
    legend.replaceChildren(...legendOf(colour));
    draw();
  });
  draw();
  return {
    content: [element('div.panel', null,
      element('div.controls', null,
        choice('flame-measure', 'Widths', measures.map((measure) => [measure, `by ${measure.replace('_', ' ')}`]), state.measure, (measure) => {
          state.measure = measure;
          draw();
        }),
        input,
        found,
        element('button', { type: 'button', onclick: () => focusOn(0) }, 'Whole program')),
      element('div.controls.flame-colours', null, colours, legend),
      box,
      facts,
      element('p.remark', null,
        'Tasks stand below the code that spawned them, recursion is folded into one frame. ',
        hasSamples && 'Times of sites are measured; samples tell how they divide into functions. ',
        leftOut > 0 && `${grouped(leftOut)} smaller frames are left out. `,
        'A press on a frame zooms in, arrow keys move, Escape shows the whole program.',
        against !== null && [' Compared with ', element('span.name.code', null, against.file), '; frames are the same that are called the same.',
          hasSamples !== against.has_samples && ' Only one of the two profiles has samples, so functions between sites are new or gone.',
          hasBurdened !== against.has_burdened && ' Only one of them has a task dag, and so a burdened span.'])),
    against !== null && goneFrames(against)],
    show(siteId) {
      const index = siteId === undefined ? -1 : frames.findIndex(({ site }) => site === siteId);
      if (index >= 0) focusOn(index);
    },
  };
}

/** What colours of frames mean. */
function legendOf(colour) {
  const key = (background, ...text) => element('span.key', null, element('span.swatch', { style: { background } }), element('span', null, text));
  const site = key('var(--accent)', 'spawn site, region or call');
  const shade = (name) => `color-mix(in srgb, var(${name}) 50%, var(--raised))`;
  if (colour === 'path') return [key(shade('--critical-fill'), 'on the ', help('critical_path', 'critical path'), ', the more of it the stronger'), site];
  return [key(shade('--series-0'), '▲ grown'), key(shade('--series-1'), '▼ shrunk'), element('span.soft', null, 'the more the stronger'), site];
}

/** A number with its sign: `+3.20 points`, `−5.00 ms`. */
function signed(number, words) {
  return number < 0 ? `−${words(-number)}` : `+${words(number)}`;
}

/** The frames that an earlier profile had. */
function goneFrames({ gone, gone_left_out: leftOut }) {
  if (gone.length === 0) return panel('Gone since then', 'Nothing: each frame of the earlier profile is still there.');
  return panel('Gone since then',
    scrolling('Frames that are gone', element('table', null,
      element('thead', null, element('tr', null, element('th', { scope: 'col' }, 'Frame'), ['work', 'span'].map((term) => element('th.number', { scope: 'col' }, help(term))))),
      element('tbody', null, gone.map(({ label, place, weight: [work, span] }) => element('tr', null,
        element('td.site-cell', null, element('span.name', null, label), place && [' ', element('span.name.code.soft', null, place)]),
        element('td.number', null, amount(work)),
        element('td.number', null, amount(span))))))),
    leftOut > 0 && element('p.remark', null, `and ${grouped(leftOut)} smaller ones`));
}
