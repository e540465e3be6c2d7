// The sites that are published and checked: every type of page, and changes of them.

import { readFileSync } from 'node:fs';

const KITCHEN_SINK = readFileSync(new URL('kitchen-sink.md', import.meta.url), 'utf8');
const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const PARAGRAPH = 'The lamp was lit at dusk, and the keeper wrote the hour into the book as he did on every evening. ';

// `pages` are published; `moved` are pages that are published, built, and then changed; `hidden` never appear.
export const SITES = [
  {
    name: 'lantern',
    what: 'everything, with a homepage and every setting',
    settings: {
      title: 'Lantern & Sons <keepers>',
      description: 'All about "lights" & the people who keep them.',
      language: 'en',
      author: 'Ada Lovelace',
      accent: '#005f5f',
      links: 'Docs=/docs; Blog=/blog; Company=/company; Legal=/legal; Code=https://code.example/lantern',
      footer: '© Lantern & Sons. [Imprint](/legal/imprint), [a friend](https://friend.example/).',
      css: '.author-box { border: 1px solid; padding: 1rem }',
    },
    pages: [...homepages(), ...posts(), ...docs(), ...standalone()],
    moved: [
      { from: docsPage('guides', 'old-name', 'A guide that moves'), to: { slug: 'new-name' } },
      {
        from: { slug: 'changes', title: 'Changes', contentType: 'standalone', content: 'What is new.' },
        to: { contentType: 'docs', slug: 'changelog' },
      },
    ],
    hidden: [
      { slug: 'a-draft', title: 'A draft', draft: true },
      { slug: 'the-future', title: 'Not yet', publishedAt: '2099-01-01T00:00:00Z' },
    ],
    deleted: { slug: 'deleted-soon', title: 'Deleted soon', contentType: 'blog', content: 'Gone.' },
  },
  {
    name: 'plain',
    what: 'no homepage, no setting, and a long section',
    pages: [
      {
        slug: 'one',
        title: 'One',
        content: 'The first post.\n\nWith a second paragraph.',
        publishedAt: '2026-02-01T00:00:00Z',
      },
      { slug: 'two', title: 'Two', content: '', publishedAt: '2026-03-01T00:00:00Z', apiEndpoint: 'GET /posts/two' },
      { slug: 'start', title: 'Getting started', contentType: 'docs', content: 'Begin here.' },
      docsPage('guides', 'install', 'Install'),
      { ...docsPage('guides', 'too-deep', 'A page that cannot be rendered'), content: tooDeep() },
      ...codes(),
      { slug: 'about', title: 'About', contentType: 'standalone', content: 'About it.', params: { nav: true } },
      {
        slug: 'contact',
        title: 'Contact',
        contentType: 'standalone',
        content: 'Write to us. See [the team](/company/team).',
      },
      { slug: 'team', title: 'Team', contentType: 'standalone', section: 'company', content: 'All of us.' },
    ],
  },
  {
    name: 'arabic',
    what: 'a language that is written from right to left',
    settings: { title: 'المنارة', language: 'ar', description: 'كل شيء عن المنارات.' },
    pages: [
      {
        slug: 'first',
        title: 'مرحبا بالعالم',
        content: ['هذه أول تدوينة.', '## عنوان', '- عنصر', '> [!NOTE]\n> ملاحظة.', '```sh\necho hello\n```'].join(
          '\n\n',
        ),
        tags: ['ضوء'],
        publishedAt: '2026-02-01T00:00:00Z',
      },
      {
        slug: 'second',
        title: 'An English title',
        content: 'English text, with `code`.',
        publishedAt: '2026-03-01T00:00:00Z',
      },
      {
        slug: 'install',
        title: 'التثبيت',
        contentType: 'docs',
        section: 'guides',
        content: 'خطوات.\n\n## الأولى\n\nنص.\n\n## الثانية\n\nنص.',
        apiEndpoint: 'POST /v1/beacons',
      },
      { slug: 'next', title: 'التالي', contentType: 'docs', section: 'guides', content: 'نص.' },
    ],
  },
  { name: 'empty', what: 'nothing was published', pages: [] },
];

