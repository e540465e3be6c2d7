// Debian's Chromium, driven by Playwright. It shows pages, and also parses documents.

import { createRequire } from 'node:module';

// The directory in which `npm ci` installed the packages.
export const tools = createRequire(`${process.env.SITE_TOOLS}/package.json`);

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--no-first-run',
  '--force-color-profile=srgb',
];

export function launch() {
  return tools('playwright-core').chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ARGS,
  });
}

// An empty page, for `read`.
export async function reader(browser) {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  await page.evaluate(defineReaders);
  return (kind, text) => page.evaluate(([kind, text]) => window.readers[kind](text), [kind, text]);
}

// Runs in the browser: documents as the crawl and the checks of machine-readable files need them.
function defineReaders() {
  const attributes = [
    'href',
    'src',
    'srcset',
    'imagesrcset',
    'poster',
    'action',
    'formaction',
    'data',
    'cite',
    'ping',
    'background',
    'xlink:href',
  ];
  const metas = ['og:url', 'og:image', 'twitter:image'];
  const own = (element) => element.closest('.prose') !== null;

  const linksOf = (document) => {
    const links = [];
    for (const element of document.querySelectorAll('*')) {
      for (const name of attributes) {
        const value = element.getAttribute(name);
        if (value === null) continue;
        const urls = name.endsWith('srcset') ? value.split(',').map((part) => part.trim().split(/\s+/)[0]) : [value];
        for (const url of urls) {
          const rel = element.getAttribute('rel') ?? '';
          links.push({ url, element: element.localName, rel, own: own(element) });
        }
      }
      const style = element.localName === 'style' ? element.textContent : (element.getAttribute('style') ?? '');
      for (const [, url] of style.matchAll(/url\(["']?([^"')]+)/g))
        links.push({ url, element: 'style', rel: '', own: own(element) });
    }
    for (const name of metas) {
      const url = document.querySelector(`meta[property="${name}"], meta[name="${name}"]`)?.content;
      if (url) links.push({ url, element: 'meta', rel: name, own: name !== 'og:url' });
    }
    return links;
  };

  const meta = (document) => {
    const found = {};
    for (const element of document.querySelectorAll('meta[property], meta[name]')) {
      found[element.getAttribute('property') ?? element.getAttribute('name')] = element.content;
    }
    return found;
  };

  const texts = (document, selector) =>
    [...document.querySelectorAll(selector)].map((element) => element.textContent.trim());

  window.readers = {
    html(text) {
      const document = new DOMParser().parseFromString(text, 'text/html');
      return {
        links: linksOf(document),
        ids: [...document.querySelectorAll('[id]')].map((element) => element.id),
        title: document.title,
        h1: texts(document, 'h1'),
        badges: texts(document, '.method'),
        sideBadges: [...document.querySelectorAll('nav.side a')].map((link) => [
          link.getAttribute('href'),
          link.querySelector('.method')?.textContent ?? '',
        ]),
        current: [...document.querySelectorAll('nav.side [aria-current="page"]')].map((link) =>
          link.getAttribute('href'),
        ),
        canonical: document.querySelector('link[rel="canonical"]')?.getAttribute('href') ?? null,
        meta: meta(document),
        jsonLd: [...document.querySelectorAll('script[type="application/ld+json"]')].map(
          (element) => element.textContent,
        ),
      };
    },

    // Elements by name, each with its attributes and text; an error if the document is not well-formed.
    xml(text) {
      const document = new DOMParser().parseFromString(text, 'application/xml');
      const error = document.querySelector('parsererror');
      if (error) return { error: error.textContent };
      const describe = (element) => ({
        name: element.nodeName,
        namespace: element.namespaceURI,
        attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
        children: [...element.children].map(describe),
        text: element.children.length ? '' : element.textContent,
      });
      return { root: describe(document.documentElement) };
    },
  };
}
