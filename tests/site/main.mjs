// Publishes the demo sites to a running server, and checks them as readers, browsers and machines see them.
//
//   RECTO, API, SITE_TOOLS and WORK come from tests/site.sh.

import { access } from './access.mjs';
import { launch, reader } from './browser.mjs';
import { crawl } from './crawl.mjs';
import { GATES, SITES } from './demo.mjs';
import { machines } from './machines.mjs';
import { pictures } from './pictures.mjs';
import { publish } from './publish.mjs';
import { Report } from './report.mjs';
import { screenshots } from './screenshots.mjs';
import { gate, withoutScripts } from './scripts-off.mjs';
import { validate } from './validate.mjs';

const { RECTO: recto, API: api, WORK: work } = process.env;
const [option, directory] = process.argv.slice(2);

const report = new Report();
const browser = await launch();
try {
  if (option === '--pictures') {
    await report.step('pictures', (problem) => pictures(browser, { recto, api }, directory, problem));
  } else {
    await check();
  }
} finally {
  await browser.close();
}
process.exitCode = report.failed ? 1 : 0;

async function check() {
  let all = [];
  await report.step('publish', async () => {
    all = await publish([...SITES, ...GATES], { recto, api });
    return all.map(({ origin }) => origin).join(', ');
  });
  if (report.failed) {
    // There is nothing to check.
  } else if (option === '--screenshots') {
    await report.step('screenshots', (problem) => screenshots(browser, all, directory, problem));
  } else {
    await look(all);
  }
}

async function look(all) {
  const [sites, gates] = [all.slice(0, SITES.length), all.slice(SITES.length)];
  const read = await reader(browser);
  await report.step('crawl', (problem) => crawl(sites, read, problem));
  await report.step('machine files', (problem) => machines(sites, read, problem));
  await report.step('W3C validator', (problem) => validate(sites, gates, work, problem));
  await report.step('axe and layout', (problem) => access(browser, all, problem));
  await report.step('without scripts', (problem) => withoutScripts(browser, all, problem));
  await report.step('password', (problem) => gate(browser, gates[0], problem));
}
