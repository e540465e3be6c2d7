// Shows the form of an endpoint, and sends its request.
for (const form of document.querySelectorAll("form.try")) {
  const { method, path } = form.dataset, output = form.querySelector("output"), token = form.elements.token;
  form.hidden = false;
  token.value = sessionStorage.getItem("token") ?? "";
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    sessionStorage.setItem("token", token.value);
    const query = new URLSearchParams();
    let url = path;
    for (const { name, value } of form.querySelectorAll("[data-parameter]")) {
      if (url.includes(`{${name}}`)) url = url.replace(`{${name}}`, encodeURIComponent(value));
      else if (value) query.set(name, value);
    }
    if (query.size) url += `?${query}`;
    const headers = { Authorization: `Bearer ${token.value.trim()}` }, body = form.elements.body?.value;
    if (body) headers["Content-Type"] = "application/json";
    output.textContent = "…";
    try {
      const response = await fetch(url, { method, headers, body: body || undefined });
      const text = await response.text();
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch {}
      output.textContent = `${response.status} ${response.statusText}\n\n${shown}`;
    } catch (error) {
      output.textContent = `The request could not be sent: ${error.message}`;
    }
  });
}
