// Controls of the page, its address, and its start.

// ---- claims

const readings = () => data.claims.flatMap(claim => claim.readings.map(reading => ({ claim, reading, key: `${claim.id} ${reading.id}` })));
const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

function listClaims() {
  at("claims").hidden = !data.claims.length;
  at("claim").append(...data.claims.map(claim => {
    const group = element("optgroup", "", { label: cut(`${claim.id}: ${claim.says}`, 90) });
    group.append(...claim.readings.map(reading => element("option", cut(`${reading.outcome.replace(" on the paper's data", "")}: ${reading.says || "as stated"}`, 90), { value: `${claim.id} ${reading.id}` })));
    return group;
  }));
}

// A reader's choice: Back leads to what was drawn before.
function chooseClaim(key) {
  history.pushState(null, "", location.hash);
  if (key) filterBy(key); else restart();
  draw();
}

// Draw what a reading is judged by: its solvers, cost and measure, on one of its data sets.
function filterBy(key) {
  const { reading } = readings().find(candidate => candidate.key === key);
  at("claim").value = key;
  at("highlight").value = "";
  if (reading.series.length) state.hidden = new Set(data.series.map(series => series.name).filter(name => !reading.series.includes(name)));
  if (reading.datasets.length && !reading.datasets.includes(at("dataset").value)) at("dataset").value = reading.datasets[0];
  if (reading.cost) at("cost").value = reading.cost;
  if (reading.measure && reading.measure !== at("measure").value) { at("measure").value = reading.measure; state.moved = false; }
  showClaim();
}

function showClaim() {
  const shown = readings().find(candidate => candidate.key === at("claim").value), says = at("claim-says");
  at("all").hidden = says.hidden = !shown;
  if (!shown) return;
  const { claim, reading } = shown, line = (name, text) => { const made = element("p"); made.append(element("b", name), ` ${text}`); return made; };
  says.replaceChildren(line(`${claim.id}.`, claim.says), line("Reading:", reading.says || "as stated."), line(`${reading.outcome}.`, reading.measured));
  if (!reading.series.length) says.append(element("small", "Not judged by curves: those drawn are not chosen for it."));
}

// ---- the address: what is chosen is behind #, so that a link shows the same

const CHOICES = ["dataset", "measure", "cost", "view", "highlight", "reach"], SWITCHES = ["xlog", "ylog", "whole", "bands"];

function remember() {
  const words = new URLSearchParams(CHOICES.map(id => [id, at(id).value]).filter(pair => pair[1]));
  for (const id of SWITCHES) words.set(id, at(id).checked ? "1" : "0");
  words.set("hidden", JSON.stringify([...state.hidden]));
  if (state.moved) words.set("target", state.target);
  if (at("claim").value) words.set("claim", at("claim").value);
  history.replaceState(null, "", `#${words}`);
}

// The view with which the page opens.
function restart() {
  const { hidden, target, ...controls } = data.start;
  for (const [id, value] of Object.entries(controls)) if (typeof value === "boolean") at(id).checked = value; else at(id).value = value;
  at("dataset").selectedIndex = at("claim").selectedIndex = 0;
  Object.assign(state, { hidden: new Set(hidden), target, moved: target !== null });
  showClaim();
}

function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  restart();
  if (readings().some(candidate => candidate.key === words.get("claim"))) filterBy(words.get("claim"));
  for (const id of CHOICES) if ([...at(id).options].some(option => option.value === words.get(id))) at(id).value = words.get(id);
  for (const id of SWITCHES) if (words.has(id)) at(id).checked = words.get(id) === "1";
  if (words.size) state.moved = Number.isFinite(parseFloat(words.get("target")));
  if (state.moved && words.has("target")) state.target = parseFloat(words.get("target"));
  try { if (words.has("hidden")) state.hidden = new Set(JSON.parse(words.get("hidden"))); } catch { /* a damaged address hides nothing new */ }
}

