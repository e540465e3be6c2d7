// Runs the validator of the W3C over every document and style sheet that the crawl found.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { tools } from './browser.mjs';
import { count } from './report.mjs';
import { VIEWS } from './views.mjs';
import { request } from './web.mjs';

const EXTENSIONS = { 'text/html': '.html', 'text/css': '.css', 'image/svg+xml': '.svg' };

// Standard features that the validator does not know yet.
const TOO_NEW = new Set([
  // CSS Scroll Snap 2. It shows the current page in a long navigation; a browser without it shows the beginning.
  "CSS: “scroll-initial-target”: Property “scroll-initial-target” doesn't exist.",
  // CSS Overflow 5. It marks the place in the table of contents; the script does so elsewhere.
  "CSS: “scroll-target-group”: Property “scroll-target-group” doesn't exist.",
  'CSS: Unknown pseudo-element or pseudo-class “:target-current”',
  // Scroll-driven Animations, Properties and Values. They fade what is hidden at the end of a wide table.
  "CSS: “animation-timeline”: Property “animation-timeline” doesn't exist.",
  'CSS: Unrecognized at-rule “@property”',
  // CSS View Transitions.
  'CSS: Unrecognized at-rule “@view-transition”',
  "CSS: “view-transition-name”: Property “view-transition-name” doesn't exist.",
]);
const TIMEOUT_MS = 300_000;

export async function validate(sites, gates, work, problem) {
  const directory = join(work, 'documents');
  const saved = await save([...documents(sites), ...(await errors([...sites, ...gates]))], directory);
  const messages = await run(directory);
  const warnings = new Set();
  for (const { type, subType, url, lastLine, message } of messages) {
    const page = saved.get(decodeURIComponent(new URL(url).pathname)) ?? url;
    if ((type === 'info' && subType !== 'warning') || TOO_NEW.has(message)) continue;
    if (type === 'info') warnings.add(message);
    else problem(`${page} line ${lastLine}`, message);
  }
  warnings.forEach((message) => console.log(`   warning: ${message}`));
  return `${count(saved.size, 'document')}, ${count(warnings.size, 'kind')} of warnings`;
}

// The files that the crawl found.
function documents(sites) {
  return sites.flatMap(({ name, files }) => {
    const valid = [...files.values()].filter(({ status, type }) => status === 200 && EXTENSIONS[type]);
    return valid.map(({ path, type, body }) => ({
      name: `${name}${path === '/' ? '/index' : path.replace(/\.(css|svg)$/, '')}${EXTENSIONS[type]}`,
      page: `${name} ${path}`,
      body,
    }));
  });
}

// Error pages, and the password form.
function errors(sites) {
  const views = VIEWS.filter(({ status }) => status !== 200);
  return Promise.all(
    views.map(async ({ name, site, path }) => {
      const { body } = await request(sites.find((one) => one.name === site).origin + path);
      return { name: `errors/${name}.html`, page: `${site} ${path}`, body };
    }),
  );
}

// The pages by the name of their file.
async function save(documents, directory) {
  const saved = new Map();
  for (const { name, page, body } of documents) {
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
    saved.set(file, page);
  }
  return saved;
}

async function run(directory) {
  const jar = join(dirname(tools.resolve('vnu-jar/package.json')), 'build/dist/vnu.jar');
  const options = [
    '--format',
    'json',
    '--stdout',
    '--exit-zero-always',
    '--no-langdetect',
    '--also-check-css',
    '--also-check-svg',
  ];
  const java = ['-Xss4m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-jar', jar, ...options, directory];
  const { stdout } = await promisify(execFile)('java', java, { maxBuffer: 1 << 28, timeout: TIMEOUT_MS });
  return JSON.parse(stdout).messages;
}
