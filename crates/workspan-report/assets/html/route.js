// Links within the page: `#view`, or `#view=what`.

/** The address of a view, or of something in it. */
function hrefOf(view, what) {
  return what === undefined ? `#${view}` : `#${view}=${encodeURIComponent(what)}`;
}

/** The view and what it is to show, of an address. */
function routeOf(hash) {
  const [view, ...rest] = hash.replace(/^#/, '').split('=');
  if (rest.length === 0) return { view, what: undefined };
  try {
    return { view, what: decodeURIComponent(rest.join('=')) };
  } catch {
    return { view, what: rest.join('=') };
  }
}
