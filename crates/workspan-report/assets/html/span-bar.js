// The critical path as one bar of the sites whose own code it is.

function spanBar(parts, others) {
  const words = (part) => `${percent(part.share)}, ${amount(part.nanos)}: ${siteWords(part)}`;
  const segment = (part) => element('a', {
    href: hrefOf('site', part.site),
    title: words(part),
    'aria-label': words(part),
    style: { flex: `${part.share} 0 0`, background: colourOf(part.site) },
  });
  const rest = others !== null && element('span', {
    title: `${percent(others.share)}, ${amount(others.nanos)}: ${grouped(others.sites)} other sites`,
    style: { flex: `${others.share} 0 0` },
  });
  const entry = (part) => element('li', null,
    element('span.swatch', { style: { background: colourOf(part.site) } }),
    element('strong', null, percent(part.share)),
    element('a.name', { href: hrefOf('site', part.site), title: words(part) }, siteWords(part)));
  const LISTED = 6;
  return [
    element('div.span-bar', null, parts.map(segment), rest),
    element('ul.span-legend', null, parts.slice(0, LISTED).map(entry)),
  ];
}
