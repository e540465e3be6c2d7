// A server on an empty data directory that can be killed and started again under the same address.

import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';

const { RECTO: recto, WORK: work } = process.env;

export class Server {
  #process = null;

  static async start() {
    const server = new Server();
    const [api, sites] = [await sparePort(), await sparePort()];
    server.api = `http://127.0.0.1:${api}`;
    server.env = {
      ...process.env,
      RECTO_DATA: `${work}/data`,
      RECTO_API_LISTEN: `127.0.0.1:${api}`,
      RECTO_SITES_LISTEN: `127.0.0.1:${sites}`,
      RECTO_SITES_URL: `http://{site}.localhost:${sites}`,
      RECTO_BUILDS_COOLDOWN_SECONDS: '0',
      RECTO_LOG_FILTER: 'warn',
    };
    await server.run();
    return server;
  }

  async run() {
    this.#process = spawn(recto, ['serve', '--dev'], { env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
    for (let attempt = 0; attempt < 600; attempt++) {
      const ready = await fetch(`${this.api}/readyz`).then(({ ok }) => ok, () => false);
      if (ready) return;
      if (this.#process.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('the server did not start');
  }

  // Without a chance to store anything.
  async kill() {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
  }

  // The output of a command, as JSON.
  command(...args) {
    return JSON.parse(execFileSync(recto, [...args, '--json'], { env: this.env, encoding: 'utf8' }));
  }

  async publish(token, body) {
    const response = await fetch(`${this.api}/api/v1/public/pages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`publish: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

function sparePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
