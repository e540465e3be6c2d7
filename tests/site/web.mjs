// Requests to the server. The site is selected by the Host header, so that `*.localhost` need not resolve.

import http from 'node:http';

const TIMEOUT_MS = 60_000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });

// The raw response: redirects are not followed, and nothing is decompressed.
export function request(url, { method = 'GET', headers = {}, body } = {}) {
  const { host, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: '127.0.0.1',
      port,
      path: pathname + search,
      method,
      headers: { host, ...headers },
      timeout: TIMEOUT_MS,
    };
    const request = http.request(options, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('timeout', () => request.destroy(new Error(`${method} ${url}: no answer within ${TIMEOUT_MS} ms`)));
    request.on('error', reject);
    request.end(body);
  });
}

// Repeats the request until there is a response, or too much time has passed.
export async function until(what, ask, { seconds = 120, every = 50 } = {}) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, every));
  }
  throw new Error(`${what}: not within ${seconds} s`);
}
