// Checks a crawled site: its links, the pages that were published, and those that were not.

import { request } from './web.mjs';

// Every link has a target.
export function checkLinks(site, problem) {
  const foreign = foreignUrls(site);
  for (const { path, status, links, document } of site.files.values()) {
    const at = `${site.name} ${path}`;
    if (status !== 200 && ![301, 308].includes(status))
      problem(at, `answers ${status}; linked from ${linkedFrom(site, path)}`);
    for (const link of links) {
      if (!link.target || ['mailto:', 'data:'].includes(link.target.protocol)) continue;
      if (link.target.origin === site.origin) checkInternal(site, at, document, link, problem);
      else if (!(link.own ? foreign.content : foreign.furniture).has(link.target.href))
        problem(at, `<${link.element}> of the ${link.own ? 'text' : 'furniture'} leads to a foreign host: ${link.url}`);
    }
  }
}

function checkInternal(site, at, document, { url, element, rel, own, target }, problem) {
  const file = site.files.get(target.pathname + target.search);
  if (!own && target.pathname !== '/' && target.pathname.endsWith('/'))
    problem(at, `<${element}> links with a trailing slash: ${url}`);
  if (file === undefined) return problem(at, `${url} was not fetched`);
  const redirected = [301, 308].includes(file.status);
  if (redirected && !own) problem(at, `<${element}> links to a redirect: ${url} → ${file.headers.location}`);
  const end = redirected ? site.files.get(file.links[0]?.target?.pathname) : file;
  if (redirected && end?.status !== 200)
    problem(at, `${url} redirects to what answers ${end?.status}: ${file.headers.location}`);
  const anchor = decodeURIComponent(target.hash.slice(1));
  if (anchor && end?.document && !end.document.ids.includes(anchor)) problem(at, `the anchor of ${url} is not there`);
  if (rel === 'alternate' && end?.status !== 200) problem(at, `an alternate form is missing: ${url}`);
}

function linkedFrom(site, path) {
  const from = [...site.files.values()].filter(({ links }) =>
    links.some(({ target }) => target?.origin === site.origin && target.pathname + target.search === path),
  );
  return (
    from
      .map((file) => file.path)
      .slice(0, 3)
      .join(', ') || 'nowhere'
  );
}

// The foreign URLs of the author: in texts, and in settings and params that the theme shows.
function foreignUrls({ pages, settings = {} }) {
  const urls = (values) =>
    new Set(
      JSON.stringify(values)
        .match(/https?:\/\/[^\s"\\<>()`;,]+/g)
        ?.map((url) => new URL(url).href),
    );
  return {
    content: urls(pages.map(({ content }) => content)),
    furniture: urls([settings, pages.map(({ params }) => params)]),
  };
}

// Every published page exists, can be reached by clicking from the front page on, and identifies itself.
export function checkPages(site, problem) {
  const clicked = reachable(site);
  for (const { path, title, params = {} } of site.pages) {
    const at = `${site.name} ${path}`;
    const file = site.files.get(path);
    if (file?.status !== 200)
      problem(at, `is published, and ${file ? `answers ${file.status}` : 'nothing links to it'}`);
    else if (!clicked.has(path)) problem(at, 'is found through the sitemap only: no click leads there');
    if (file?.document && !file.document.h1.includes(plain(title)))
      problem(at, `the heading is ${JSON.stringify(file.document.h1)}, not the title`);
    if (file?.document && file.document.canonical !== (params.canonical ?? site.origin + path))
      problem(at, `the canonical address is ${file.document.canonical}`);
  }
  for (const { path, document } of site.files.values()) {
    if (!document) continue;
    const at = `${site.name} ${path}`;
    if (document.h1.length !== 1) problem(at, `has ${document.h1.length} headings of the first level`);
    if (!document.title) problem(at, 'has no title');
    const twice = document.ids.filter((id, index) => document.ids.indexOf(id) !== index);
    if (twice.length) problem(at, `ids occur twice: ${twice.slice(0, 3).join(', ')}`);
  }
}

// A title as it is shown without code, with the quotes of English.
export function plain(title) {
  const quoted = title.replace(/"([^"]*)"/g, '“$1”').replace(/'([^']*)'/g, '‘$1’');
  return quoted.trim().replace(/\s+/g, ' ').replaceAll('`', '');
}

// Everything that a person can reach from the front page by clicking links.
function reachable({ files, origin }) {
  const seen = new Set(['/']);
  for (const path of seen) {
    const links = files.get(path)?.links ?? [];
    const next = links.filter(
      ({ element, target }) => ['a', 'location'].includes(element) && target?.origin === origin,
    );
    next.forEach(({ target }) => seen.add(target.pathname));
  }
  return seen;
}

// Pages that must not exist, and pages that have moved.
export async function checkAbsent(site, problem) {
  const gone = [...(site.hidden ?? []), ...(site.deleted ? [site.deleted] : [])].map(({ slug }) => `/blog/${slug}`);
  for (const path of [...gone, '/no/such/page', '/.nav', '/..%2f']) {
    const { status, headers, body } = await request(site.origin + path);
    const own = /^text\/html/.test(headers['content-type']) && body.includes('<main');
    if (status !== 404 || !own)
      problem(`${site.name} ${path}`, `answers ${status} ${headers['content-type']}, not the site's own 404`);
    if (site.files.has(path))
      problem(`${site.name} ${path}`, `is not published, but linked from ${linkedFrom(site, path)}`);
  }
  for (const [from, to] of redirects(site)) {
    const { status, headers } = await request(site.origin + from);
    const target = headers.location && new URL(headers.location, site.origin + from);
    if (![301, 308].includes(status) || target?.href !== site.origin + to)
      problem(`${site.name} ${from}`, `answers ${status} ${headers.location}, not a redirect to ${to}`);
  }
}

function redirects({ name }) {
  const always = [
    ['/blog/', '/blog'],
    ['//blog/', '/blog'],
    ['/index.html', '/'],
  ];
  if (name !== 'lantern') return always;
  return [
    ...always,
    ['/docs/guides/old-name', '/docs/guides/new-name'],
    ['/changes', '/docs/changelog'],
    ['/standalone/about', '/about'],
    ['/standalone/company/team', '/company/team'],
    ['/homepage/index', '/'],
    ['/homepage/former', '/'],
    ['/docs/guides/install/', '/docs/guides/install'],
  ];
}
