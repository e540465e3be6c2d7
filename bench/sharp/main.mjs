// Converts images to WebP with sharp's defaults: a line `{"from": …, "to": …}` in, a line with the milliseconds out.
//
//   SHARP_TOOLS comes from bench/run.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const sharp = createRequire(`${process.env.SHARP_TOOLS}/package.json`)('sharp');

// It would cache the image from the previous round.
sharp.cache(false);

for await (const line of createInterface({ input: process.stdin })) {
  const { from, to } = JSON.parse(line);
  const bytes = await readFile(from);
  const start = performance.now();
  await sharp(bytes, { animated: from.endsWith('.gif') }).webp().toFile(to);
  console.log(performance.now() - start);
}
