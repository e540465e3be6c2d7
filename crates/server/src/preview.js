(() => {
  const box = document.createElement("div");
  box.style.cssText =
    "position:fixed;inset:auto 1rem 1rem;z-index:99;max-height:50vh;overflow:auto;padding:.8rem 1rem;border-radius:.4rem;" +
    "background:#7a1c12;color:#fff;font:14px/1.5 ui-monospace,monospace;white-space:pre-wrap";
  const mark = (element, text) => {
    if (element.querySelector(":scope > [data-unpublished]")) return;
    const label = document.createElement("span");
    label.dataset.unpublished = "";
    label.textContent = text;
    label.style.cssText =
      "margin-inline-start:.5em;padding:.1em .5em;border-radius:.3em;background:#8a4b00;color:#fff;" +
      "font:600 .75rem/1.6 system-ui,sans-serif;vertical-align:middle";
    element.append(label);
  };
  const shown = Number(document.currentScript.dataset.version);
  new EventSource("/.recto/events").onmessage = ({ data }) => {
    const { version, problems, unpublished } = JSON.parse(data);
    if (shown !== version) return location.reload();
    box.textContent = problems.join("\n");
    if (problems.length) document.body.append(box);
    else box.remove();
    for (const [path, why] of Object.entries(unpublished)) {
      for (const link of document.querySelectorAll("main a, nav a"))
        if (link.getAttribute("href") === path) mark(link, why);
      const title = document.querySelector("h1");
      if (title && decodeURI(location.pathname) === path) mark(title, why);
    }
  };
})();
