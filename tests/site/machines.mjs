// Checks machine-readable files: feeds, the sitemap, robots.txt, llms.txt, Markdown, metadata.

import { plain } from './links.mjs';
import { request } from './web.mjs';

const FEED_TYPES = {
  '/feed.xml': 'application/atom+xml',
  '/rss.xml': 'application/rss+xml',
  '/feed.json': 'application/feed+json',
};
// https://www.sitemaps.org/protocol.html
const MOST_URLS = 50_000;
const MOST_BYTES = 50 * 1024 * 1024;

export async function machines(sites, read, problem) {
  for (const site of sites) {
    const report = (path) => (reason) => problem(`${site.name} ${path}`, reason);
    const feeds = await feedsOf(site, read, report);
    Object.entries(feeds).forEach(([path, items]) => checkItems(site, items, report(path)));
    checkSitemap(site, report('/sitemap.xml'));
    checkTexts(site, report);
    await checkMarkdown(site, report);
    for (const file of site.files.values()) if (file.document) checkDocument(site, file, report(file.path));
    for (const page of site.pages) checkPage(site, page, report(page.path));
  }
}

// The items of each feed: `{url, title, published}`.
async function feedsOf(site, read, report) {
  const feeds = {};
  for (const [path, type] of Object.entries(FEED_TYPES)) {
    const { status, headers, body } = await request(site.origin + path);
    if (status !== 200) report(path)(`answers ${status}`);
    if (headers['content-type']?.split(';')[0] !== type) report(path)(`is ${headers['content-type']}, not ${type}`);
    feeds[path] =
      path === '/feed.json'
        ? jsonItems(site, body, report(path))
        : xmlItems(site, path, await read('xml', body.toString()), report(path));
  }
  return feeds;
}

function xmlItems(site, path, { root, error }, problem) {
  if (error) {
    problem(`is not well-formed: ${error}`);
    return [];
  }
  return path === '/feed.xml' ? atomItems(site, root, problem) : rssItems(site, root, problem);
}

// RFC 4287.
function atomItems(site, feed, problem) {
  const self = feed.children.find(({ name, attributes }) => name === 'link' && attributes.rel === 'self')?.attributes
    .href;
  if (feed.name !== 'feed' || feed.namespace !== 'http://www.w3.org/2005/Atom') problem(`begins with <${feed.name}>`);
  for (const name of ['id', 'title', 'updated']) if (!child(feed, name)) problem(`the feed has no <${name}>`);
  if (self !== `${site.origin}/feed.xml`) problem(`names itself ${self}`);
  return all(feed, 'entry').map((entry) => {
    for (const name of ['id', 'title', 'updated', 'published', 'author']) {
      if (!all(entry, name).length) problem(`an entry has no <${name}>`);
    }
    for (const name of ['updated', 'published']) {
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(child(entry, name)))
        problem(`<${name}> is no date: ${child(entry, name)}`);
    }
    return {
      url: all(entry, 'link')[0]?.attributes.href,
      title: child(entry, 'title'),
      published: child(entry, 'published'),
    };
  });
}

// https://www.rssboard.org/rss-specification
function rssItems(site, rss, problem) {
  const [channel] = all(rss, 'channel');
  if (rss.name !== 'rss' || rss.attributes.version !== '2.0' || !channel) {
    problem('is no RSS 2.0');
    return [];
  }
  for (const name of ['title', 'link', 'description'])
    if (!child(channel, name)) problem(`the channel has no <${name}>`);
  return all(channel, 'item').map((item) => {
    const published = child(item, 'pubDate');
    if (!/^\w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d (GMT|[+-]\d{4})$/.test(published))
      problem(`<pubDate> is no date: ${published}`);
    if (!all(item, 'guid').length) problem('an item has no <guid>');
    return { url: child(item, 'link'), title: child(item, 'title'), published };
  });
}

// https://www.jsonfeed.org/version/1.1/
function jsonItems(site, body, problem) {
  const feed = JSON.parse(body);
  if (feed.version !== 'https://jsonfeed.org/version/1.1') problem(`its version is ${feed.version}`);
  if (feed.feed_url !== `${site.origin}/feed.json`) problem(`names itself ${feed.feed_url}`);
  if (!feed.title) problem('has no title');
  return feed.items.map((item) => {
    if (!item.id) problem('an item has no id');
    if (item.content_text === undefined && item.content_html === undefined)
      problem('an item has neither content_text nor content_html');
    return { url: item.url, title: item.title, published: item.date_published };
  });
}

