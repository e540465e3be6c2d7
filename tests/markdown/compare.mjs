// Compares the output of Recto and of cmark-gfm for each text: `NAME.md.html` with `NAME.md.cmark.html`.

import { readFileSync, readdirSync } from 'node:fs';

import { ALLOWED } from './allowed.mjs';
import { outline } from './tree.mjs';

// How much of a difference is shown.
const LINES = 4;
const CHARACTERS = 400;

const [, , directory, single] = process.argv;
const names = readdirSync(directory).filter((name) => name.endsWith('.md'));
const read = (name, kind) => outline(readFileSync(`${directory}/${name}${kind}`, 'utf8'));
const failures = names.map(single ? show : check).filter(Boolean);
failures.forEach((failure) => console.log(failure));
console.log(`${names.length} texts, ${failures.length} that should not differ as they do`);
process.exitCode = failures.length ? 1 : 0;

function check(name) {
  const [ours, theirs] = [read(name, '.html'), read(name, '.cmark.html')];
  const lines = onlyIn(ours, theirs) + onlyIn(theirs, ours);
  const allowed = ALLOWED[name]?.lines ?? 0;
  if (lines === allowed && (allowed || ours.every((line, at) => line === theirs[at]))) return undefined;
  const at = Math.max(0, ours.findIndex((line, index) => line !== theirs[index]) - 1);
  const part = (outline) => outline.slice(at, at + LINES).join('\n    ').slice(0, CHARACTERS);
  return `${name}: ${lines} lines differ, ${allowed} are explained\n  cmark-gfm:\n    ${part(theirs)}\n  recto:\n    ${part(ours)}`;
}

// The number of lines that only one of them has.
function onlyIn(these, those) {
  const counts = new Map();
  for (const line of those) counts.set(line, (counts.get(line) ?? 0) + 1);
  return these.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  }).length;
}

function show(name) {
  console.log(`== cmark-gfm\n${read(name, '.cmark.html').join('\n')}\n== recto\n${read(name, '.html').join('\n')}`);
  return check(name);
}
