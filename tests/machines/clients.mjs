// Reads a site with the clients of the Model Context Protocol for JavaScript: the present one, and the one before.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { MACHINES_TOOLS: tools, SITE: site } = process.env;
const load = async (name) => import(pathToFileURL(createRequire(`${tools}/`).resolve(name)));
const url = new URL('/mcp', site);

const present = await load('@modelcontextprotocol/client');
const former = {
  ...(await load('@modelcontextprotocol/sdk/client/index.js')),
  ...(await load('@modelcontextprotocol/sdk/client/streamableHttp.js')),
};

for (const [name, { Client, StreamableHTTPClientTransport }, options] of [
  ['@modelcontextprotocol/client', present, { versionNegotiation: { mode: 'auto' } }],
  ['@modelcontextprotocol/sdk', former, {}],
]) {
  const client = new Client({ name: 'recto-test', version: '1' }, options);
  await client.connect(new StreamableHTTPClientTransport(url));
  await use(client);
  const version = client.getNegotiatedProtocolVersion?.() ?? client.transport?.protocolVersion;
  await client.close();
  console.log(`${name}: ${version}`);
}

// Lists the pages, reads the first, searches for a word of its title.
async function use(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ['search', 'read', 'list']);
  const call = async (name, args) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    return { text: content[0].text, isError: Boolean(isError) };
  };
  const listed = (await call('list', {})).text.split('\n').filter((line) => line.startsWith('/'));
  assert.ok(listed.length > 5, `${listed.length} pages`);
  const [, path, title] = /^(\S+) (.+)$/.exec(listed.at(-1));
  assert.equal((await call('read', { path })).isError, false, path);
  const found = await call('search', { query: title.slice(0, 200) });
  assert.ok(found.text.includes(`\n${path}`), `${title} is not found:\n${found.text}`);
  assert.equal((await call('read', { path: '/no/such/page' })).isError, true);
}
