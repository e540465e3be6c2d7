// Answers queries with Pagefind's own client: one JSON array of queries on standard input; for each, a line with the
// milliseconds it took, the number of results, and the URLs of the first ten.
//
//   node main.mjs BUNDLE
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

const bundle = path.resolve(process.argv[2]);

// The client is written for browsers, which fetch the files of the index.
globalThis.fetch = async (url) => {
  const { pathname } = new URL(url, "http://localhost");
  return new Response(await readFile(path.join(bundle, path.basename(path.dirname(pathname)).replace(/^(pagefind)?$/, ""), path.basename(pathname))));
};
globalThis.window = { location: { origin: "http://localhost" } };
globalThis.location = { href: "http://localhost/" };
globalThis.document = { querySelector: () => ({ getAttribute: () => "en" }), currentScript: null };

const pagefind = await import(pathToFileURL(path.join(bundle, "pagefind.js")));
await pagefind.options({ basePath: "http://localhost/pagefind/", baseUrl: "/" });
await pagefind.init();

let input = "";
for await (const chunk of process.stdin) input += chunk;
for (const query of JSON.parse(input)) {
  const start = performance.now();
  const { results } = await pagefind.search(query);
  const first = await Promise.all(results.slice(0, 10).map((result) => result.data()));
  const ms = performance.now() - start;
  console.log(JSON.stringify({ ms, total: results.length, urls: first.map((page) => page.url) }));
}
