// Every screen as different people see it: axe, no horizontal scrolling, also at 200 % zoom.

import { tools } from '../site/browser.mjs';
import { member, signIn } from './people.mjs';

const axe = tools.resolve('axe-core/axe.min.js');

const VIEWS = [
  { name: 'desktop, light', options: { colorScheme: 'light' } },
  { name: 'desktop, dark', options: { colorScheme: 'dark' } },
  { name: 'phone, light', options: { colorScheme: 'light', viewport: { width: 390, height: 844 } } },
  { name: 'phone, dark', options: { colorScheme: 'dark', viewport: { width: 390, height: 844 } } },
  // Half of the pixels: what a desktop shows at 200 %.
  { name: '200 %', options: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 } },
];

export async function sights(browser, server, account, problem) {
  // Operators see the most.
  const email = 'operator@example.com';
  const first = await member(browser, server, account, email, {}, ['--operator']);
  const addresses = await screens(first, account);
  await first.context().close();
  let looks = 0;
  for (const { name, options } of VIEWS) {
    // The policy of the pages would refuse axe's script.
    const page = await signIn(browser, server, email, { ...options, bypassCSP: true });
    for (const path of addresses) {
      await page.goto(path);
      if (path.endsWith('/pages/new')) await page.locator('.cm-editor').waitFor();
      await check(page, `${new URL(path).pathname} (${name})`, problem);
      looks++;
    }
    await page.context().close();
  }
  return `${looks} looks`;
}

// The addresses of all screens of the site, of its account and of the operator.
async function screens(page, account) {
  const base = page.url().split('/pages')[0];
  const links = await page.locator('nav a').evaluateAll((links) => links.map(({ href }) => href));
  const first = await page.locator('tbody a').first().getAttribute('href');
  const below = ['/pages/new', '/pages/trash', '/media?view=list', '/pages?q=nothing', '/domains', '/password', '/redirects',
    '/more', '/audit'];
  const operator = ['accounts', `accounts/${account}`, `accounts/${account}/suspend`, 'queue', 'state'];
  const others = ['/dashboard/sites', '/dashboard/sites/new', '/dashboard/sessions', '/dashboard/passkeys',
    ...operator.map((path) => `/dashboard/operator/${path}`)];
  await page.goto(`${base}/builds`);
  const release = await page.getByRole('link', { name: 'What changed' }).first().getAttribute('href');
  const addresses = [...below.map((path) => base + path), ...[first, release, ...others].map((path) => new URL(path, base).href)];
  return [...new Set([...links, ...addresses])];
}

async function check(page, where, problem) {
  await page.addScriptTag({ path: axe });
  // A frame of a preview is a page of the site, which has its own checks.
  const { violations } = await page.evaluate(() => window.axe.run({ exclude: [['iframe']] }));
  for (const { id, help, nodes } of violations) problem(where, `${id}: ${help}: ${nodes[0].html.slice(0, 120)}`);
  const [width, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  if (width > shown) problem(where, `it is ${width} pixels wide in a window of ${shown}`);
}
