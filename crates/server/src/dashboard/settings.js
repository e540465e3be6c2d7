// Shows what the title and the accent will look like while they are typed.
const preview = document.getElementById("preview");
const name = preview.querySelector("strong");
const title = document.getElementById("title");
const accent = document.getElementById("accent");

const show = () => {
  name.textContent = title.value.trim() || preview.dataset.name;
  const [light, dark = light] = accent.value.trim().split(/\s+/);
  const color = `light-dark(${light}, ${dark})`;
  if (CSS.supports("color", color)) preview.style.setProperty("--accent", color);
  else preview.style.removeProperty("--accent");
};

title.addEventListener("input", show);
accent.addEventListener("input", show);
show();
preview.hidden = false;
