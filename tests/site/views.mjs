// One page of every type, to be checked.

export const VIEWS = [
  view('home', 'lantern', '/'),
  view('home-without-homepage', 'plain', '/'),
  view('home-empty', 'empty', '/'),
  view('blog', 'lantern', '/blog'),
  view('blog-empty', 'empty', '/blog'),
  view('blog-month', 'lantern', '/blog/2026.03'),
  view('blog-section', 'lantern', '/blog/engineering'),
  view('blog-section-page', 'lantern', '/blog/news'),
  view('post', 'lantern', '/blog/engineering/post-8'),
  view('post-with-contents', 'lantern', '/blog/a-long-story'),
  view('post-kitchen-sink', 'lantern', '/blog/kitchen-sink'),
  view('post-specials', 'lantern', '/blog/specials'),
  view('tags', 'lantern', '/tags'),
  view('tag', 'lantern', '/tags/light'),
  view('docs', 'lantern', '/docs'),
  view('docs-section', 'lantern', '/docs/api'),
  view('docs-section-page', 'lantern', '/docs/guides'),
  view('docs-page', 'lantern', '/docs/guides/install'),
  { ...view('docs-menu', 'lantern', '/docs/guides/install'), opens: true },
  view('docs-page-in-long-section', 'plain', '/docs/codes/e060'),
  view('docs-page-as-source', 'plain', '/docs/guides/too-deep'),
  view('docs-kitchen-sink', 'lantern', '/docs/guides/kitchen-sink'),
  view('docs-endpoint', 'lantern', '/docs/api/create-beacon'),
  view('docs-method-only', 'lantern', '/docs/api/any-post'),
  view('standalone', 'lantern', '/about'),
  view('standalone-section', 'lantern', '/legal'),
  view('standalone-section-page', 'lantern', '/company'),
  view('standalone-in-section', 'lantern', '/company/team'),
  view('not-found', 'lantern', '/no/such/page', 404),
  view('arabic-home', 'arabic', '/'),
  view('arabic-post', 'arabic', '/blog/first'),
  view('arabic-docs', 'arabic', '/docs/guides/install'),
  view('password', 'secret', '/', 401),
  view('nothing-built', 'unbuilt', '/', 404),
  view('no-site', 'nobody', '/', 404),
];

function view(name, site, path, status = 200) {
  return { name, site, path, status };
}
