// The pictures of docs/: a small site, and Recto's own API reference.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { publish } from './publish.mjs';
import { count } from './report.mjs';
import { openWindow, unroll } from './window.mjs';

const DESKTOP = { width: 1280, height: 820 };
const PHONE = { width: 390, height: 844 };

const PICTURES = [
  { name: 'docs-light', path: '/docs/guides/first-light', viewport: DESKTOP },
  { name: 'api-dark', path: '/docs/api/create-a-signal', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'post-light', path: '/blog/a-lamp-that-reports', viewport: DESKTOP },
  { name: 'home-light', path: '/', viewport: DESKTOP },
  { name: 'phone', path: '/docs/api/create-a-signal', viewport: PHONE },
];

export async function pictures(browser, { recto, api }, directory, problem) {
  await mkdir(directory, { recursive: true });
  const [site] = await publish([SITE], { recto, api });
  const all = PICTURES.map((picture) => ({ ...picture, url: site.origin + picture.path }));
  all.push({ name: 'reference', url: `${api}/docs/pages/publish-pages`, viewport: { width: 1440, height: 900 } });
  for (const { name, url, viewport, colorScheme = 'light' } of all) {
    const { context, page, watch } = await openWindow(browser, [site, { origin: api }], { viewport, colorScheme });
    watch.report = (reason) => problem(name, reason);
    const answer = await page.goto(url, { waitUntil: 'load' });
    if (answer.status() !== 200) problem(name, `${url} answers ${answer.status()}`);
    await unroll(page);
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(directory, `${name}.png`) });
    await context.close();
  }
  return `${count(all.length, 'picture')} in ${directory}`;
}

const FENCE = '```';

const SITE = {
  name: 'lanternfish',
  settings: {
    title: 'Lanternfish',
    description: 'Lamps that report when they go out.',
    author: 'Ines Duarte',
    edit: 'https://code.example/lanternfish/edit/main/{path}.md',
  },
  pages: [
    docs('guides', 'first-light', 'First light', 1, firstLight(), 'Connect a lamp, and see its first signal.'),
    docs('guides', 'watch-a-harbour', 'Watch a harbour', 2, 'Several lamps in one place.'),
    docs('guides', 'work-offline', 'Work offline', 3, 'What a lamp keeps until it is connected again.'),
    docs('operations', 'alarms', 'Alarms', 1, 'Who is called, and when.'),
    docs('operations', 'backups', 'Backups', 2, 'Copies of all signals.'),
    { ...docs('api', 'create-a-signal', 'Create a signal', 1, createASignal()), apiEndpoint: 'POST /v1/signals' },
    { ...docs('api', 'list-signals', 'List signals', 2, 'Newest first.'), apiEndpoint: 'GET /v1/signals' },
    { ...docs('api', 'delete-a-signal', 'Delete a signal', 3, 'For good.'), apiEndpoint: 'DELETE /v1/signals/{id}' },
    post('a-lamp-that-reports', 'A lamp that reports', '2026-09-14', aLampThatReports()),
    post('forty-harbours', 'Forty harbours, one night', '2026-08-30', 'What we learned from a storm in August.'),
    post('why-serial-numbers', 'Why lamps have serial numbers', '2026-07-02', 'A short history of losing things.'),
    { slug: 'imprint', title: 'Imprint', contentType: 'standalone', content: 'Lanternfish, Lisbon.' },
  ],
};

function docs(section, slug, title, weight, content, description) {
  return { contentType: 'docs', section, slug, title, content, description, params: { weight } };
}

function post(slug, title, day, content) {
  return { contentType: 'blog', slug, title, content, publishedAt: `${day}T08:00:00Z`, tags: ['Harbours', 'Lamps'] };
}

function firstLight() {
  return `
A lamp needs a key and a place. Both are created once; after that it reports every minute.

## Create a key

:::tabs
${FENCE}sh
lanternfish key create "North pier"
${FENCE}

${FENCE}python
import lanternfish

key = lanternfish.Key.create("North pier")
${FENCE}
:::

> [!TIP]
> A key belongs to one lamp. Create another one for the next lamp.

## Connect the lamp

${FENCE}toml title="lamp.toml" {3}
[lamp]
name = "North pier"
key = "lf_2h7…"
interval = "60 s"
${FENCE}

## Watch it

The first signal arrives within a minute. If it does not, see [Alarms](/docs/operations/alarms).
`;
}

function createASignal() {
  return `
Stores what a lamp has seen. Signals are kept for a year.

## Request

${FENCE}sh title="curl"
curl https://api.lanternfish.example/v1/signals \\
  -H "Authorization: Bearer $TOKEN" \\
  -d '{"lamp": "north-pier", "state": "dim"}'
${FENCE}

| Field | Type | |
|---|---|---|
| \`lamp\` | string | the lamp that reports |
| \`state\` | \`on\`, \`off\` or \`dim\` | what it saw |
| \`at\` | time | default: now |

## Response

${FENCE}json title="201 Created"
{
  "id": "sig_81f2",
  "lamp": "north-pier",
  "state": "dim",
  "at": "2026-09-14T04:12:09Z"
}
${FENCE}
`;
}

function aLampThatReports() {
  return `
On most piers, a lamp is checked by a person who walks there. That works until the person is ill, or the sea is high, or the
lamp goes out an hour after the visit. We wanted a lamp that says so itself.

The first one was a kitchen timer, a photo resistor and a phone. It called us forty times on its first night, each time a gull
sat down in front of it. The second one waited for three dark minutes, and called once.

## What a lamp knows

A lamp knows little: whether it is lit, how bright it is, and the time. Everything else is arithmetic, and arithmetic can be
done somewhere dry.
`;
}
