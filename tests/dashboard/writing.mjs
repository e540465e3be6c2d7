// Writing a page: from an empty form to the site, and what happens when something goes wrong meanwhile.

import assert from 'node:assert/strict';

import { content, member, signIn, text } from './people.mjs';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

// Waits until a condition holds.
export async function until(what, holds) {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`this did not happen within 30 seconds: ${what}`);
}

const kept = (page) => page.getByText('Unsaved changes are kept').waitFor();

export async function wholeFlow(browser, server, account) {
  const page = await member(browser, server, account, 'flow@example.com');
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  // Those of the preview are expected: scripts do not run there, and before the first build there are no fonts.
  const isOwn = (message) => message.type() === 'error' && message.location().url.startsWith(server.api);
  page.on('console', (message) => isOwn(message) && errors.push(message.text()));
  await page.getByRole('link', { name: 'New page' }).click();
  await page.getByLabel('Title', { exact: true }).fill('A first page');
  await page.locator('.cm-editor').waitFor();
  await content(page).click();
  await page.keyboard.type('# One\n\nSome *words* of mine.');
  await kept(page);

  await page.getByRole('button', { name: 'Preview beside' }).click();
  await page.frameLocator('iframe.preview').getByText('words of mine').waitFor();
  await content(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' And more.');
  await until('the preview follows', () =>
    page.frameLocator('iframe.preview:not(.next)').getByText('And more.').isVisible().catch(() => false));

  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Order').fill('7');
  await page.getByRole('button', { name: 'Save and publish' }).click();
  await page.getByText('A build has been queued').waitFor();
  await page.getByRole('link', { name: 'A first page' }).click();
  assert.equal(await page.getByLabel('Order').inputValue(), '7');
  assert.ok(await page.locator('.restored').isHidden(), 'a saved page has no unsaved changes');
  const address = await page.getByRole('link', { name: 'View on the site' }).getAttribute('href');
  const visitor = await page.context().newPage();
  await until('the page is on the site', async () => {
    await visitor.goto(address);
    return (await visitor.content()).includes('And more.');
  });
  await visitor.close();

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'Trash' }).click();
  await page.getByRole('button', { name: 'Restore A first page' }).click();
  await page.getByText('The trash is empty').waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
}

export async function withoutScript(browser, server, account) {
  const page = await member(browser, server, account, 'plain@example.com', { javaScriptEnabled: false });
  await page.getByRole('link', { name: 'New page' }).click();
  await page.getByLabel('Title', { exact: true }).fill('Without script');
  await content(page).fill('Plain words.');
  const [preview] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Preview', exact: true }).click(),
  ]);
  await preview.frameLocator('iframe').getByText('Plain words.').waitFor();
  await preview.close();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByLabel('State').selectOption('draft');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('No pages match').waitFor();
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByLabel('Choose Without script').check();
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByLabel('Tag', { exact: true }).fill('plain');
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByText('The tag was added').waitFor();
  await page.getByRole('link', { name: 'Media' }).click();
  await page.getByLabel('Files').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') });
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('link', { name: 'notes.txt' }).last().waitFor();
  await page.context().close();
}

export async function twoPeople(browser, server, account, token) {
  await server.publish(token, { pages: [{ title: 'Shared', content: 'before' }] });
  const [ada, bob] = [
    await member(browser, server, account, 'ada@example.com'),
    await member(browser, server, account, 'bob@example.com'),
  ];
  for (const [page, words] of [[ada, "Ada's words"], [bob, "Bob's words"]]) {
    await page.getByRole('link', { name: 'Shared', exact: true }).click();
    await page.locator('.cm-editor').waitFor();
    await content(page).fill(words);
  }
  await ada.getByRole('button', { name: 'Save', exact: true }).click();
  await ada.getByText('Saved.').waitFor();
  await bob.getByRole('button', { name: 'Save', exact: true }).click();
  await bob.getByText('someone else changed this page').waitFor();
  await bob.getByText("Ada's words").waitFor();
  assert.equal(await text(bob), "Bob's words");
  await Promise.all([ada.context().close(), bob.context().close()]);
}

export async function dropped(browser, server, account) {
  const page = await member(browser, server, account, 'drop@example.com');
  const transfer = (name, bytes) =>
    page.evaluateHandle(([name, bytes]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
      return transfer;
    }, [name, [...bytes]]);
  await page.getByRole('link', { name: 'New page' }).click();
  await page.locator('.cm-editor').waitFor();
  await content(page).dispatchEvent('drop', { dataTransfer: await transfer('dot.png', PIXEL) });
  await until('the image is in the text', async () => /!\[dot\]\(\/media\/\S+\)/.test(await text(page)));
  await page.getByRole('link', { name: 'Media' }).click();
  await page.locator('form.upload').dispatchEvent('drop', { dataTransfer: await transfer('other.png', PIXEL) });
  await page.getByText('Uploaded.').waitFor();
  await page.getByLabel('Not used').check();
  await page.getByRole('button', { name: 'Copy Markdown' }).first().waitFor();
  await page.context().close();
}

