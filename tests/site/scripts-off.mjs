// Checks pages with scripts disabled, on a phone.

import { count } from './report.mjs';
import { VIEWS } from './views.mjs';
import { SIZES, openMenu, openWindow } from './window.mjs';

const PHONE = { viewport: SIZES.phone, javaScriptEnabled: false };

// With scripts disabled, the text is the one that `access` has seen, and the navigation works.
export async function withoutScripts(browser, sites, problem) {
  const originOf = new Map(sites.map(({ name, origin }) => [name, origin]));
  const { context, page } = await openWindow(browser, sites, PHONE);
  const views = VIEWS.filter(({ opens }) => !opens);
  for (const view of views) {
    await page.goto(originOf.get(view.site) + view.path, { waitUntil: 'load' });
    const text = await page.locator('main').innerText();
    if (text !== view.text || text.length < 10) problem(view.name, 'the text without scripts is another one');
    await checkMasthead(page, view, problem);
  }
  await checkMenus(page, originOf.get('lantern'), problem);
  await context.close();
  return `${count(views.length, 'page')}, on a phone`;
}

// Every link of the masthead is visible, or there is a menu that opens.
async function checkMasthead(page, view, problem) {
  for (const link of await page.locator('header nav a').all()) {
    if (!(await link.isVisible())) problem(view.name, `the masthead hides ${await link.textContent()} on a phone`);
  }
}

// The docs' menu opens, and leads to another page.
async function checkMenus(page, origin, problem) {
  const at = '/docs/guides/install';
  await page.goto(origin + at);
  const link = page.locator('nav.side a[href="/docs/guides/configure"]').first();
  if ((await link.count()) === 0) return problem(at, 'the menu does not name the next page of the section');
  if (!(await openMenu(page))) return problem(at, 'there is nothing to open the menu with');
  if (!(await link.isVisible())) return problem(at, 'the menu does not open');
  await link.click();
  await page.waitForURL(`${origin}/docs/guides/configure`);
}

// The password form works without scripts.
export async function gate(browser, site, problem) {
  const { context, page } = await openWindow(browser, [site], PHONE);
  const { title, content } = site.pages[0];
  const say = async (password, sign) => {
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button').click();
    await sign.waitFor().catch(() => problem('secret /', `"${password}" is not answered with ${sign}`));
  };
  await page.goto(site.origin);
  await say('a guess', page.getByRole('alert'));
  await say(site.password, page.getByRole('heading', { name: title }));
  if (!(await page.locator('main').innerText()).includes(content))
    problem('secret /', 'the right password does not show the text');
  if (new URL(page.url()).search) problem('secret /', `the address has a query: ${page.url()}`);
  await context.close();
}
