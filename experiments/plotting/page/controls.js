"use strict";
// Controls of the page, its address, and its start.

// ---- claims

function listClaims() {
  at("claims").hidden = !data.claims.length;
  const body = at("claims").querySelector("tbody");
  for (const claim of data.claims) {
    claim.readings.forEach((reading, i) => {
      const line = element("tr"), name = element("th", i ? "" : claim.id, { scope: "row" }), says = element("td");
      if (!i) name.append(element("br"), element("small", claim.says));
      const words = reading.says || "as stated";
      if (reading.series.length) {
        const button = element("button", words, { type: "button", onclick: () => { filterBy(claim, reading); draw(); at("plot").scrollIntoView({ block: "nearest" }); } });
        button.setAttribute("aria-pressed", "false");
        reading.button = button;
        says.append(button);
      } else says.textContent = words;
      line.append(name, says, element("td", reading.outcome), element("td", reading.measured));
      body.append(line);
    });
  }
}

// Draw what a reading is judged by: its solvers, cost and measure, on one of its data sets.
function filterBy(claim, reading) {
  state.filter = [claim.id, reading.id];
  state.hidden = new Set(data.series.map(series => series.name).filter(name => !reading.series.includes(name)));
  state.highlight = "";
  if (reading.datasets.length && !reading.datasets.includes(at("dataset").value)) at("dataset").value = reading.datasets[0];
  if (reading.cost) at("cost").value = reading.cost;
  if (reading.measure && reading.measure !== at("measure").value) { at("measure").value = reading.measure; state.target = null; }
  showFilter(`Drawn: what ${claim.id} is judged by. ${reading.says} ${reading.outcome}.`);
}

function showFilter(text) {
  at("filtered").hidden = !text;
  at("filtered").querySelector("span").textContent = text;
  for (const claim of data.claims) for (const reading of claim.readings) {
    reading.button?.setAttribute("aria-pressed", String(!!state.filter && state.filter[0] === claim.id && state.filter[1] === reading.id));
  }
}

function unfilter() {
  state.filter = null;
  state.hidden.clear();
  showFilter("");
  draw();
}

// ---- the address: what is chosen is behind #, so that a link shows the same

const CHOICES = ["dataset", "measure", "cost", "view", "highlight"], SWITCHES = ["xlog", "ylog", "whole"];

function remember() {
  const words = new URLSearchParams(CHOICES.map(id => [id, at(id).value]).filter(pair => pair[1]));
  for (const id of SWITCHES) words.set(id, at(id).checked ? "1" : "0");
  if (state.hidden.size) words.set("hidden", JSON.stringify([...state.hidden]));
  if (state.filter) { words.set("claim", state.filter[0]); words.set("reading", state.filter[1]); }
  history.replaceState(null, "", `#${words}`);
}

function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  state.filter = null;
  state.hidden.clear();
  const claim = data.claims.find(each => each.id === words.get("claim"));
  const reading = claim?.readings.find(each => each.id === (words.get("reading") ?? claim.readings[0].id));
  if (reading?.series.length) filterBy(claim, reading); else showFilter("");
  for (const id of CHOICES) if ([...at(id).options].some(option => option.value === words.get(id))) at(id).value = words.get(id);
  for (const id of SWITCHES) if (words.has(id)) at(id).checked = words.get(id) === "1";
  state.highlight = at("highlight").value;
  try { for (const name of JSON.parse(words.get("hidden") || "[]")) state.hidden.add(name); } catch { /* a damaged address hides nothing */ }
}

// ---- controls

function fill(id, list) {
  at(id).replaceChildren(...list.map(each => element("option", each.label, { value: each.name })));
}

