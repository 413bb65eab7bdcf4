// Colours of sites: those with the largest shares of the critical path have one of their own, the same in each view.

const COLOURS = 8;

const colours = new Map(data.overview.span.slice(0, COLOURS).map((part, index) => [part.site, `var(--series-${index})`]));

function colourOf(siteId) {
  return colours.get(siteId) ?? 'var(--series-rest)';
}

/** The value of a colour of the styles, for a canvas. */
function colourValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
