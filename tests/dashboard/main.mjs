// Uses the dashboard as people do. RECTO, SITE_TOOLS and WORK come from tests/dashboard.sh.

import { launch } from '../site/browser.mjs';
import { Report } from '../site/report.mjs';
import { passkey } from './passkey.mjs';
import { pictures } from './pictures.mjs';
import { Server } from './server.mjs';
import { sights } from './sights.mjs';
import * as writing from './writing.mjs';

const [option, directory] = process.argv.slice(2);
const report = new Report();
const [server, browser] = [await Server.start(), await launch()];
try {
  const { accountId: account, token } = server.command('account', 'create', 'Coast', '--plan', 'pro');
  if (option === '--pictures') {
    await report.step('pictures', () => pictures(browser, server, account, token, directory));
  } else {
    await use(account, token);
  }
} finally {
  await browser.close();
  await server.kill();
}
process.exitCode = report.failed ? 1 : 0;

async function use(account, token) {
  const step = (name, run) => report.step(name, () => run(browser, server, account, token));
  await step('a page from the form to the site', writing.wholeFlow);
  await step('without script', writing.withoutScript);
  await step('two people on one page', writing.twoPeople);
  await step('files that are dropped', writing.dropped);
  await step('nothing typed is lost', writing.nothingIsLost);
  await step('one page in two tabs', writing.twoTabs);
  await step('by keyboard', writing.byKeyboard);
  await step('plain text instead of the editor', writing.plainText);
  await report.step('a passkey', () => passkey(browser));
  await report.step('axe and layout', (problem) => sights(browser, server, account, problem));
}
