// What a page can do with a script. Every page works without it.
(() => {
  const root = document.documentElement;
  const words = JSON.parse(document.currentScript?.dataset.words ?? '{}');
  const element = (name, properties) => Object.assign(document.createElement(name), properties);
  const draw = (button, label, shapes) => {
    button.innerHTML = `<svg viewBox="0 0 24 24">${shapes}</svg>`;
    button.title = label;
    button.setAttribute('aria-label', label);
  };

  // Buttons that copy code.
  for (const pre of document.querySelectorAll('.prose pre:not(.source)')) {
    const box = element('div', { className: 'copyable' });
    const button = element('button', { className: 'copy', type: 'button' });
    const ready = () => draw(button, words.copy, '<rect x="8" y="8" width="12" height="13" rx="2"/><path d="M16 4H4v13"/>');
    button.onclick = async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        draw(button, words.copied, '<path d="M4 13l5 5L20 6"/>');
      } catch {
        getSelection().selectAllChildren(pre);
      }
      setTimeout(ready, 2000);
    };
    ready();
    pre.replaceWith(box);
    box.append(pre, button);
  }

  // The switch between the colours of the device, light and dark. The head of the page applies the choice.
  const schemes = ['', 'light', 'dark'];
  let scheme = Math.max(0, schemes.indexOf(root.style.colorScheme));
  const toggle = element('button', { className: 'plain-button', type: 'button' });
  const show = () => {
    root.style.colorScheme = schemes[scheme];
    draw(toggle, words.schemes[scheme], '<circle cx="12" cy="12" r="9"/><path d="M12 3a9 9 0 0 0 0 18z" fill="currentColor"/>');
  };
  toggle.onclick = () => {
    scheme = (scheme + 1) % 3;
    try {
      scheme ? localStorage.setItem('scheme', schemes[scheme]) : localStorage.removeItem('scheme');
    } catch {}
    show();
  };
  show();
  document.querySelector('.masthead').append(toggle);

  // Search while typing: with / or Ctrl-K, or the link of the masthead.
  const finder = element('dialog', { className: 'finder' });
  finder.innerHTML = '<form action="/search"><input type="search" name="q" maxlength="200" autocomplete="off"></form>'
    + '<p role="status"></p><ol class="results"></ol>';
  const [input, status, list] = ['input', 'p', 'ol'].map((name) => finder.querySelector(name));
  input.setAttribute('aria-label', words.search);
  input.placeholder = words.search;
  let running;
  input.oninput = async () => {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    try {
      const answer = await fetch(`/search.json?limit=8&q=${encodeURIComponent(input.value)}`, { signal });
      const { query, total, results } = await answer.json();
      if (signal.aborted) return;
      status.textContent = total || !query?.trim() ? '' : words.none.replace('{}', query);
      list.replaceChildren(...results.map(({ url, title, excerpt }) => {
        const link = element('a', { href: url, textContent: title });
        link.append(element('p', { textContent: excerpt }));
        const item = element('li');
        item.append(link);
        return item;
      }));
    } catch {}
  };
  finder.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [input, ...list.querySelectorAll('a')];
    stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus();
  };
  finder.onclick = ({ target }) => target == finder && finder.close();
  document.body.append(finder);
  const find = (event) => {
    event.preventDefault();
    finder.showModal();
    input.select();
  };
  document.querySelector('.find').onclick = (event) => event.ctrlKey || event.metaKey || find(event);
  addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, textarea, select, [contenteditable]');
    if ((event.key == '/' && !typing) || (event.key == 'k' && (event.ctrlKey || event.metaKey))) find(event);
  });

  // The place in the table of contents, where CSS cannot mark it.
  const links = [...document.querySelectorAll('.toc a')];
  if (links.length && !CSS.supports('scroll-target-group: auto')) {
    const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    const mark = () => {
      let at = headings.findLastIndex((heading) => heading?.getBoundingClientRect().top < innerHeight / 4);
      if (innerHeight + scrollY >= root.scrollHeight - 2) at = links.length - 1;
      links.forEach((link, index) => link.classList.toggle('here', index == Math.max(at, 0)));
    };
    addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true });
    mark();
  }
})();
