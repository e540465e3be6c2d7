// Makes the dashboard nicer. Everything works without it: forms are sent as they are.
"use strict";

// What is typed on the form of a page is sent after each pause, and kept in this browser until the server has it.
const PAUSE = 700;
const PREFIX = "recto.typed.";
// Which form this tab was saving when it left it.
const SAVING = "recto.saving";

const form = document.querySelector("form.page");
if (form) startPageForm(form);
startLists();
startUploads(document.querySelector("form.upload"));
localTimes(document);
document.addEventListener("htmx:load", () => localTimes(document));
forgetSaved();

// Times in the reader's time zone; the server writes UTC.
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    const pad = (number) => String(number).padStart(2, "0");
    if (isNaN(at)) continue;
    time.title = time.dateTime;
    time.textContent =
      `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${pad(at.getHours())}:${pad(at.getMinutes())}`;
  }
}

// The form that this tab was saving, when the server answered that it has.
function forgetSaved() {
  if (!/[?&]done=(saved|published)\b/.test(location.search)) return;
  try {
    localStorage.removeItem(sessionStorage.getItem(SAVING));
    sessionStorage.removeItem(SAVING);
  } catch {
    // Switched off: nothing is kept.
  }
}

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}

function store(key, typed) {
  try {
    localStorage.setItem(key, JSON.stringify(typed));
  } catch {
    // Full or switched off: the server still keeps what is typed.
  }
}

