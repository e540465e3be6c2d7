// Publishes the demo sites of tests/site to a running server, and prints the origin of the first.

import { SITES } from '../site/demo.mjs';
import { publish } from '../site/publish.mjs';

const { RECTO: recto, API: api } = process.env;

const [{ origin }] = await publish(SITES.slice(0, 1), { recto, api });
console.log(origin);
