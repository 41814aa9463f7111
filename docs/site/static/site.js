"use strict";
// Boxes that scroll are reached by keyboard; the gallery's filter; the theme of embedded pages.

for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.ariaLevel = "2";
for (const box of document.querySelectorAll("pre, .table-wrapper, .cell_output, .output")) if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;

const cards = [...document.querySelectorAll(".card")];
const search = document.querySelector(".filter input");
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const card of cards) {
    const text = `${card.closest("section").querySelector("h2").textContent} ${card.textContent}`.toLowerCase();
    card.hidden = !words.every(word => text.includes(word));
  }
  const shown = cards.filter(card => !card.hidden);
  document.querySelector(".filter output").textContent = words.length ? `${shown.length} of ${cards.length} figures` : "";
  for (const section of new Set(cards.map(card => card.closest("section")))) section.hidden = !shown.some(card => section.contains(card));
}
search?.addEventListener("input", filter);

const frames = [...document.querySelectorAll("iframe.curves")];
function theme() {
  const chosen = { light: "light", dark: "dark" }[document.body.dataset.theme] ?? "";
  for (const frame of frames) frame.contentWindow.postMessage({ theme: chosen }, "*");
}
for (const frame of frames) frame.addEventListener("load", theme);
new MutationObserver(theme).observe(document.body, { attributeFilter: ["data-theme"] });
