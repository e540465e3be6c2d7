// Checks one page of every type for people: wide and narrow, light and dark, by keyboard.

import { readFileSync } from 'node:fs';

import { tools } from './browser.mjs';
import { count } from './report.mjs';
import { focused, reversed, unseen, widest } from './sights.mjs';
import { VIEWS } from './views.mjs';
import { LOOKS, SIZES, openMenu, openWindow, unroll } from './window.mjs';

// The narrowest screens, and those between a phone's and a desktop's.
const WIDTHS = [320, 360, 390, 600, 800, 1024, 1280];
// How many stops of the Tab key are checked.
const STOPS = 8;

const AXE = readFileSync(tools.resolve('axe-core/axe.min.js'), 'utf8');

// Every rule that axe enables by default, best practices included, and the size of targets (WCAG 2.2). No exceptions.
const RULES = { iframes: false, resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } };

export async function access(browser, sites, problem) {
  const originOf = new Map(sites.map(({ name, origin }) => [name, origin]));
  const looks = [...LOOKS];
  let shown = 0;
  const worker = async () => {
    for (let look; (look = looks.shift());) {
      const visitor = await Visitor.enter(browser, sites, look, problem);
      for (const view of VIEWS) {
        await visitor.see(view, originOf.get(view.site) + view.path);
        shown += 1;
      }
      await visitor.leave();
    }
  };
  await Promise.all([worker(), worker()]);
  return count(shown, 'view');
}

class Visitor {
  static async enter(browser, sites, look, problem) {
    const options = { viewport: SIZES[look.size], colorScheme: look.scheme, reducedMotion: 'reduce' };
    return Object.assign(new Visitor(), { look, problem, ...(await openWindow(browser, sites, options)) });
  }

  // A view that cannot be opened does not prevent the checks of the others.
  async see(view, url) {
    const { scheme, size } = this.look;
    const problem = (reason) => this.problem(`${view.name} (${view.site} ${view.path}, ${scheme}, ${size})`, reason);
    Object.assign(this.watch, { report: problem, expect: view.status });
    await this.#look(view, url, problem).catch(({ message }) => problem(message.split('\n')[0]));
  }

  async #look(view, url, problem) {
    const answer = await this.page.goto(url, { waitUntil: 'load' });
    if (answer.status() !== view.status) problem(`answers ${answer.status()}`);
    await unroll(this.page);
    // Without a menu to open, this equals another view that is already checked.
    if (view.opens && !(await openMenu(this.page))) return;
    await this.#measure(view, problem);
    await this.#audit(problem);
    if (this.look.scheme === 'dark' || view.opens) return;
    await checkKeyboard(this.page, problem);
    if (this.look.size === 'desktop') return;
    view.text = await this.page.locator('main').innerText();
    await this.#checkWidths(problem);
  }

  async #measure({ name }, problem) {
    const missing = name.endsWith('kitchen-sink') ? await this.page.evaluate(unseen, FEATURES) : [];
    missing.forEach(problem);
    for (const text of await this.page.evaluate(reversed)) problem(`is set from right to left: ${text}`);
  }

  async #audit(problem) {
    await this.page.evaluate(AXE);
    const violations = await this.page.evaluate(async (rules) => {
      const { violations } = await window.axe.run(document, rules);
      return violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.map(({ target, any, all }) => [target.join(' '), [...any, ...all][0]?.message ?? '']),
      }));
    }, RULES);
    for (const { id, help, nodes } of violations) {
      for (const [target, message] of nodes.slice(0, 3)) problem(`axe ${id}: ${help}: ${target}: ${message}`);
    }
  }

  async #checkWidths(problem) {
    for (const width of WIDTHS) {
      await this.page.setViewportSize({ ...SIZES.phone, width });
      const wide = await this.page.evaluate(widest);
      if (wide) problem(`at ${width} px the page is ${wide.width} px wide, because of ${wide.culprit}`);
    }
    await this.page.setViewportSize(SIZES.phone);
  }

  async leave() {
    await this.context.close();
  }
}

// The elements of the kitchen sink, and how many there are at least.
const FEATURES = {
  table: 5,
  'li input[type="checkbox"]': 5,
  'dl dt': 2,
  'dl dd': 3,
  blockquote: 3,
  's, del': 1,
  'p math': 2,
  'math[display="block"]': 4,
  'pre code span': 60,
  'a[href^="#fn"]': 3,
  'section li a[href^="#fnref"]': 3,
  figcaption: 2,
  'details summary': 1,
  video: 1,
  iframe: 2,
  ':is(h3, h4, h5, h6)[id]': 10,
};

// The Tab key leads to visible elements, and the first one skips the navigation.
async function checkKeyboard(page, problem) {
  const { links, navigation } = await page.evaluate(() => ({
    links: document.links.length,
    navigation: document.querySelector('header nav') !== null,
  }));
  const stops = [];
  for (let stop = 0; stop < STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate(focused);
    if (!focus) break;
    stops.push(focus);
    if (!focus.outlined) problem(`the keyboard's focus cannot be seen on ${focus.name}`);
    if (!focus.inside) problem(`the keyboard's focus is outside of the window on ${focus.name}`);
  }
  if (links && !stops.length) problem('Tab leads nowhere');
  else if (navigation && !stops[0].hash)
    problem(`the first stop of Tab is ${stops[0].name}, not a link past the navigation`);
  else if (navigation) await checkSkip(page, stops[0].hash, problem);
}

async function checkSkip(page, hash, problem) {
  await page.evaluate(() => document.querySelector('a[href^="#"]').focus());
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  const landed = await page.evaluate(() => ({
    hash: decodeURIComponent(location.hash),
    within: document.activeElement.closest('main') !== null,
    any: [...document.querySelectorAll('main :is(a[href], button, summary)')].some((element) =>
      element.checkVisibility(),
    ),
  }));
  if (landed.hash !== hash) problem(`the link past the navigation leads to "${landed.hash}"`);
  if (landed.any && !landed.within) problem('after the link past the navigation, Tab does not go on in the text');
}
