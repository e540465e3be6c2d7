// The pictures of docs/dashboard.md.

import { content, member } from './people.mjs';

const TEXT = `A lamp is a promise: someone is awake.

## Why harbours have two

The *first* one is to find the harbour, the **second** one to find the way in. [More about lamps](/docs/lamps)

- red on the left
- green on the right
`;

export async function pictures(browser, server, account, token, directory) {
  const pages = ['Harbour lamps', 'A letter from the coast', 'How we count ships', 'Tide tables'].map((title, index) => ({
    title, content: TEXT, draft: index === 2, tags: ['coast'], ...(index === 3 && { publishedAt: '2035-05-01' }),
  }));
  await server.publish(token, { pages, build: true });
  const page = await member(browser, server, account, 'owner@example.com', {
    viewport: { width: 1440, height: 900 }, colorScheme: 'light',
  });
  const shot = (name) => page.screenshot({ path: `${directory}/dashboard-${name}.png` });
  await shot('pages');
  await page.getByRole('link', { name: 'Harbour lamps' }).click();
  await page.locator('.cm-editor').waitFor();
  await page.getByRole('button', { name: 'Preview beside' }).click();
  await page.frameLocator('iframe.preview').getByText('Why harbours have two').waitFor();
  await content(page).focus();
  await page.evaluate(() => document.fonts.ready);
  await shot('editor');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Preview beside' }).click();
  await shot('phone');
  await page.context().close();
}
