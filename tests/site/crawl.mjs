// Follows every link of a site, as a search engine would, and checks each response on the way.

import { checkAbsent, checkLinks, checkPages } from './links.mjs';
import { count } from './report.mjs';
import { request } from './web.mjs';

const SEEDS = ['/', '/sitemap.xml', '/robots.txt', '/llms.txt'];
// Far more than the demo has: ends the crawl of a site with endless links.
const MOST_FILES = 5000;
const AT_ONCE = 8;

// Crawls every site; each gets `files`, its responses by path.
export async function crawl(sites, read, problem) {
  for (const site of sites) {
    const crawler = new Crawler(site, read, problem);
    site.files = await crawler.run();
    checkLinks(site, problem);
    checkPages(site, problem);
    await checkAbsent(site, problem);
  }
  const files = sites.flatMap((site) => [...site.files.values()]);
  const links = files.reduce((sum, file) => sum + file.links.length, 0);
  return `${count(files.length, 'file')}, ${count(links, 'link')}`;
}

class Crawler {
  #files = new Map();
  #queue = [];

  constructor(site, read, problem) {
    Object.assign(this, { site, read, problem });
  }

  async run() {
    SEEDS.forEach((path) => this.#add(path));
    const worker = async () => {
      for (let path; (path = this.#queue.shift());) await this.#visit(path);
    };
    // Workers end when the queue is empty, although a running one may still add to it, so they are started again.
    while (this.#queue.length) await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return this.#files;
  }

  #add(path) {
    if (this.#files.has(path) || this.#files.size >= MOST_FILES) return;
    this.#files.set(path, { path, links: [] });
    this.#queue.push(path);
  }

  async #visit(path) {
    const { origin } = this.site;
    const problem = (reason) => this.problem(`${this.site.name} ${path}`, reason);
    const answer = await request(origin + path);
    const file = Object.assign(this.#files.get(path), answer);
    checkHeaders(answer, problem);
    if (answer.status === 200) {
      await checkAgain(origin + path, answer, problem);
      file.type = answer.headers['content-type']?.split(';')[0];
      file.links = (await this.#linksOf(file, problem)).map((link) => resolve(link, origin + path, problem));
    } else if ([301, 308].includes(answer.status)) {
      file.links = [resolve({ url: answer.headers.location, element: 'location', rel: '' }, origin + path, problem)];
    }
    for (const { target } of file.links) if (target?.origin === origin) this.#add(target.pathname + target.search);
  }

  async #linksOf(file, problem) {
    const text = file.body.toString();
    const found = (urls, element) => urls.map((url) => ({ url, element, rel: '' }));
    const matches = (pattern) => [...text.matchAll(pattern)].map(([, url]) => url);
    if (file.path.endsWith('.md')) return [];
    switch (file.type) {
      case 'text/html':
        file.document = await this.read('html', text);
        return file.document.links;
      case 'text/css':
        return found([...matches(/url\(\s*["']?([^"')]+)/g), ...matches(/@import\s+["']([^"']+)/g)], 'css');
      case 'text/plain':
        return found([...matches(/\]\(([^)\s]+)\)/g), ...matches(/^Sitemap:\s*(\S+)/gm)], 'text');
      case 'application/feed+json':
      case 'application/json':
        return found(jsonUrls(JSON.parse(text)), 'feed');
      default:
        return /xml/.test(file.type ?? '') ? this.#xmlLinks(file, text, problem) : [];
    }
  }

  async #xmlLinks(file, text, problem) {
    file.xml = await this.read('xml', text);
    if (file.xml.error) problem(`is not well-formed: ${file.xml.error}`);
    const urls = [];
    const walk = ({ name, attributes, children, text }) => {
      if (attributes.href) urls.push(attributes.href);
      if (['loc', 'link'].includes(name) && text) urls.push(text);
      children.forEach(walk);
    };
    if (file.xml.root) walk(file.xml.root);
    return urls.map((url) => ({ url, element: 'xml', rel: '' }));
  }
}

function jsonUrls(value) {
  if (Array.isArray(value)) return value.flatMap(jsonUrls);
  if (value === null || typeof value !== 'object') return [];
  const urls = Object.entries(value).filter(([key, text]) => /(^|_)url$/.test(key) && typeof text === 'string');
  return [...urls.map(([, url]) => url), ...Object.values(value).flatMap(jsonUrls)];
}

function resolve(link, base, problem) {
  try {
    return { ...link, target: new URL(link.url, base) };
  } catch {
    problem(`<${link.element}> has a URL that is none: ${link.url}`);
    return link;
  }
}

// The headers of every response of a site.
function checkHeaders({ status, headers }, problem) {
  const type = headers['content-type'] ?? '';
  if (headers['x-content-type-options'] !== 'nosniff') problem(`${status} without X-Content-Type-Options: nosniff`);
  if (!headers['x-recto-release']) problem(`${status} without X-Recto-Release`);
  if (status !== 200) return;
  if (!headers.etag) problem('200 without ETag');
  if (!headers['cache-control']) problem('200 without Cache-Control');
  if (!type) problem('200 without Content-Type');
  if (/^text\/|xml/.test(type) && !/^image\//.test(type) && !/charset=utf-8/i.test(type))
    problem(`Content-Type without charset: ${type}`);
}

// The same again: with HEAD, only if it has changed, and compressed.
async function checkAgain(url, { headers, body }, problem) {
  const [head, unchanged, packed] = await Promise.all([
    request(url, { method: 'HEAD' }),
    request(url, { headers: { 'if-none-match': headers.etag ?? '' } }),
    request(url, { headers: { 'accept-encoding': 'gzip, br, zstd' } }),
  ]);
  if (head.status !== 200 || head.headers.etag !== headers.etag || head.body.length) problem('HEAD differs from GET');
  if (head.headers['content-length'] !== String(body.length))
    problem('HEAD has another Content-Length than GET');
  if (headers.etag && (unchanged.status !== 304 || unchanged.body.length))
    problem(`If-None-Match with the ETag answers ${unchanged.status}`);
  if (packed.headers['content-encoding'] && !/accept-encoding/i.test(packed.headers.vary ?? ''))
    problem('packed without Vary: Accept-Encoding');
  if (body.length > 2000 && /^text\/|json|xml/.test(headers['content-type']) && !packed.headers['content-encoding'])
    problem('a text of more than 2000 bytes is not packed');
}