function load(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

function startPageForm(form) {
  const field = (name) => form.elements.namedItem(name);
  const isNew = form.action.endsWith("/new");
  // Another person may use the same browser.
  const own = `${PREFIX}${document.querySelector(".person").textContent} ${form.action.split("/pages/")[0]} `;
  // Each tab has its own copy.
  const tab = Math.random().toString(36).slice(2);
  const key = () => `${own}${field("form").value} ${tab}`;
  const status = form.querySelector(".kept");
  const restored = document.querySelector(".restored");
  const content = field("content");
  let editor = null;
  let timer = 0;
  let sending = null;
  let leaving = false;
  // The newest revision that the server has, and whether it is of this form: a preview has the form's own secret.
  let sent = Number(field("revision").value);
  let hasSent = false;
  let kept = serialised();
  const stored = restored.hidden ? kept : "";

  restoreLocal();
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  form.addEventListener("submit", (event) => {
    // A preview in another tab leaves this form as it is.
    if (event.submitter?.formTarget === "_blank") return;
    leaving = true;
    clearTimeout(timer);
    sending?.abort();
    try {
      sessionStorage.setItem(SAVING, key());
    } catch {
      // Switched off: nothing is kept.
    }
  });
  // Back from another page: the form may be sent once more.
  window.addEventListener("pageshow", (event) => event.persisted && (leaving = false));
  window.addEventListener("pagehide", () => send(true));
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && send(true));
  window.addEventListener("online", () => send(false));
  restored.querySelector("form").addEventListener("submit", () => {
    leaving = true;
    localStorage.removeItem(key());
  });
  startEditor();
  startPreview();

  // All fields but those by which the server knows the form.
  function serialised() {
    const fields = new URLSearchParams(new FormData(form));
    for (const name of ["revision", "seen", "preview", "form", "version"]) fields.delete(name);
    return fields.toString();
  }

  function changed() {
    if (leaving || serialised() === kept) return;
    kept = serialised();
    raise();
    keepLocal();
    say("…");
    clearTimeout(timer);
    timer = setTimeout(() => send(false), PAUSE);
  }

  // Also after another browser has raised it, whose clock may be ahead.
  function raise() {
    field("revision").value = String(Math.max(Number(field("revision").value) + 1, Date.now()));
  }

  function keepLocal() {
    const [revision, version] = [Number(field("revision").value), field("version").value];
    // `base`: what this tab knows the server to have.
    const typed = { fields: serialised(), revision, base: sent, version, isNew, at: new Date().toISOString() };
    store(key(), typed);
    return typed;
  }

  // Sends what the server does not have. Under way, a later call repeats it.
  async function send(isLast) {
    const revision = Number(field("revision").value);
    if (leaving || sent >= revision) return;
    if (sending && !isLast) return;
    clearTimeout(timer);
    sending = new AbortController();
    try {
      const body = new URLSearchParams(new FormData(form));
      // A browser that closes the page still sends up to 64 KB; the rest is in its storage.
      const keepalive = isLast && body.toString().length < 60000;
      const response = await fetch(`${form.action}/autosave`, {
        method: "POST", body, keepalive, redirect: "manual", signal: sending.signal,
      });
      if (response.type === "opaqueredirect") return say("Signed out. What you write is kept in this browser.");
      if (response.status === 409)
        return say("Kept in this browser: another tab has other changes.");
      if (response.status >= 400 && response.status < 500)
        return say("The server does not accept this. What you write is kept in this browser.");
      if (!response.ok) throw new Error(response.status);
      [sent, hasSent] = [Math.max(sent, revision), true];
      if (Number(field("revision").value) === revision) {
        localStorage.removeItem(key());
        say(serialised() === stored ? "" : "Unsaved changes are kept");
      }
      form.dispatchEvent(new Event("kept"));
    } catch (error) {
      if (error.name === "AbortError" || leaving) return;
      say("No connection. What you write is kept in this browser.");
      timer = setTimeout(() => send(false), 5000);
    } finally {
      sending = null;
    }
    if (Number(field("revision").value) > revision) timer = setTimeout(() => send(false), PAUSE);
  }

  function say(text) {
    status.textContent = text;
  }

  // What this browser has and the server has not: a tab was closed, or the server could not be reached.
  function restoreLocal() {
    let copies = copiesOf(own + field("form").value);
    if (!copies.length && isNew && restored.hidden) {
      const newest = copiesOf(own).find((copy) => copy.typed.isNew);
      if (newest) {
        field("form").value = newest.key.split(" ").at(-2);
        restored.querySelector("[name=form]").value = field("form").value;
        copies = copiesOf(own + field("form").value);
      }
    }
    const shown = serialised();
    for (const { key } of copies.filter((copy) => copy.typed.fields === shown)) localStorage.removeItem(key);
    copies = copies.filter((copy) => copy.typed.fields !== shown);
    // The server may have what was typed in another tab, which this browser's text does not replace.
    const next = copies.findIndex(({ typed }) => typed.base >= Number(field("revision").value));
    if (next >= 0) {
      const [{ key, typed }] = copies.splice(next, 1);
      show(typed);
      field("revision").value = String(typed.revision);
      restored.querySelector("time").dateTime = typed.at;
      restored.hidden = false;
      keepLocal();
      localStorage.removeItem(key);
      send(false);
    }
    copies.forEach(offer);
  }

  // The newest first.
  function copiesOf(prefix) {
    const found = keys().filter((key) => key.startsWith(prefix)).map((key) => ({ key, typed: load(key) }));
    return found.filter((copy) => copy.typed).sort((one, other) => other.typed.revision - one.typed.revision);
  }

  // If the page was changed since, saving shows both texts.
  function show(typed) {
    fill(new URLSearchParams(typed.fields));
    editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: content.value } });
    field("version").value = typed.version;
    kept = serialised();
  }

  // What was typed in another tab, in exchange for what is shown.
  function offer(copy) {
    const note = restored.cloneNode(true);
    const [words, time] = [note.querySelector("p"), note.querySelector("time")];
    const button = (label, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.addEventListener("click", act);
      return made;
    };
    const date = () => {
      time.dateTime = copy.typed.at;
      localTimes(words);
    };
    words.replaceChildren("What you typed in another tab, at ", time, ", is not saved.");
    date();
    note.querySelector("form").remove();
    note.append(
      button("Show it", () => {
        const [mine, isTyped, other] = [keepLocal(), serialised() !== stored, copy.typed];
        show(other);
        raise();
        keepLocal();
        send(false);
        if (!isTyped) {
          localStorage.removeItem(copy.key);
          return note.remove();
        }
        copy.typed = mine;
        store(copy.key, mine);
        date();
      }),
      button("Discard it", () => {
        localStorage.removeItem(copy.key);
        note.remove();
      }),
    );
    note.hidden = false;
    restored.after(note);
  }

  function fill(fields) {
    for (const element of form.elements) {
      if (!element.name || element.type === "hidden" || element.type === "submit") continue;
      if (element.type === "checkbox") element.checked = fields.has(element.name);
      else element.value = fields.get(element.name) ?? "";
    }
  }

  // CodeMirror in place of the textarea, which still holds the text that is sent.
  async function startEditor() {
    const source = document.querySelector("meta[name=editor]");
    const button = form.querySelector("[data-plain]");
    const label = form.querySelector("label[for=content]");
    const place = form.querySelector(".field");
    let codemirror = null;
    const begin = async () => {
      try {
        codemirror ??= await import(source.content);
      } catch {
        return;
      }
      // Typed while the editor was loading.
      editor = codemirror.edit({
        parent: place,
        text: content.value,
        label: "Content",
        describedBy: content.getAttribute("aria-describedby"),
        nonce: source.dataset.nonce,
        onChange: (text) => {
          content.value = text;
          changed();
        },
        onFiles: (files, at) => addFiles(files, at),
      });
      const hadFocus = document.activeElement === content;
      content.hidden = true;
      // The label belongs to the editor now.
      content.id = "content-text";
      if (hadFocus) editor.focus();
      button.textContent = "Plain text";
      button.hidden = false;
    };
    const end = () => {
      editor.destroy();
      editor = null;
      content.hidden = false;
      content.id = "content";
      content.focus();
      button.textContent = "Editor";
    };
    label.addEventListener("click", () => editor?.focus());
    button.addEventListener("click", () => {
      const plain = Boolean(editor);
      try {
        localStorage.setItem("recto.plain", plain ? "yes" : "");
      } catch {}
      if (plain) end();
      else begin();
    });
    content.addEventListener("paste", (event) => takeFiles(event, event.clipboardData));
    content.addEventListener("drop", (event) => takeFiles(event, event.dataTransfer));
    let plain = "";
    try {
      plain = localStorage.getItem("recto.plain") ?? "";
    } catch {}
    if (!plain) return begin();
    button.textContent = "Editor";
    button.hidden = false;
  }

  function takeFiles(event, transfer) {
    const files = [...(transfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    addFiles(files, content.selectionStart);
  }

  // Uploads files, and puts the Markdown of each into the text.
  async function addFiles(files, at) {
    for (const file of files) {
      say(`Uploading ${file.name} …`);
      try {
        const { markdown } = JSON.parse(await upload(form.dataset.media, file));
        at = insert(`${markdown}\n`, at);
        say(`${file.name} is uploaded`);
      } catch (error) {
        say(`${file.name} was not uploaded: ${error.message}`);
        return;
      }
    }
  }

  function insert(text, at) {
    if (editor) {
      at = Math.min(at, editor.state.doc.length);
      editor.dispatch({ changes: { from: at, insert: text }, selection: { anchor: at + text.length } });
    } else {
      content.setRangeText(text, at, at, "end");
      changed();
    }
    return at + text.length;
  }

  // The anchor of the heading above the cursor, so that the preview shows what is being written.
  function heading() {
    const end = editor ? editor.state.selection.main.head : content.selectionEnd;
    const found = [...content.value.slice(0, end).matchAll(/^ {0,3}#{1,6} +(.+?)[ #]*$/gm)].pop();
    const plain = (found?.[1] ?? "").toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
    return encodeURIComponent(plain.trim().replaceAll(" ", "-"));
  }

  // The preview beside the text: loaded again when the server has what was typed.
  function startPreview() {
    const button = form.querySelector("[data-beside]");
    const write = form.querySelector(".write");
    let frame = null;
    const load = () => {
      if (!frame) return;
      const next = document.createElement("iframe");
      next.title = "Preview of the page";
      next.className = "preview";
      next.setAttribute("sandbox", "");
      // The old one is shown until the new one is there.
      next.addEventListener("load", () => {
        for (const old of write.querySelectorAll("iframe")) if (old !== next) old.remove();
        next.classList.remove("next");
      });
      next.classList.add("next");
      next.src = `${form.dataset.preview}?${field("revision").value}#${heading()}`;
      write.append(next);
      frame = next;
    };
    button.hidden = false;
    button.addEventListener("click", async () => {
      const open = !write.classList.toggle("beside");
      button.setAttribute("aria-pressed", String(!open));
      if (open) {
        write.querySelectorAll("iframe").forEach((frame) => frame.remove());
        frame = null;
        return;
      }
      frame = true;
      // A preview is made of what the server keeps.
      if (hasSent) return load();
      raise();
      await send(false);
    });
    form.addEventListener("kept", load);
  }
}

// Sends one file. `onProgress` gets a number from 0 to 1.
function upload(url, file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const body = new FormData();
    body.append("files", file);
    request.open("POST", url);
    request.upload.onprogress = (event) => event.lengthComputable && onProgress?.(event.loaded / event.total);
    request.onload = () => (request.status === 200 ? resolve(request.responseText) : reject(new Error(request.responseText)));
    request.onerror = () => reject(new Error("the server could not be reached"));
    request.send(body);
  });
}

// Files that are chosen or dropped are sent one by one, each with its progress.
function startUploads(form) {
  if (!form) return;
  const list = form.querySelector(".uploads");
  const send = async (files) => {
    let failed = false;
    for (const file of files) {
      const row = document.createElement("li");
      const bar = document.createElement("progress");
      bar.max = 1;
      bar.value = 0;
      bar.setAttribute("aria-label", file.name);
      row.append(`${file.name} `, bar);
      list.append(row);
      try {
        await upload(form.dataset.add, file, (part) => (bar.value = part));
        bar.value = 1;
      } catch (error) {
        failed = true;
        bar.remove();
        row.className = "error";
        row.append(error.message);
      }
    }
    if (!failed) location.assign(`${form.action}?done=uploaded`);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send([...form.elements.namedItem("files").files]);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) send(files);
  });
}

// Boxes that choose all rows, and buttons that copy.
function startLists() {
  const show = () => {
    for (const element of document.querySelectorAll("[data-all], [data-copy]")) element.hidden = false;
  };
  show();
  document.addEventListener("htmx:load", show);
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("[data-all]")) return;
    for (const box of target.closest("form").querySelectorAll("tbody [type=checkbox]")) box.checked = target.checked;
  });
  document.addEventListener("click", async ({ target }) => {
    const text = target.dataset?.copy;
    if (!text) return;
    await navigator.clipboard.writeText(text);
    target.textContent = "Copied";
  });
}
