// Publishes the first demo site of tests/site to a running server, and prints its origin.

import { SITES } from '../site/demo.mjs';
import { publish } from '../site/publish.mjs';

const { RECTO: recto, API: api } = process.env;

// Markdown leads to the list of all pages.
const [site] = SITES;
const readable = { ...site, settings: { ...site.settings, pointer: 'yes' } };
const [{ origin }] = await publish([readable], { recto, api });
console.log(origin);
