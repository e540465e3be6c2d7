#!/usr/bin/env node
// Publishes two pages and a picture, waits for the build, and prints the URL of the first page. Node 18 or newer.
//
//   RECTO_URL=http://127.0.0.1:8080 RECTO_TOKEN=rec_… ./publish.mjs
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const { RECTO_URL, RECTO_TOKEN } = process.env;
if (!RECTO_URL || !RECTO_TOKEN) fail("set RECTO_URL and RECTO_TOKEN");

function fail(message) {
  console.error(message);
  process.exit(1);
}

async function request(path, options) {
  const headers = { Authorization: `Bearer ${RECTO_TOKEN}` };
  const response = await fetch(`${RECTO_URL}/api/v1/public${path}`, { headers, ...options });
  const body = await response.text();
  return response.ok ? JSON.parse(body) : fail(`${response.status}: ${body}`);
}

// `file:bay.png` refers to the attached file of that name. Both pages and the file are stored together, or not at all.
const pages = [
  { slug: "node-bay", title: "The bay", content: "![The bay at dusk](file:bay.png)\n\nPublished with Node." },
  { slug: "node-notes", title: "Notes", content: "See [the bay](node-bay.md).", tags: ["example"] },
];
const form = new FormData();
form.set("payload", JSON.stringify({ pages, build: true }));
form.set("files", new Blob([await readFile(new URL("bay.png", import.meta.url))]), "bay.png");
const published = await request("/pages", { method: "POST", body: form });
if (published.build.error) fail(`The pages are stored, but no build was queued: ${JSON.stringify(published.build)}`);

let build = await request("/builds/latest");
while (["queued", "running"].includes(build.status)) {
  await sleep(1000);
  build = await request("/builds/latest");
}
if (build.status !== "success") fail(`The build failed: ${JSON.stringify(build)}`);
console.log(`${published.build.deployUrl}/blog/node-bay`);
