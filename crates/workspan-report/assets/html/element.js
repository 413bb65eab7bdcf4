// Elements of the page. Texts become text nodes: nothing in the data is ever read as markup.

/**
 * A new element: `element('a.name', {href: '#sites', onclick}, 'text', otherElement)`.
 * Properties that are null, undefined or false are left out; so are children.
 */
function element(name, properties, ...children) {
  const [tag, ...classes] = name.split('.');
  const created = document.createElement(tag);
  if (classes.length > 0) created.className = classes.join(' ');
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'style') {
      for (const [property, text] of Object.entries(value)) created.style.setProperty(property, text);
    } else if (key.startsWith('on')) {
      created.addEventListener(key.slice(2), value);
    } else {
      created.setAttribute(key, value === true ? '' : value);
    }
  }
  created.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return created;
}

/** A box with a heading. */
function panel(title, ...children) {
  return element('div.panel', null, title && element('h2', null, title), ...children);
}

/** A table that scrolls by itself where it is too wide; `label` says what it is. */
function scrolling(label, table) {
  return element('div.table-box', { tabindex: '0', role: 'region', 'aria-label': label }, table);
}

/** Radio buttons, of which one is chosen: `options` are pairs of value and label. */
function choice(name, legend, options, chosen, changed) {
  const buttons = options.map(([value, label]) =>
    element('label', null, element('input', {
      type: 'radio', name, value, checked: value === chosen, onchange: () => changed(value),
    }), label));
  return element('fieldset.choice', null, element('legend.visually-hidden', null, legend), buttons);
}

/** A list to choose from, with its label. */
function selection(label, options, chosen, changed) {
  const list = element('select', { onchange: () => changed(list.value) },
    options.map(([value, text]) => element('option', { value, selected: value === chosen }, text)));
  return element('label', null, label, list);
}