export async function nothingIsLost(browser, server, account, token) {
  await server.publish(token, { pages: [{ title: 'Precious', content: 'before' }] });
  let page = await member(browser, server, account, 'careful@example.com');
  await page.getByRole('link', { name: 'Precious' }).click();
  await page.locator('.cm-editor').waitFor();
  const address = page.url();
  await content(page).fill('typed before the crash');
  await kept(page);
  await server.kill();
  await content(page).fill('typed while the server was gone');
  await page.getByText('kept in this browser').waitFor();
  await page.close();
  await server.run();

  // Another tab of the same browser has what the server never got.
  page = await page.context().newPage();
  await page.goto(address);
  await page.getByText('were restored').waitFor();
  await until('the newest text is shown', async () => (await text(page)) === 'typed while the server was gone');
  await kept(page);

  // Another browser has it now, too.
  const other = await signIn(browser, server, 'careful@example.com');
  await other.goto(address);
  await until('the text is shown in another browser', async () => (await text(other)) === 'typed while the server was gone');
  await other.getByRole('button', { name: 'Discard' }).click();
  await other.getByText('were discarded').waitFor();
  assert.equal(await text(other), 'before');
  await other.context().close();

  // A tab that is closed at once still sends what was typed.
  await content(page).fill('typed and closed');
  await page.close({ runBeforeUnload: true });
  page = await page.context().newPage();
  await page.goto(address);
  await until('what was typed last is shown', async () => (await text(page)) === 'typed and closed');

  // The session ends: the form is sent, and comes back after signing in.
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('what you wrote is kept').waitFor();
  await page.getByLabel('Email').fill('careful@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('link', { name: 'Precious' }).click();
  await until('it is saved', async () => (await text(page)) === 'typed and closed');
  assert.ok(await page.locator('.restored').isHidden());
  await page.context().close();
}

export async function twoTabs(browser, server, account, token) {
  await server.publish(token, { pages: [{ title: 'Twice', content: 'before' }] });
  const first = await member(browser, server, account, 'tabs@example.com');
  await first.getByRole('link', { name: 'Twice' }).click();
  const address = first.url();
  const opened = async () => {
    const page = await first.context().newPage();
    await page.goto(address);
    await page.locator('.cm-editor').waitFor();
    return page;
  };
  await first.locator('.cm-editor').waitFor();
  const second = await opened();
  await content(first).fill('typed in the first tab');
  await kept(first);
  await content(second).fill('typed in the second tab');
  await second.getByText('another tab has other changes').waitFor();
  await second.close();

  // Both texts are there: one is shown, and the other is offered.
  const third = await opened();
  assert.equal(await text(third), 'typed in the first tab');
  await third.getByRole('button', { name: 'Show it' }).click();
  await until('the other text is shown', async () => (await text(third)) === 'typed in the second tab');
  await kept(third);
  await third.getByRole('button', { name: 'Show it' }).click();
  await until('they are exchanged', async () => (await text(third)) === 'typed in the first tab');
  await kept(third);
  await third.getByRole('button', { name: 'Save', exact: true }).click();
  await third.getByText('Saved.').waitFor();

  // The other one is not lost by that, and does not replace what was saved.
  const fourth = await opened();
  await fourth.getByText('were restored').waitFor();
  assert.equal(await text(fourth), 'typed in the second tab');
  await kept(fourth);
  await fourth.getByRole('button', { name: 'Save', exact: true }).click();
  await fourth.getByText('someone else changed this page').waitFor();
  await first.context().close();
}

export async function byKeyboard(browser, server, account) {
  const page = await member(browser, server, account, 'keys@example.com');
  await page.goto(`${page.url().split('?')[0]}/new`);
  await page.locator('.cm-editor').waitFor();
  await page.getByLabel('Title', { exact: true }).focus();
  await page.keyboard.type('By keyboard');
  const focused = () => page.evaluate(() => document.activeElement?.name || document.activeElement?.className || '');
  const tabTo = async (wanted) => {
    for (let presses = 0; presses < 40; presses++) {
      if ((await focused()).includes(wanted)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${wanted}`);
  };
  await tabTo('cm-content');
  await page.keyboard.type('words');
  // The editor is no trap.
  await tabTo('draft');
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Saved.').waitFor();
  await page.getByText('Draft', { exact: true }).waitFor();
  await page.context().close();
}

export async function plainText(browser, server, account) {
  const page = await member(browser, server, account, 'textarea@example.com');
  await page.getByRole('link', { name: 'New page' }).click();
  await page.locator('.cm-editor').waitFor();
  await content(page).fill('one');
  await page.getByRole('button', { name: 'Plain text' }).click();
  assert.equal(await page.locator('textarea[name=content]').inputValue(), 'one');
  await page.locator('textarea[name=content]').fill('two');
  await page.getByRole('button', { name: 'Editor' }).click();
  assert.equal(await text(page), 'two');
  await page.context().close();
}