// Addresses at which the server itself responds.
export const GATES = [
  {
    name: 'secret',
    what: 'a password is wanted',
    password: 'open sesame',
    pages: [{ slug: 'index', title: 'Behind the door', contentType: 'homepage', content: 'You are in.' }],
  },
  { name: 'unbuilt', what: 'nothing was built yet' },
  { name: 'nobody', what: 'there is no such site', absent: true },
];

// Quotes so deep, with so many lines after them, that the page is shown as its source.
function tooDeep() {
  const lines = `*A line* of <b>text</b> & ${LONG_WORD}.\n`;
  return `${lines.repeat(3)}\n${'>'.repeat(20_000)}\n${'b\n'.repeat(2_100)}`;
}

// The path of a page.
export function pathOf({ contentType = 'blog', section = '', slug }) {
  if (contentType === 'homepage') return '/';
  return '/' + [contentType === 'standalone' ? '' : contentType, section, slug].filter(Boolean).join('/');
}

function homepages() {
  const content =
    'Welcome. Read [the docs](/docs), [the blog](/blog) or [about us](/about).\n\n## Why\n\nBecause of the rocks.';
  return [
    { slug: 'index', title: 'Lantern & Sons', description: 'Lights since 1832.', contentType: 'homepage', content },
    { slug: 'former', title: 'The former homepage', contentType: 'homepage', content: 'Not shown.', unseen: true },
  ];
}

function posts() {
  const many = Array.from({ length: 70 }, (_, n) => ({
    slug: `post-${n}`,
    title: `Notes of evening ${n}`,
    section: ['', 'news', 'engineering'][n % 3],
    description: n % 2 ? `What happened on evening ${n}.` : undefined,
    content: `${PARAGRAPH}\n\n${PARAGRAPH}`,
    tags: n % 5 ? ['Light'] : ['Light', 'C++', 'Tom & Jerry'],
    publishedAt: new Date(Date.UTC(2025, n % 17, 1 + (n % 27), 19)).toISOString(),
  }));
  return [
    ...many,
    {
      slug: 'kitchen-sink',
      title: 'Every feature of Markdown',
      content: KITCHEN_SINK,
      tags: ['Markdown'],
      publishedAt: '2026-06-01T00:00:00Z',
    },
    {
      slug: 'a-long-story',
      title: 'A long story',
      description: 'It has a cover and a table of contents.',
      publishedAt: '2026-06-02T00:00:00Z',
      content: ['Begin', 'Middle', 'End']
        .map((part) => `## ${part}\n\n${PARAGRAPH.repeat(25)}\n\n### ${part}, more\n\n${PARAGRAPH}`)
        .join('\n\n'),
      params: { cover: '/favicon.svg', coverAlt: 'A letter on green', authors: ['Ada Lovelace', 'Grace <Hopper>'] },
      tags: [
        '日本語',
        '!!!',
        'a<b>&"c"',
        'light',
        ...Array.from({ length: 16 }, (_, n) => `a tag of thirty characters ${String(n).padStart(3, '0')}`),
      ],
    },
    {
      slug: 'specials',
      title: `<script>alert(1)</script> & "double" 'single' ]]> 100 % {{ x }} \\ ${LONG_WORD}`.slice(0, 200),
      description: `A </p> "description" & <b>more</b>. ${LONG_WORD}`,
      content: 'Titles are text.',
      publishedAt: '2026-06-03T00:00:00Z',
      tags: ['<b>', LONG_WORD.slice(0, 30)],
    },
    {
      slug: 'first-elsewhere',
      title: 'First published elsewhere',
      content: 'A copy.',
      publishedAt: '2026-05-01T00:00:00Z',
      params: { canonical: 'https://elsewhere.example/original' },
    },
    {
      slug: 'unlisted',
      title: 'Not for search engines',
      content: 'Psst.',
      publishedAt: '2026-05-02T00:00:00Z',
      params: { noindex: true },
    },
    {
      slug: 'rtl',
      title: 'مرحبا بالعالم',
      content: 'هذه تدوينة.',
      publishedAt: '2026-05-03T00:00:00Z',
      params: { lang: 'ar' },
    },
    {
      slug: 'news',
      title: 'News of the house',
      content: 'What stands before the list.',
      publishedAt: '2025-01-01T00:00:00Z',
    },
  ];
}

