// Uses the types that openapi-typescript made of /openapi.json: publishes, lists and deletes pages by openapi-fetch.
import createClient from "openapi-fetch";

import type { components, paths } from "./api.js";

declare const process: { env: Record<string, string> };

const client = createClient<paths>({
  baseUrl: `${process.env.BASE}/api/v1/public`,
  headers: { Authorization: `Bearer ${process.env.CONTRACT_TOKEN}` },
});

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

async function slugs(): Promise<string[]> {
  const { data, error } = await client.GET("/pages", { params: { query: { contentType: "docs" } } });
  check(data !== undefined, error);
  return data.pages.map((page) => page.slug).filter((slug) => slug.startsWith("ts-"));
}

const page = (slug: string): components["schemas"]["PageInput"] => {
  return { slug, title: `Page ${slug}`, content: "# Hello", contentType: "docs", section: "ts" };
};

// A batch, a single page, a form with a file.
const batch = await client.POST("/pages", { body: { pages: [page("ts-batch")] } });
check(batch.data?.pages[0]?.status === "created", batch.error);
const single = await client.POST("/pages", { body: page("ts-single") });
check(single.data?.pages[0]?.slug === "ts-single", single.error);
const form = await client.POST("/pages", {
  body: { payload: JSON.stringify({ pages: [{ ...page("ts-form"), content: "[Notes](file:notes.txt)" }] }) },
  bodySerializer(body) {
    const data = new FormData();
    if (typeof body === "object" && "payload" in body) data.append("payload", new Blob([body.payload], { type: "application/json" }));
    data.append("files", new Blob(["Notes"]), "notes.txt");
    return data;
  },
});
check(form.data?.media?.length === 1 && form.data.media[0]?.filename === "notes.txt", form.data ?? form.error);
check((await slugs()).sort().join() === "ts-batch,ts-form,ts-single", await slugs());

// What is refused comes as what it is.
const { error, response } = await client.POST("/pages", { body: { pages: [{ slug: "ts-new" }] } });
check(response.status === 400 && error !== undefined && "pages" in error, error);
check(error.pages["0"]?.["title"] === "title is required for new pages", error);

for (const slug of ["ts-batch", "ts-single", "ts-form"]) {
  const query = { contentType: "docs", section: "ts" } as const;
  const deleted = await client.DELETE("/pages/{slug}", { params: { path: { slug }, query } });
  check(deleted.response.status === 204, deleted.error);
}
check((await slugs()).length === 0, await slugs());

// Settings of a site.
const sites = await client.GET("/sites");
const siteId = sites.data?.sites[0]?.id;
check(siteId !== undefined, sites.error);
const changed = await client.PATCH("/sites/{siteId}/settings", {
  params: { path: { siteId } },
  body: { title: "Contract" },
});
check(changed.data?.title === "Contract", changed.error);
const account = await client.GET("/account");
check(account.data?.builds.limit === 1000000, account.data ?? account.error);
