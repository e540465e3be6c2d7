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
  const operator = await member(browser, server, account, 'operator@example.com', {}, ['--operator']);
  await operator.context().close();
  const people = [
    { email: 'flow@example.com', screens: siteScreens },
    { email: 'operator@example.com', screens: () => operatorScreens(server, account) },
  ];
  let looks = 0;
  for (const { name, options } of VIEWS) {
    for (const { email, screens } of people) {
      // The policy of the pages would refuse axe's script.
      const page = await signIn(browser, server, email, { ...options, bypassCSP: true });
      for (const path of await screens(page)) {
        await page.goto(path);
        if (path.endsWith('/pages/new')) await page.locator('.cm-editor').waitFor();
        await check(page, `${new URL(path).pathname} (${name})`, problem);
        looks++;
      }
      await page.context().close();
    }
  }
  return `${looks} looks`;
}

const operatorScreens = (server, account) =>
  ['accounts', `accounts/${account}`, `accounts/${account}/suspend`, 'queue', 'state'].map(
    (path) => `${server.api}/dashboard/operator/${path}`,
  );

// The addresses of all screens of the site and of its account.
async function siteScreens(page) {
  const base = page.url().split('/pages')[0];
  const links = await page.locator('nav a').evaluateAll((links) => links.map(({ href }) => href));
  const first = await page.locator('tbody a').first().getAttribute('href');
  const below = ['/pages/new', '/pages/trash', '/media?view=list', '/pages?q=nothing', '/domains', '/password', '/redirects',
    '/more', '/audit'];
  const others = ['/dashboard/sites', '/dashboard/sites/new', '/dashboard/sessions', '/dashboard/passkeys'];
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