// The newest posts, newest first, at absolute addresses of the site.
function checkItems(site, items, problem) {
  const posts = site.pages.filter(({ contentType = 'blog' }) => contentType === 'blog');
  const newest = posts.sort((a, b) => Date.parse(b.publishedAt) - Date.parse(a.publishedAt));
  if (items.length === 0 && posts.length > 0) problem('holds no post');
  const dates = items.map(({ published }) => Date.parse(published));
  if (dates.some((date, at) => at > 0 && date > dates[at - 1])) problem('is not in the order newest first');
  items.forEach(({ url, title, published }, at) => {
    const post = posts.find(({ path }) => site.origin + path === url);
    if (!post) return problem(`holds ${url}, which is no post's address`);
    if (title !== plain(post.title)) problem(`calls ${url} ${JSON.stringify(title)}`);
    if (Date.parse(published) !== Date.parse(post.publishedAt))
      problem(`dates ${url} ${published}, not ${post.publishedAt}`);
    if (Date.parse(published) !== Date.parse(newest[at].publishedAt))
      problem(`place ${at + 1} is not the post that is as new`);
  });
}

function checkSitemap(site, problem) {
  const maps = [...site.files.values()].filter(({ xml }) => ['urlset', 'sitemapindex'].includes(xml?.root?.name));
  const locations = [];
  for (const { xml, body, path } of maps) {
    if (xml.root.namespace !== 'http://www.sitemaps.org/schemas/sitemap/0.9')
      problem(`${path}: the namespace is ${xml.root.namespace}`);
    if (xml.root.children.length > MOST_URLS || body.length > MOST_BYTES) problem(`${path} is too large`);
    for (const entry of xml.root.children) {
      const changed = child(entry, 'lastmod');
      if (changed && Number.isNaN(Date.parse(changed))) problem(`<lastmod> is no date: ${changed}`);
      if (!child(entry, 'loc').startsWith(`${site.origin}/`))
        problem(`<loc> is not of this host: ${child(entry, 'loc')}`);
      if (xml.root.name === 'urlset') locations.push(child(entry, 'loc'));
    }
  }
  if (new Set(locations).size !== locations.length) problem('names an address twice');
  for (const { path, params = {} } of site.pages) {
    const wanted = !params.noindex && !params.canonical;
    if (locations.includes(site.origin + path) !== wanted)
      problem(`${wanted ? 'lacks' : 'names'} ${path}${wanted ? '' : ', which search engines are to pass over'}`);
  }
}

function checkTexts(site, report) {
  const robots = site.files.get('/robots.txt').body.toString();
  if (!robots.includes(`\nSitemap: ${site.origin}/sitemap.xml\n`)) report('/robots.txt')('does not name the sitemap');
  if (!/^User-agent: \*$/m.test(robots)) report('/robots.txt')('has no User-agent: *');
  const llms = site.files.get('/llms.txt');
  // As the format's own parser reads it: title, summary, text; then sections that contain only links.
  const [head, ...sections] = llms.body.toString().split(/^## .+\n/m);
  if (!/^# .+\n\n> .+\n\n.+\n/.test(head)) report('/llms.txt')('does not begin with title, summary and text');
  const entries = sections.flatMap((section) => section.split('\n').filter(Boolean));
  for (const entry of entries)
    if (!/^- \[[^\]]+\]\([^)]+\)(: .*)?$/.test(entry)) report('/llms.txt')(`has a line that is no link: ${entry}`);
  for (const { url, target } of llms.links) {
    if (site.files.get(target.pathname)?.status !== 200) report('/llms.txt')(`names ${url}, which is not there`);
    if (!/(\.md|\/llms(\.\d+)?\.txt)$/.test(target.pathname))
      report('/llms.txt')(`names ${url}, which is neither Markdown nor a list`);
  }
}

// The Markdown must be the sent text, byte for byte.
async function checkMarkdown(site, report) {
  for (const { path, content = '' } of site.pages) {
    const at = path === '/' ? '/index.md' : `${path}.md`;
    const { status, headers, body } = await request(site.origin + at);
    if (status !== 200) report(at)(`answers ${status}`);
    else if (body.compare(Buffer.from(content)) !== 0) report(at)('is not the Markdown that was sent');
    if (status === 200 && !/^text\/(markdown|plain); charset=utf-8$/i.test(headers['content-type']))
      report(at)(`is ${headers['content-type']}`);
  }
}

