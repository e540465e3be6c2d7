// What a page can do with a script. Every page works without it.
(() => {
  const root = document.documentElement;
  const words = JSON.parse(document.currentScript?.dataset.words ?? '{}');
  const element = (name, properties) => Object.assign(document.createElement(name), properties);
  const draw = (button, label, shapes) => {
    button.innerHTML = '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true">'
      + `${shapes}</svg>`;
    button.title = label;
    button.setAttribute('aria-label', label);
  };

  // Buttons that copy code.
  for (const pre of document.querySelectorAll('.prose pre:not(.source)')) {
    const box = element('div', { className: 'copyable' });
    const button = element('button', { className: 'copy', type: 'button' });
    const show = (word, path) => draw(button, word, path);
    const ready = () => show(words.copy, '<rect x="8" y="8" width="12" height="13" rx="2"/><path d="M16 4H4v13"/>');
    button.onclick = async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
        show(words.copied, '<path d="M4 13l5 5L20 6"/>');
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
  const icons = [
    '<path d="M12 3a9 9 0 0 0 0 18z" fill="currentColor"/>',
    '<path d="M12 1v3M12 20v3M1 12h3M20 12h3M4 4l2 2M18 18l2 2M4 20l2-2M18 6l2-2"/>',
    '<path d="M17 3a9 9 0 0 0 0 18 9 9 0 0 1 0-18z" fill="currentColor"/>',
  ];
  let scheme = Math.max(0, schemes.indexOf(root.style.colorScheme));
  const toggle = element('button', { className: 'plain-button', type: 'button' });
  const show = () => {
    root.style.colorScheme = schemes[scheme];
    draw(toggle, words.schemes[scheme], `<circle cx="12" cy="12" r="${scheme == 1 ? 5 : 9}"/>${icons[scheme]}`);
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
