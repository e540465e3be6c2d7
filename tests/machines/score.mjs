// Reads the report of afdocs, and fails below a score.

import { readFileSync } from 'node:fs';

// Each check that is not passed is named, and lowers this.
const LEAST = 95;

const { results, scoring } = JSON.parse(readFileSync(0, 'utf8'));
for (const { id, status, message } of results) {
  if (status === 'fail' || status === 'warn' || status === 'error') console.log(`  ${status} ${id}: ${message}`);
}
console.log(`afdocs: ${scoring.overall} of 100`);
process.exitCode = scoring.overall >= LEAST ? 0 : 1;
