// The source, with what its lines run beside them.

function code() {
  const { files, left_out: leftOut, has_samples: hasSamples } = data.code;
  const list = element('ul.files');
  const box = element('div.table-box', { tabindex: '0', role: 'region', 'aria-label': 'Source' });
  const remark = element('p.remark');

  function show(what) {
    const [, name, line] = /^(.*?)(?::(\d+))?(?::\d+)?$/s.exec(what ?? '');
    const file = files.find((known) => known.file === name) ?? files[0];
    list.replaceChildren(...files.map((entry) => element('li', null,
      element('a.name.code', { href: hrefOf('code', entry.file), 'aria-current': entry === file ? 'page' : null }, shortened(entry.file)))));
    box.replaceChildren(sourceTable(file, hasSamples, Number(line)));
    remark.replaceChildren(...[
      !file.has_text && 'The text of this file is not in the page: it was not found when the page was made, or left out by --no-source. ',
      file.is_cut && 'Only the lines with the most of the span are in the page.',
    ].filter(Boolean));
    box.querySelector('.selected')?.scrollIntoView({ block: 'center' });
  }

  return {
    content: [element('div.panel', null,
      list,
      box,
      remark,
      element('p.remark', null,
        hasSamples ? 'Shares are of samples, each with half of its 95% interval; itself: without what the line calls and spawns; in all: with it. ' : 'Without samples only lines with sites are known. ',
        'Beside sites: executions, work and span of their own strands.',
        leftOut > 0 && ` ${grouped(leftOut)} smaller files are left out.`))],
    show,
  };
}

function sourceTable({ lines }, hasSamples, selected) {
  const rows = [];
  let before = null;
  for (const line of lines) {
    if (before !== null && line.line > before + 1) {
      rows.push(element('tr.gap', null, element('td.line-number.number', null, '⋮')));
    }
    rows.push(sourceLine(line, hasSamples, line.line === selected));
    before = line.line;
  }
  const heads = hasSamples ? [['Of the span, itself', 'sampled_own'], ['in all', 'sampled_all'], ['Of the work, itself', 'sampled_own'], ['in all', 'sampled_all']] : [];
  return element('table.source', null,
    element('thead', null, element('tr', null,
      element('th.number', { scope: 'col' }, 'Line'),
      heads.map(([head, term]) => element('th.number', { scope: 'col' }, help(term, head))),
      element('th', { scope: 'col' }, 'Sites: count, work, span'),
      element('th', { scope: 'col' }, 'Source'))),
    element('tbody', null, rows));
}

function sourceLine({ line, text, own, total, sites: here = [], begins = [] }, hasSamples, isSelected) {
  const interval = ([share, text]) => {
    const [middle, half] = text.split(' ± ');
    return share > 0 && [middle, element('span.spread', null, ` ± ${half}`)];
  };
  const shares = hasSamples ? [own?.[0], total?.[0], own?.[1], total?.[1]] : [];
  const heat = own?.[0][0] ?? 0;
  return element('tr', {
    'data-line': line,
    class: [isSelected && 'selected', heat >= 0.005 && 'hot', begins.length > 0 && 'begins'].filter(Boolean).join(' '),
    style: { '--heat': `${6 + 34 * heat}%` },
  },
  element('td.line-number.number', null, String(line)),
  shares.map((pair) => element('td.number', null, pair && interval(pair))),
  element('td.sites-here', null, here.map(([kind, count, work, span]) => element('div', { title: kind }, `${shortCount(count)}×, ${amount(work)}, ${amount(span)}`))),
  element('td.text.name', { title: begins.join(', ') || null }, text ?? ''));
}

/** The end of a long path. */
function shortened(path) {
  const folders = path.split('/');
  return folders.length > 5 ? `…/${folders.slice(-4).join('/')}` : path;
}
