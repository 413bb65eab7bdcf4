// Sites, by name and with a link to what is known of them.

/** A link to a site; those that the page has no room for are named only. */
function siteLink(id, text) {
  return sitesById.has(id)
    ? element('a.name', { href: hrefOf('site', id) }, text)
    : element('span.name', null, text);
}

/** A site in words: what it does, and where. */
function siteWords({ label, place }) {
  return [label, place].filter(Boolean).join(', ');
}

/** A place without the folders that it is in. */
function baseName(place) {
  return place.split('/').at(-1);
}

const files = new Set((data.code?.files ?? []).map(({ file }) => file));

/** A place such as `src/main.rs:40:9`, with a link to its code where the page has that. `text` stands in its place. */
function placeLink(place, text) {
  const [, file] = /^(.*?)(?::\d+){0,2}$/s.exec(place);
  return files.has(file)
    ? element('a.name.code', { href: hrefOf('code', place) }, text ?? place)
    : element('span.name.code', null, text ?? place);
}
