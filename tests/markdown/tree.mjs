// HTML as lines of an outline, without deliberate differences from cmark-gfm.

import { createRequire } from 'node:module';

const ALERT = /^\s*\[!(note|tip|important|warning|caution)\]/i;
const require = createRequire(`${process.env.MARKDOWN_TOOLS}/package.json`);
const { parseFragment } = await import(require.resolve('parse5'));

/** One line for each element, with its attributes, and for each text. */
export function outline(html) {
  const lines = [];
  write(normalised(parseFragment(undecorated(html))), lines, 0, false);
  return lines;
}

// Removes the links of headings to themselves, and the figures around single images: before parsing, since an additional
// element may change how its surroundings are parsed.
function undecorated(html) {
  const image = '<img ([^>]*)>(?:<figcaption>(.*?)</figcaption>)?';
  return html
    .replace(/ <a class="anchor" href="#[^"]*" aria-label="Link to this section"><\/a>/g, '')
    .replace(new RegExp(`<figure>${image}</figure>`, 'gs'), (_, attributes, caption) =>
      caption === undefined ? `<p><img ${attributes}></p>` : `<p><img ${attributes} title="${caption}"></p>`,
    );
}

function write(node, lines, depth, verbatim) {
  let text = '';
  const flush = () => {
    const shown = verbatim ? text.replace(/\n$/, '') : text.replace(/\s+/g, ' ').trim();
    if (shown) lines.push(`${' '.repeat(depth)}"${shown}"`);
    text = '';
  };
  for (const child of node.childNodes) {
    if (child.nodeName === '#text') {
      text += child.value;
    } else if (child.nodeName !== '#comment') {
      flush();
      const attributes = child.attrs.map(({ name, value }) => ` ${name}=${value}`).sort();
      lines.push(`${' '.repeat(depth)}<${child.nodeName}${attributes.join('')}>`);
      write(child.content ?? child, lines, depth + 1, verbatim || child.nodeName === 'pre');
    }
  }
  flush();
}

// Converts Recto's elements to those of cmark-gfm, from the leaves to the root.
function normalised(node) {
  const children = node.childNodes.map((child) => (child.childNodes ? normalised(child) : child));
  node.childNodes = children.flatMap(replacement);
  return node;
}

function replacement(node) {
  if (!node.attrs) return [node];
  const is = (name, ...classes) => node.nodeName === name && classes.some((wanted) => classesOf(node).includes(wanted));
  const keep = (...names) => (node.attrs = node.attrs.filter(({ name }) => names.includes(name)));

  // Highlighted code, and the box around a table.
  if (is('span', 'hl-a', 'hl-c', 'hl-d', 'hl-f', 'hl-i', 'hl-k', 'hl-n', 'hl-s', 'hl-t', 'hl-v')) return node.childNodes;
  if (is('div', 'scroll')) return node.childNodes;
  if (/^h[1-6]$/.test(node.nodeName)) node.attrs = node.attrs.filter(({ name }) => name !== 'id');
  if (node.nodeName === 'pre') keep();
  if (node.nodeName === 'thead') elements(node, 'td').forEach((cell) => rename(cell, 'th'));
  if (node.nodeName === 'td' || node.nodeName === 'th') renameAttribute(node, 'class', 'align');
  // Attributes for loading images.
  if (node.nodeName === 'img') node.attrs = node.attrs.filter(({ name }) => !['loading', 'decoding'].includes(name));
  // The label of a task's checkbox.
  if (is('li', 'task')) keep();
  if (node.nodeName === 'input') keep('type', 'checked', 'disabled');
  // An alert is a quote, without its title.
  if (is('div', 'note')) return [{ ...node, nodeName: 'blockquote', attrs: [], childNodes: node.childNodes.slice(2) }];
  if (node.nodeName === 'blockquote') return [withoutTag(node)];
  // Footnotes have other ids.
  if (is('sup', 'footnote-ref')) return [text(`[${words(node)}]`)];
  if (is('a', 'footnote-back', 'footnote-backref')) return [];
  if (is('section', 'footnotes')) [node, ...elements(node, 'li')].forEach((part) => (part.attrs = []));
  return [node];
}

// Theirs says so itself.
function withoutTag(quote) {
  const first = quote.childNodes.find((child) => child.attrs);
  const tag = first?.nodeName === 'p' && first.childNodes[0];
  if (!tag || !ALERT.test(tag.value ?? '')) return quote;
  tag.value = tag.value.replace(ALERT, '');
  if (!tag.value.trim() && first.childNodes[1]?.nodeName === 'br') first.childNodes.splice(1, 1);
  if (!words(first).trim() && first.childNodes.length === 1) {
    quote.childNodes = quote.childNodes.filter((child) => child !== first);
  }
  return quote;
}

const text = (value) => ({ nodeName: '#text', value });
const words = (node) => node.value ?? node.childNodes.map(words).join('');
const classesOf = (node) => node.attrs.find(({ name }) => name === 'class')?.value.split(' ') ?? [];
const rename = (node, name) => Object.assign(node, { nodeName: name, tagName: name });

function renameAttribute(node, from, to) {
  node.attrs.filter(({ name }) => name === from).forEach((attribute) => (attribute.name = to));
}

function elements(node, name) {
  const below = (node.childNodes ?? []).flatMap((child) => elements(child, name));
  return node.nodeName === name ? [node, ...below] : below;
}
