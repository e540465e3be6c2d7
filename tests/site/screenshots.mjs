// Screenshots of every type of page.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { count } from './report.mjs';
import { VIEWS } from './views.mjs';
import { LOOKS, SIZES, openMenu, openWindow, unroll } from './window.mjs';

export async function screenshots(browser, sites, directory, problem) {
  await mkdir(directory, { recursive: true });
  let taken = 0;
  const originOf = new Map(sites.map(({ name, origin }) => [name, origin]));
  for (const { scheme, size } of LOOKS) {
    const { context, page, watch } = await openWindow(browser, sites, { viewport: SIZES[size], colorScheme: scheme });
    for (const { name, site, path, status, opens } of VIEWS) {
      Object.assign(watch, { expect: status, report: (reason) => problem(name, reason) });
      await page.goto(originOf.get(site) + path, { waitUntil: 'load' });
      await unroll(page);
      if (opens && !(await openMenu(page))) continue;
      await page.screenshot({ path: join(directory, `${name}-${size}-${scheme}.png`), fullPage: !opens });
      taken += 1;
    }
    await context.close();
  }
  return `${count(taken, 'picture')} in ${directory}`;
}
