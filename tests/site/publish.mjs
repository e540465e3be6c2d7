// Creates the demo sites on a running server, with its commands and its API.

import { execFileSync } from 'node:child_process';

import { pathOf } from './demo.mjs';
import { request, until } from './web.mjs';

// The sites with their `origin`, and their pages with their `path`.
export async function publish(sites, { recto, api }) {
  const [first] = sites;
  const account = run(recto, ['account', 'create', first.name]);
  const published = [];
  for (const site of sites) {
    const origin = new URL(account.deployUrl).origin.replace(first.name, site.name);
    if (site.absent) {
      published.push({ ...site, origin });
      continue;
    }
    const { siteId } =
      site === first ? account : run(recto, ['site', 'create', site.name, '--account', account.accountId]);
    set(recto, site);
    const pages = site.pages && (await publishSite(new Client(api, account.token, siteId), site));
    published.push({ ...site, origin, pages });
  }
  return published;
}

function set(recto, { name, settings = {}, password }) {
  const changes = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  if (changes.length) run(recto, ['site', 'set', name, ...changes, '--no-build']);
  if (password) run(recto, ['site', 'password', name], password);
}

async function publishSite(client, { pages, moved = [], hidden = [], deleted }) {
  const first = [...pages, ...moved.map(({ from }) => from), ...hidden, ...(deleted ? [deleted] : [])];
  const stored = await client.post(first.map(wire));
  await client.built();
  const placed = pages.filter((page) => !page.unseen).map((page) => ({ ...page, path: pathOf(page) }));
  if (moved.length === 0) return placed;

  const ids = new Map(stored.pages.map((page) => [pathOf(page), page.id]));
  const { slug, contentType } = deleted;
  await client.post(
    moved.map(({ from, to }) => ({ id: ids.get(pathOf(from)), ...to })),
    [{ slug, contentType }],
  );
  await client.built();
  return [...placed, ...moved.map(({ from, to }) => ({ ...from, ...to, path: pathOf({ ...from, ...to }) }))];
}

// A page without the fields of the tests.
function wire({ unseen, ...page }) {
  return page;
}

class Client {
  constructor(api, token, siteId) {
    Object.assign(this, {
      base: `${api}/api/v1/public`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      siteId,
    });
  }

  post(pages, deleteSlugs = []) {
    return this.#call('POST', '/pages', { siteId: this.siteId, pages, deleteSlugs, build: true });
  }

  // Waits for the newest build.
  async built() {
    const build = await until('the build', async () => {
      const build = await this.#call('GET', `/builds/latest?siteId=${this.siteId}`);
      return ['success', 'failed'].includes(build.status) ? build : undefined;
    });
    if (build.status !== 'success') throw new Error(`the build failed: ${JSON.stringify(build)}`);
  }

  async #call(method, path, body) {
    const answer = await request(this.base + path, {
      method,
      headers: this.headers,
      body: body && JSON.stringify(body),
    });
    const text = answer.body.toString();
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const result = JSON.parse(text);
    if (result.build?.error) throw new Error(`${method} ${path}: ${JSON.stringify(result.build)}`);
    return result;
  }
}

function run(recto, args, input = '') {
  return JSON.parse(
    execFileSync(recto, [...args, '--json'], { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] }),
  );
}
