// People who use the dashboard: each has a browser context of their own.

const PASSWORD = 'correct horse battery';

// A member of the account, signed in. `options` are those of Playwright's contexts, `flags` those of the command.
export async function member(browser, server, account, email, options = {}, flags = []) {
  const { url } = server.command('user', 'create', email, '--account', account, '--role', 'owner', ...flags);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  // Generous: the machine may be busy.
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  await page.goto(server.api + new URL(url).pathname + new URL(url).search);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Repeat password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await isSignedIn(page);
  return page;
}

// The same person in another context.
export async function signIn(browser, server, email, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  await page.goto(`${server.api}/dashboard`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isSignedIn(page);
  return page;
}

// The pages of the only site, or the list of sites.
const isSignedIn = (page) => page.waitForURL(({ pathname }) => pathname.startsWith('/dashboard/sites'));

export const content = (page) => page.getByRole('textbox', { name: 'Content', exact: true });

// What the editor shows, line by line.
export const text = (page) => page.locator('.cm-line').allInnerTexts().then((lines) => lines.join('\n'));
