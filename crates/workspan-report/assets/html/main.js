// The page: its head, and the views, each made when it is first opened.

/** A view without anything to choose in it. */
const plain = (make) => () => ({ content: make(), show: () => {} });

const views = [
  { name: 'overview', title: 'Overview', make: plain(overview) },
  { name: 'sites', title: 'Call sites', make: sites, also: 'site' },
  { name: 'flame', title: 'Flame graph', make: flame },
  data.code && { name: 'code', title: 'Code', make: code },
  data.what_if && { name: 'what-if', title: 'What if', make: whatIf },
  data.dag && { name: 'dag', title: 'Task dag', make: dagView },
  data.workers && { name: 'workers', title: 'Workers', make: plain(workers) },
  data.regions && { name: 'regions', title: 'Regions', make: plain(regions) },
  data.locks && { name: 'locks', title: 'Locks', make: plain(locks) },
].filter(Boolean);

const made = new Map();

function open() {
  const { view: wanted, what } = routeOf(location.hash);
  const view = views.find(({ name, also }) => name === wanted || also === wanted) ?? views[0];
  if (!made.has(view.name)) {
    const { content, show } = view.make();
    const section = element('section.view', { id: `view-${view.name}`, tabindex: '-1', 'aria-label': view.title }, content);
    main.append(section);
    made.set(view.name, { section, show });
  }
  for (const [name, { section }] of made) section.hidden = name !== view.name;
  for (const link of navigation.querySelectorAll('a')) {
    if (link.hash === `#${view.name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  made.get(view.name).show(what);
  return made.get(view.name).section;
}

const navigation = element('nav', { 'aria-label': 'Views' }, element('ul', null, views.map(({ name, title }) =>
  element('li', null, element('a', { href: hrefOf(name) }, title)))));
const main = element('main');

const { name, command, started_at: startedAt, assumed_cores: assumedCores } = data.program;
document.title = `${name} · workspan`;
document.body.append(
  element('header.head', null, element('div.head-inner', null,
    element('div.title', null,
      element('h1.name', null, name),
      element('span.command.code', { title: command }, command),
      element('span.soft', null, [
        assumedCores > 0 && `cut for ${grouped(assumedCores)} cores`,
        startedAt > 0 && new Date(startedAt * 1000).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }),
      ].filter(Boolean).join(' · '))),
    navigation)),
  main,
  definition,
);
addEventListener('hashchange', () => {
  scrollTo(0, 0);
  open().focus({ preventScroll: true });
});
open();