function docs() {
  const endpoints = [
    ['GET', 'list-beacons', 'List beacons'],
    ['POST', 'create-beacon', 'Create a beacon'],
    ['PUT', 'replace-beacon', 'Replace a beacon'],
    ['PATCH', 'change-beacon', 'Change a beacon'],
    ['DELETE', 'remove-beacon', 'Remove a beacon & its log'],
    ['HEAD', 'probe-beacon', 'Probe a beacon'],
    ['OPTIONS', 'ask-beacon', 'Ask what a beacon can'],
  ].map(([method, slug, title], weight) => ({
    ...docsPage('api', slug, title),
    description: `${title}, in the harbour that the path names.`,
    apiEndpoint: `${method} /v1/beacons/{harbour}?verbose=<yes>&page=1`,
    params: { weight },
  }));
  return [
    {
      slug: 'introduction',
      title: 'Introduction',
      description: 'Where to begin.',
      contentType: 'docs',
      content: 'Read [how to install it](guides/install.md#steps), [all guides](guides/index.md) or [all docs](index.md).',
    },
    {
      slug: 'guides',
      title: 'Guides <for> keepers',
      description: 'From the first lamp on.',
      contentType: 'docs',
      content: 'What stands before the list.',
    },
    { ...docsPage('guides', 'install', 'Install'), params: { weight: -1 }, tags: ['Light'] },
    docsPage('guides', 'configure', 'Configure'),
    { ...docsPage('guides', 'kitchen-sink', 'Every feature of Markdown'), content: KITCHEN_SINK },
    { ...docsPage('guides', 'no-text', 'A page without text'), content: '' },
    docsPage('guides', 'command', 'The `lantern light` command'),
    docsPage('guides', 'long', `A guide called ${LONG_WORD}`),
    ...endpoints,
    { ...docsPage('api', 'any-post', 'Any POST'), apiEndpoint: 'post', params: { weight: 8 } },
    {
      ...docsPage('api', 'errors', 'Errors'),
      content: '---\ntitle: Errors\n---\n## Errors\n\nNo badge here. See [the introduction](../Introduction.md).',
      params: { weight: 9 },
    },
  ];
}

// More pages than a navigation shows at once.
function codes() {
  return Array.from({ length: 110 }, (_, n) => ({
    ...docsPage('codes', `e${String(n).padStart(3, '0')}`, `Error ${String(n).padStart(3, '0')}`),
    content: `What error ${n} means.`,
  }));
}

function docsPage(section, slug, title) {
  const steps = '## Steps\n\n1. First.\n2. Second.';
  const notes = '## Notes\n\n```sh\nlantern light --all\n```\n\n### Small print';
  const content = [PARAGRAPH, steps, notes, PARAGRAPH].join('\n\n');
  return { slug, title, contentType: 'docs', section, content };
}

function standalone() {
  const page = (slug, title, section, content = PARAGRAPH) => ({
    slug,
    title,
    contentType: 'standalone',
    section,
    content,
  });
  return [
    page('about', 'About us', undefined, `${PARAGRAPH}\n\n## People\n\nSee [the team](/company/team).`),
    page('company', 'The company', undefined, 'What stands before the list.'),
    page('team', 'The team', 'company'),
    page('jobs', 'Jobs', 'company'),
    page('imprint', 'Imprint', 'legal'),
    page('privacy', 'Privacy', 'legal'),
  ];
}
