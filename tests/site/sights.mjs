// Measures pages. Each of these functions runs alone in the browser, without the rest of this file.

// Elements of the kitchen sink that should be visible and are not.
export function unseen(features) {
  const prose = document.querySelector('.prose');
  const reasons = [];
  for (const [selector, least] of Object.entries(features)) {
    const found = [...prose.querySelectorAll(selector)].length;
    if (found < least) reasons.push(`shows ${found} ${selector}, not ${least}`);
  }
  for (const kind of ['Note', 'Tip', 'Important', 'Warning', 'Caution']) {
    const titles = [...prose.querySelectorAll('*')].filter(
      ({ childElementCount, textContent }) =>
        childElementCount === 0 && textContent.trim().toLowerCase() === kind.toLowerCase(),
    );
    if (!titles.length) reasons.push(`no alert is titled ${kind}`);
  }
  const [centre, right] = ['Centre', 'Right'].map((title) => {
    const cell = [...prose.querySelectorAll('th')].find(({ textContent }) => textContent === title);
    return cell && getComputedStyle(cell).textAlign;
  });
  if (centre !== 'center' || !['right', 'end'].includes(right))
    reasons.push(`the columns of a table are not aligned as written, but ${centre} and ${right}`);
  for (const box of prose.querySelectorAll('li input[type="checkbox"]')) {
    const walker = document.createTreeWalker(box.closest('li'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && !walker.currentNode.data.trim());
    const task = document.createRange();
    task.selectNodeContents(walker.currentNode);
    const [text, mark] = [task.getClientRects()[0], box.getBoundingClientRect()];
    if (text.top > mark.bottom)
      reasons.push(`the mark of a task stands above its text: ${walker.currentNode.data.trim()}`);
  }
  const colours = new Set([...prose.querySelectorAll('pre code span')].map((span) => getComputedStyle(span).color));
  if (colours.size < 4) reasons.push(`code has ${colours.size} colours`);
  const arabic = [...prose.querySelectorAll('p')].find(({ textContent }) => textContent.startsWith('اقتباس'));
  const words = document.createRange();
  words.selectNodeContents(arabic);
  const gap = words.getBoundingClientRect().left - arabic.getBoundingClientRect().left;
  if (gap < 10) reasons.push('a paragraph in Arabic is set from left to right');
  const broken = [...document.images].filter(({ naturalWidth }) => naturalWidth === 0);
  if (broken.length) reasons.push(`${broken.length} pictures are not shown`);
  return reasons;
}

// Code and dates that are shown from right to left.
export function reversed() {
  const left = (node, at) => {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    return range.getBoundingClientRect();
  };
  const turned = [...document.querySelectorAll('code, time')].filter(({ firstChild, textContent }) => {
    if (firstChild?.nodeType !== Node.TEXT_NODE || !/^[ -~]{2,}$/.test(textContent) || firstChild.length < 2)
      return false;
    const [first, last] = [left(firstChild, 0), left(firstChild, firstChild.length - 1)];
    return first.top === last.top && first.left > last.left;
  });
  const programs = [...document.querySelectorAll('pre')].filter(
    (element) => getComputedStyle(element).direction === 'rtl',
  );
  return [...turned, ...programs].map(({ textContent }) => textContent.trim().slice(0, 40));
}

// The width of a page that is wider than its window, and the element that makes it so.
export function widest() {
  const width = document.scrollingElement.scrollWidth;
  if (width <= window.innerWidth) return null;
  const scrolls = (element) =>
    element !== document.body &&
    element !== document.documentElement &&
    getComputedStyle(element).overflowX !== 'visible';
  const held = (element) => {
    for (let parent = element.parentElement; parent; parent = parent.parentElement) if (scrolls(parent)) return true;
    return false;
  };
  const spills = (element) =>
    element.getBoundingClientRect().right > window.innerWidth + 1 ||
    (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1);
  const culprit = [...document.body.querySelectorAll('*')]
    .filter((element) => spills(element) && !scrolls(element) && !held(element))
    .pop();
  const name = ({ localName, className, textContent }) =>
    `<${localName} class="${className}">${textContent.trim().slice(0, 30)}`;
  return { width, culprit: culprit ? name(culprit) : 'what lies left of the window, or a margin' };
}

// The focused element, and whether it is visible.
export function focused() {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return {
    name: `<${element.localName}>${element.textContent.trim().slice(0, 30)}`,
    hash: element.hash && element.pathname === location.pathname ? decodeURIComponent(element.hash) : '',
    outlined:
      (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && !/, 0\)$/.test(outlineColor)) ||
      boxShadow !== 'none',
    inside:
      box.width > 0 &&
      box.height > 0 &&
      box.bottom > 0 &&
      box.right > 0 &&
      box.top < innerHeight &&
      box.left < innerWidth,
  };
}