function buildControls() {
  for (const name of ["dataset", "measure", "cost"]) fill(name, data[`${name}s`]);
  fill("highlight", [{ name: "", label: "none" }, ...data.series]);
  for (const [id, value] of Object.entries(data.start)) if (typeof value === "boolean") at(id).checked = value; else at(id).value = value;
  at("solvers").querySelector("ul").replaceChildren(...data.series.map(series => {
    const line = element("li"), name = element("label"), swatch = element("span", "", { className: "swatch" });
    name.append(element("input", "", { type: "checkbox", value: series.name }), swatch, element("span", series.label), element("small"));
    line.append(name);
    return line;
  }));
  at("costs").tHead.rows[0].replaceChildren(...HEADS.map((text, i) => {
    const head = element("th", "", { scope: "col", className: i > 1 ? "n" : "" });
    head.append(element("button", text, { type: "button", onclick: () => { state.sort = { column: i, down: state.sort.column === i && !state.sort.down }; listCosts(); } }));
    return head;
  }));
  for (const id of ["dataset", "cost", "view", ...SWITCHES]) at(id).onchange = draw;
  at("measure").onchange = () => { state.target = null; draw(); };
  at("highlight").onchange = () => { state.highlight = at("highlight").value; draw(); };
  at("controls").onsubmit = event => event.preventDefault();
  at("solvers").onchange = ({ target }) => { state.hidden[target.checked ? "delete" : "add"](target.value); draw(); };
  for (const button of at("solvers").querySelectorAll("button")) button.onclick = () => { state.hidden = new Set(button.dataset.all ? [] : data.series.map(series => series.name)); draw(); };
  at("filtered").querySelector("button").onclick = unfilter;
  at("filter").oninput = listCosts;
  at("target").oninput = () => moveTarget(state.scale.from(at("target").value / 1000));
  at("run").onchange = () => showRun(data.runs[at("run").value]);
  at("copy").onclick = copyCommand;
  at("theme").onchange = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
  addEventListener("hashchange", () => { recall(); draw(); });
}

function copyCommand() {
  const done = () => { at("copy").textContent = "Copied"; setTimeout(() => { at("copy").textContent = "Copy"; }, 1500); };
  const select = () => getSelection().selectAllChildren(at("command")); // where the clipboard is closed to a page
  navigator.clipboard ? navigator.clipboard.writeText(at("command").textContent).then(done, select) : select();
}

function moveTarget(value) {
  state.target = value;
  setTarget(shown().all);
  listCosts();
  Plotly.relayout(at("plot"), { "shapes[0].y0": scaled(state.target), "shapes[0].y1": scaled(state.target), "shapes[0].x0": 0, "shapes[0].x1": 1 });
}

function listen() {
  at("plot").on("plotly_hover", ({ points: [point] }) => {
    const { starts, runs } = point.data;
    let i = starts.length - 1;
    while (starts[i] > point.pointNumber) i--;
    showRun(runs[i], at("view").value === "runs" ? point : undefined);
  });
  at("plot").on("plotly_relayout", change => {
    const moved = change["shapes[0].y0"];
    if (moved !== undefined && Math.abs(moved - scaled(state.target)) > 1e-12 * Math.abs(moved)) moveTarget(measureOf().percent ? moved / 100 : moved);
  });
}

function theme() {
  const chosen = at("theme").value || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.toggleAttribute("data-dark", chosen === "dark");
  if (watch) draw();
}

function linkFigures() {
  const other = at("figure");
  if (other) other.onchange = () => { location.href = other.value; };
}

async function start() {
  theme();
  linkFigures();
  const [content, library] = await Promise.all([unpacked("data"), unpacked("plotly")]);
  data = JSON.parse(content);
  columns = Object.fromEntries([...data.costs, ...data.measures].map((column, i) => [column.name, i]));
  data.groups = new Map();
  data.runs.forEach((run, i) => {
    run.at = i;
    const key = `${run.d} ${run.s}`;
    if (!data.groups.has(key)) data.groups.set(key, []);
    data.groups.get(key).push(run);
  });
  document.head.append(element("script", library));
  buildControls();
  listClaims();
  recall();
  at("page").hidden = false;
  draw();
  await watch;
  listen();
  document.documentElement.dataset.drawn = Math.round(performance.now()); // for measurements
}

start().catch(error => {
  at("failed").hidden = false;
  at("failed").textContent = `The page cannot be drawn in this browser (${error.message}). A browser of 2023 or later is needed.`;
});
