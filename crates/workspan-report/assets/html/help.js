// Definitions of figures: a press on the name of a figure tells what it is.

const definition = element('div.definition', { popover: 'auto', id: 'definition', role: 'note' });

/** The name of a figure, which tells its definition. `label` stands in place of the name. */
function help(key, label) {
  const { name, unit, meaning } = terms.get(key);
  const button = element('button.help', { type: 'button', onclick: () => explain(button, name, unit, meaning) }, label ?? name);
  return button;
}

/** A small mark that tells the definition, where the name itself does something else. */
function helpMark(key) {
  const mark = help(key, '?');
  mark.classList.add('help-mark');
  mark.setAttribute('aria-label', `What is ${terms.get(key).name}?`);
  return mark;
}

/** What a figure of `unit` is in, in words. */
function unitWords(unit) {
  if (unit === 'amount') return data.metric === null || data.metric.unit === 'ns' ? 'time' : data.metric.unit;
  return unit === 'ratio' ? 'a ratio' : unit;
}

function explain(button, name, unit, meaning) {
  definition.replaceChildren(element('strong', null, unit ? `${name} (${unitWords(unit)})` : name), meaning);
  definition.showPopover({ source: button });
  const place = button.getBoundingClientRect();
  const { width, height } = definition.getBoundingClientRect();
  const below = place.bottom + 6 + height < innerHeight;
  definition.style.left = `${Math.max(12, Math.min(place.left, innerWidth - width - 12))}px`;
  definition.style.top = `${below ? place.bottom + 6 : Math.max(12, place.top - height - 6)}px`;
}