// Metadata of every document, including lists.
function checkDocument(site, { path, document }, problem) {
  for (const text of document.jsonLd) {
    try {
      const json = JSON.parse(text);
      if (json['@context'] !== 'https://schema.org' || !json['@type'])
        problem(`JSON-LD without @context or @type: ${text.slice(0, 80)}`);
    } catch (error) {
      problem(`JSON-LD is no JSON: ${error.message}`);
    }
  }
  const { meta } = document;
  for (const name of ['og:type', 'og:site_name', 'og:title', 'og:url']) if (!meta[name]) problem(`has no ${name}`);
  if (meta['og:url'] !== document.canonical)
    problem(`og:url is ${meta['og:url']}, the canonical address ${document.canonical}`);
  if (meta['og:image'] && !/^https?:/.test(meta['og:image'])) problem(`og:image is not absolute: ${meta['og:image']}`);
  if (!meta.viewport || !meta['color-scheme']) problem('has no viewport or color-scheme');
}

const TYPES = { blog: 'BlogPosting', docs: 'TechArticle', homepage: 'WebSite', standalone: 'WebPage' };

function checkPage(site, page, problem) {
  const { contentType = 'blog', path, title, description, params = {}, apiEndpoint, publishedAt } = page;
  const document = site.files.get(path)?.document;
  if (!document) return;
  const ours = document.jsonLd.map((text) => JSON.parse(text)).filter((json) => json['@type'] !== 'BreadcrumbList');
  const [json = {}] = ours;
  if (ours.length !== 1 || json['@type'] !== TYPES[contentType])
    problem(`JSON-LD is ${ours.map((json) => json['@type'])}, not one ${TYPES[contentType]}`);
  if (json.url !== site.origin + path) problem(`JSON-LD names ${json.url}`);
  const name = contentType === 'homepage' ? site.settings.title : plain(title);
  if (json.name !== name) problem(`JSON-LD calls it ${json.name}`);
  if (publishedAt && Date.parse(json.datePublished) !== Date.parse(publishedAt))
    problem(`JSON-LD dates it ${json.datePublished}`);
  if (contentType === 'docs' && page.section && !document.jsonLd.some((text) => text.includes('BreadcrumbList')))
    problem('has no breadcrumbs for machines');
  if (document.meta['og:title'] !== plain(title)) problem(`og:title is ${document.meta['og:title']}`);
  const [shown, ofCards] = ['description', 'og:description'].map((name) => document.meta[name]);
  if (description && (shown !== plain(description) || ofCards !== plain(description)))
    problem('the description is not in the metadata');
  if (/noindex/.test(document.meta.robots ?? '') !== Boolean(params.noindex))
    problem(`robots is ${document.meta.robots}`);
  if (apiEndpoint) checkBadge(document, apiEndpoint.split(' ')[0].toUpperCase(), problem);
  if (contentType === 'docs') checkSide(site, page, document, problem);
}

function checkBadge(document, method, problem) {
  if (!document.badges.includes(method)) problem(`no element says ${method} and nothing else`);
}

// The docs' navigation shows the pages of the section with their badges, and where the reader is.
function checkSide(site, { path, section }, document, problem) {
  const shown = new Map(document.sideBadges);
  if (document.current.join() !== path)
    problem(`the docs' navigation marks ${document.current.join() || 'nothing'} as the current page`);
  const siblings = site.pages.filter((page) => page.contentType === 'docs' && page.section === section && section);
  // For a long section only the pages around the current one are shown.
  for (const { path, apiEndpoint = '' } of siblings.length > 100 ? [] : siblings) {
    const method = apiEndpoint.split(' ')[0].toUpperCase();
    const badge = shown.get(path);
    if (badge === undefined) problem(`the docs' navigation does not show ${path}`);
    else if (badge !== method) problem(`the docs' navigation shows ${path} with the badge "${badge}", not "${method}"`);
  }
}

function all({ children }, name) {
  return children.filter((element) => element.name === name);
}

function child(element, name) {
  return all(element, name)[0]?.text ?? '';
}
