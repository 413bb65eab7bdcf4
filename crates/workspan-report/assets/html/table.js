// A table that can be sorted by each of its columns, and filtered.

/** So many rows are made at once; more on request, so that a long table does not block. */
const ROWS_AT_ONCE = 200;

/**
 * `label` says what it is. `columns`: {key, head, value(row), cell(row), isNumber}; `head` is an element or text, by `value` it is sorted.
 * `rowProperties(row)` are the properties of its element. Gives the box, and `update({rows, sort})`.
 */
function sortableTable(label, columns, rowProperties) {
  let rows = [];
  let sort = { key: columns[0].key, descending: false };
  let shown = ROWS_AT_ONCE;
  const head = element('tr');
  const body = element('tbody');
  const more = element('button', { type: 'button', onclick: () => { shown = Infinity; fill(); } });
  const box = element('div', null,
    scrolling(label, element('table', null, element('thead', null, head), body)),
    element('div.more', null, more));

  function sorted() {
    const { value } = columns.find((column) => column.key === sort.key);
    const sign = sort.descending ? -1 : 1;
    const compare = (one, other) => (typeof one === 'string' ? one.localeCompare(other) : one - other);
    const known = (figureOf) => figureOf !== null && figureOf !== undefined;
    return rows.map((row) => [value(row), row]).sort(([one], [other]) => {
      if (known(one) && known(other)) return sign * compare(one, other);
      return known(other) - known(one);
    }).map(([, row]) => row);
  }

  function fill() {
    head.replaceChildren(...columns.map(heading));
    const all = sorted();
    body.replaceChildren(...all.slice(0, shown).map((row) =>
      element('tr', rowProperties(row), columns.map((column) => element(column.isNumber ? 'td.number' : 'td.site-cell', null, column.cell(row))))));
    more.hidden = all.length <= shown;
    more.textContent = `Show all ${grouped(all.length)} rows`;
  }

  function heading({ key, head: text, isNumber, term }) {
    const isSorted = sort.key === key;
    const press = () => {
      sort = { key, descending: isSorted ? !sort.descending : isNumber };
      fill();
      head.querySelector(`[data-key="${key}"]`).focus();
    };
    return element(isNumber ? 'th.number' : 'th', { scope: 'col', 'aria-sort': isSorted && (sort.descending ? 'descending' : 'ascending') },
      element('button.sort', { type: 'button', 'data-key': key, onclick: press, title: term && terms.get(term).meaning }, text),
      term && helpMark(term));
  }

  return {
    box,
    update(change) {
      rows = change.rows ?? rows;
      sort = change.sort ?? sort;
      fill();
    },
  };
}

/** A share with a bar as long as it. */
function shareBar(share, fill) {
  return [element('span.bar', { 'aria-hidden': 'true', style: { '--part': `${Math.min(100, share * 100)}%`, ...(fill && { '--fill': fill }) } }), percent(share)];
}