// ---- controls

const fill = (id, list) => at(id).append(...list.map(choice => element("option", choice.label, { value: choice.name })));

function buildControls() {
  for (const name of ["dataset", "measure", "cost"]) fill(name, data[`${name}s`]);
  if (data.swept) fill("view", [{ name: "last", label: `last value against ${data.swept}` }, { name: "cost", label: `cost to the target against ${data.swept}` }]);
  fill("highlight", [{ name: "", label: "none" }, ...data.series]);
  for (const id of ["view", "cost", "reach", "highlight", ...SWITCHES]) at(id).onchange = draw;
  for (const id of ["dataset", "measure"]) at(id).onchange = () => { state.moved = false; draw(); };
  at("controls").onsubmit = event => event.preventDefault();
  at("solvers").querySelector("ul").onchange = ({ target }) => { state.hidden[target.checked ? "delete" : "add"](target.value); draw(); };
  for (const button of at("solvers").querySelectorAll("button")) button.onclick = () => { state.hidden = new Set(button.dataset.all ? [] : data.series.map(series => series.name)); draw(); };
  at("claim").onchange = () => chooseClaim(at("claim").value);
  for (const [id, step] of [["previous", -1], ["next", 1]]) at(id).onclick = () => { const { options, selectedIndex } = at("claim"); chooseClaim(options[(selectedIndex + step + options.length) % options.length].value); };
  at("all").onclick = () => chooseClaim("");
  at("level").onchange = () => { const value = at("level").valueAsNumber; if (Number.isFinite(value)) moveTarget(unit() ? value / 100 : value); };
  at("usual").onclick = () => { state.moved = false; draw(); };
  at("more").onclick = () => { state.more = true; draw(); };
  at("run").onchange = () => showRun(data.runs[at("run").value]);
  at("copy").onclick = copyCommand;
  at("save-csv").onclick = saveTable;
  at("save-png").onclick = savePicture;
  at("theme").onchange = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
  addEventListener("popstate", () => { recall(); draw(); });
}

function copyCommand() {
  const done = () => { at("copy").textContent = "Copied"; setTimeout(() => { at("copy").textContent = "Copy"; }, 1500); };
  const select = () => getSelection().selectAllChildren(at("command")); // where the clipboard is closed to a page
  navigator.clipboard ? navigator.clipboard.writeText(at("command").textContent).then(done, select) : select();
}

function listen() {
  at("plot").on("plotly_hover", ({ points: [{ data: { starts, runs, series }, pointNumber, customdata }] }) => {
    showRun(runs[starts.findLastIndex(start => start <= pointNumber)], view() === "runs" ? customdata : undefined);
    point(series.name);
  });
  at("plot").on("plotly_relayout", change => {
    const moved = change["shapes[0].y0"];
    if (moved !== undefined && Math.abs(moved - scaled(state.target)) > 1e-12 * Math.abs(moved)) moveTarget(rounded(unit() ? moved / 100 : moved));
  });
}

function theme() {
  const chosen = at("theme").value || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.toggleAttribute("data-dark", chosen === "dark");
  if (watch) draw();
}

async function start() {
  theme();
  addEventListener("message", ({ data: said }) => { // from a page around this one
    if (["", "light", "dark"].includes(said?.theme)) { at("theme").value = said.theme; theme(); }
  });
  const [content, library] = await Promise.all([unpacked("data"), unpacked("plotly")]);
  data = JSON.parse(content);
  data.columns = Object.fromEntries([...data.costs, ...data.measures].map((column, i) => [column.name, i]));
  data.groups = new Map();
  data.runs.forEach((run, i) => {
    run.at = i;
    const key = `${run.d} ${run.s}`;
    if (!data.groups.has(key)) data.groups.set(key, []);
    data.groups.get(key).push(run);
  });
  document.head.append(element("script", library));
  buildControls();
  buildSolvers();
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
