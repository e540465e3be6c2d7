// Reads the report of afdocs, and fails below its best score.

import { readFileSync } from 'node:fs';

const BEST = 100;

const { results, scoring } = JSON.parse(readFileSync(0, 'utf8'));
for (const { id, status, message } of results) {
  if (status === 'fail' || status === 'warn' || status === 'error') console.log(`  ${status} ${id}: ${message}`);
}
console.log(`afdocs: ${scoring.overall} of 100`);
process.exitCode = scoring.overall === BEST ? 0 : 1;
