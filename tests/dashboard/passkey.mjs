// Adds a passkey and signs in with it, with Chromium's virtual authenticator. Starts a server of its own, because passkeys
// need a host name. RECTO, SITE_TOOLS and WORK come from tests/dashboard.sh; alone:
//
//   RECTO=target/debug/recto SITE_TOOLS=.tools/site-… WORK=$(mktemp -d) node tests/dashboard/passkey.mjs

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { launch } from '../site/browser.mjs';

const { RECTO: recto, WORK: work } = process.env;
const PASSWORD = 'correct horse battery';

export async function passkey(browser) {
  const [port, sites] = [await sparePort(), await sparePort()];
  const address = `http://localhost:${port}`;
  const env = {
    ...process.env,
    RECTO_DATA: `${work}/passkey`,
    RECTO_API_LISTEN: `127.0.0.1:${port}`,
    RECTO_API_URL: address,
    RECTO_SITES_LISTEN: `127.0.0.1:${sites}`,
    RECTO_SITES_URL: `http://{site}.localhost:${sites}`,
    RECTO_LOG_FILTER: 'warn',
  };
  const server = spawn(recto, ['serve', '--dev'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    await ready(address, server);
    const command = (...args) => JSON.parse(execFileSync(recto, [...args, '--json'], { env, encoding: 'utf8' }));
    const { accountId } = command('account', 'create', 'Keys');
    const { url } = command('user', 'create', 'ada@example.com', '--account', accountId);
    await addAndUse(await browser.newContext(), address, url);
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
  }
}

async function addAndUse(context, address, link) {
  // Generous: the machine may be busy.
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(link);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Repeat password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('link', { name: 'New page' }).waitFor();

  await page.goto(`${address}/dashboard/passkeys`);
  await page.getByLabel('Name').fill('virtual');
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('cell', { name: 'virtual' }).waitFor();
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  assert.deepEqual([credentials.length, credentials[0].rpId], [1, 'localhost']);

  const signOut = () => page.getByRole('button', { name: 'Sign out' }).click();
  const signIn = () => page.getByRole('button', { name: 'Use a passkey' }).click();
  // Twice: the count of the authenticator rises.
  for (let time = 0; time < 2; time++) {
    await signOut();
    await signIn();
    await page.getByRole('link', { name: 'New page' }).waitFor();
  }
  // Back to where one was.
  await signOut();
  await page.goto(`${address}/dashboard/passkeys`);
  await signIn();
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
  assert.equal(await page.getByText('never').count(), 0);

  // Without verification of the person there is no sign-in, and the form says why.
  await signOut();
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await signIn();
  await page.getByText('Cancelled, or no passkey was found.').waitFor();
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await signIn();
  await page.getByRole('link', { name: 'New page' }).waitFor();

  // A passkey that was removed is not accepted any more.
  await page.goto(`${address}/dashboard/passkeys`);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No passkeys yet').waitFor();
  await signOut();
  await signIn();
  await page.getByText('This passkey is not valid here.').waitFor();
  await context.close();
}

async function ready(address, server) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await fetch(`${address}/readyz`).then(({ ok }) => ok, () => false)) return;
    if (server.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the server did not start');
}

function sparePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const browser = await launch();
  try {
    await passkey(browser);
    console.log('passkeys: fine');
  } finally {
    await browser.close();
  }
}
