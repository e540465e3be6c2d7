// The browser windows in which pages are checked.

export const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
export const LOOKS = ['light', 'dark'].flatMap((scheme) => Object.keys(SIZES).map((size) => ({ scheme, size })));

// Far more than anything takes, even on a busy machine.
const PATIENCE_MS = 120_000;

// A new window, which reports problems.
export async function openWindow(browser, sites, options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  return { context, page, watch: await watch(context, page, sites) };
}

// Messages on the console, and requests to other hosts. Foreign files that the texts name are replaced here.
async function watch(context, page, sites) {
  const origins = new Set(sites.map(({ origin }) => origin));
  const named = sites.flatMap(({ pages = [] }) => pages.map(({ content }) => content)).join('\n');
  const watch = { report: () => {}, expect: 200 };
  page.on('console', (message) => {
    const expected = watch.expect !== 200 && message.text().includes(`status of ${watch.expect}`);
    if (message.type() === 'error' && !expected) watch.report(`on the console: ${message.text()}`);
  });
  page.on('pageerror', (error) => watch.report(`a script failed: ${error.message}`));
  await context.route(
    (url) => !origins.has(url.origin),
    async (route) => {
      const url = route.request().url();
      if (!named.includes(url)) watch.report(`asks a foreign host: ${url}`);
      await route.fulfill(
        route.request().resourceType() === 'image'
          ? { contentType: 'image/svg+xml', body: PICTURE }
          : { contentType: 'text/html', body: EMBEDDED },
      );
    },
  );
  return watch;
}

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="400"><path d="M0 0h1600v400H0z"/></svg>';
const EMBEDDED = '<!doctype html><html lang="en"><title>Embedded</title><p>A video.</p></html>';

// Scrolls to the end and back, so that lazy content is loaded, and waits for it.
export async function unroll(page) {
  await page.evaluate(async () => {
    for (let top = 0; top < document.scrollingElement.scrollHeight; top += innerHeight) {
      scrollTo({ top, behavior: 'instant' });
      await new Promise(requestAnimationFrame);
    }
    scrollTo({ top: 0, behavior: 'instant' });
  });
  await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
}

// Opens the menu of a narrow window; false where there is none.
export async function openMenu(page) {
  const opener = page.locator(':is(main, header) :is(summary, button):visible').filter({ hasText: /menu/i }).first();
  if ((await opener.count()) === 0) return false;
  await opener.click();
  return true;
}
