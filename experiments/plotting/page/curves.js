"use strict";
// Draws the curves of runs. The data and plotly.js are in the page, as base64 of gzip.

const at = id => document.getElementById(id);
let data, columns, watch;
const state = { hidden: new Set(), highlight: "", target: null, sort: { column: 3, down: false }, filter: null, run: null };

async function unpacked(id) {
  const letters = atob(at(id).textContent), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i); // a callback for each would take 0.3 s
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function element(name, text = "", properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  if (text) made.textContent = text;
  return made;
}

// ---- texts

const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
function number(value) {
  const size = Math.abs(value);
  if (!size || (size >= 0.001 && size < 1e7)) return digits.format(value);
  const [head, power] = value.toExponential(2).split("e");
  return `${+head}×10${[...String(+power)].map(sign => sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign]).join("")}`;
}
const measureOf = () => data.measures.find(measure => measure.name === at("measure").value);
const scaled = value => measureOf().percent ? 100 * value : value;
const valueText = value => number(scaled(value)) + (measureOf().percent ? " %" : "");
// plotly reads tags in its texts
const plain = text => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const inSentence = text => /^[A-Z][A-Z]/.test(text) ? text : text[0].toLowerCase() + text.slice(1);
const label = (list, name) => list.find(each => each.name === name).label;

// ---- colours

const shade = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function luminance(color) {
  const [r, g, b] = [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16) / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
// On a dark ground a dark colour is mixed with white until it can be seen.
function visible(color) {
  if (!("dark" in document.documentElement.dataset)) return color;
  for (let share = 0; ; share += 0.1) {
    const mixed = "#" + [1, 3, 5].map(i => Math.round(parseInt(color.slice(i, i + 2), 16) * (1 - share) + 255 * share).toString(16).padStart(2, "0")).join("");
    if (luminance(mixed) > 0.16) return mixed;
  }
}
const colorOf = series => state.highlight && state.highlight !== series.name ? (shade("--soft") + "66") : visible(series.color);

// ---- drawing

// The evaluations of a run at which both columns are known; null if there is none.
function known(run, cost, measure) {
  const costs = data.values[run.at][columns[cost]], values = data.values[run.at][columns[measure]];
  if (!costs || !values) return null;
  const x = [], y = [];
  for (let i = 0; i < costs.length; i++) if (values[i] !== null && costs[i] !== null) { x.push(costs[i]); y.push(values[i]); }
  return x.length ? { x, y, run } : null;
}

function curvesOf(series, dataset) {
  const runs = data.groups.get(`${dataset} ${series}`) || [];
  return runs.map(run => known(run, at("cost").value, at("measure").value)).filter(Boolean);
}

// Solvers that are drawn, the highlighted one last: on top of the others.
function shown() {
  const dataset = data.datasets.findIndex(each => each.name === at("dataset").value);
  const all = data.series.map((series, i) => ({ series, curves: curvesOf(i, dataset) })).filter(each => each.curves.length);
  const drawn = all.filter(each => !state.hidden.has(each.series.name));
  return { all, drawn: drawn.sort((a, b) => (a.series.name === state.highlight) - (b.series.name === state.highlight)) };
}

const MANY = 10000; // points that are redrawn in 0.2 s

function lineOf(series, kind) {
  const line = { color: colorOf(series), shape: "hv", width: kind === "mean" ? series.width : Math.max(1, 0.6 * series.width) };
  if (series.dash) line.dash = series.dash;
  return line;
}

function hover(name) {
  const axis = inSentence(label(data.costs, at("cost").value)), unit = measureOf().percent ? " %" : "";
  return `<b>${plain(name)}</b>, %{customdata}<br>%{y:.4~g}${unit} at %{x:.4~g} ${plain(axis)}<extra></extra>`;
}

// A curve of one evaluation has no line.
const points = (series, count) => ({ mode: count > 1 ? "lines" : "markers", marker: { size: 9, color: colorOf(series) } });

function meanTraces(drawn) {
  const bands = [], lines = [];
  for (const { series, curves } of drawn) {
    const mean = meanOf(curves);
    if (!mean) continue;
    const y = mean.y.map(scaled), sd = mean.sd.map(scaled), common = { x: mean.x, mode: "lines", hoverinfo: "skip", showlegend: false };
    if (mean.runs > 1) {
      const line = { width: 0, shape: "hv" };
      bands.push({ ...common, y: y.map((value, i) => value - sd[i]), line });
      bands.push({ ...common, y: y.map((value, i) => value + sd[i]), line, fill: "tonexty", fillcolor: colorOf(series).slice(0, 7) + "26" });
    }
    const customdata = sd.map(value => mean.runs > 1 ? `mean of ${mean.runs} runs ± ${number(value)}` : `seed ${curves[0].run.seed}`);
    lines.push({ ...common, ...points(series, mean.x.length), y, customdata, hoverinfo: "all", hovertemplate: hover(series.label), line: lineOf(series, "mean"), starts: [0], runs: [curves[0].run], curve: { x: mean.x, y } });
  }
  return [...bands, ...lines];
}

// All runs of a solver are one trace, with gaps: 2,000 traces would take seconds. Of many points some are left out;
// WebGL would draw them all, but takes seconds on a machine without a graphics processor.
function runTraces(drawn) {
  const lengths = drawn.flatMap(each => each.curves.map(curve => curve.x.length));
  const count = lengths.reduce((sum, length) => sum + length, 0);
  const most = count > MANY ? Math.max(8, Math.floor(MANY / lengths.length)) : Infinity;
  return drawn.map(({ series, curves }) => {
    const x = [], y = [], customdata = [], starts = [];
    for (const curve of curves.map(curve => sparse(curve, most))) {
      starts.push(x.length);
      for (let i = 0; i < curve.x.length; i++) if (curve.x[i] > 0) { x.push(curve.x[i]); y.push(scaled(curve.y[i])); customdata.push(`seed ${curve.run.seed}`); }
      x.push(null);
      y.push(null);
      customdata.push("");
    }
    return { x, y, customdata, ...points(series, Math.max(...curves.map(curve => curve.x.length))), hovertemplate: hover(series.label), line: lineOf(series, "run"), showlegend: false, starts, runs: curves.map(curve => curve.run) };
  });
}

function verticalRange(drawn, traces) {
  if (at("ylog").checked || at("whole").checked) return { autorange: true };
  const curves = at("view").value === "mean"
    ? traces.filter(trace => trace.curve).map(trace => trace.curve)
    : drawn.flatMap(each => each.curves).map(positive).map(({ x, y }) => ({ x, y: y.map(scaled) }));
  const some = curves.filter(curve => curve.x.length);
  if (!some.length) return { autorange: true };
  const [low, high] = detail(some), target = scaled(state.target); // the target's line must be seen, to be dragged
  return { range: [Math.min(low, target - 0.03 * (high - low)), Math.max(high, target + 0.03 * (high - low))], autorange: false };
}

function draw() {
  const { all, drawn } = shown(), mean = at("view").value === "mean", measure = measureOf();
  const traces = mean ? meanTraces(drawn) : runTraces(drawn);
  setTarget(all);
  const grid = { gridcolor: shade("--line"), zeroline: false, linecolor: shade("--soft"), ticks: "outside", tickcolor: shade("--line"), automargin: true, exponentformat: "power" };
  const narrow = at("plot").clientWidth < 500;
  const layout = {
    margin: { l: 8, r: 12, t: 34, b: 8 }, hovermode: "closest", dragmode: narrow ? false : "zoom",
    paper_bgcolor: shade("--paper"), plot_bgcolor: shade("--paper"), font: { color: shade("--ink"), size: narrow ? 11 : 13 },
    title: { text: plain(`${measure.label}${measure.percent ? ", %" : ""}`), font: { size: narrow ? 12 : 14 }, x: 0.01, xanchor: "left", y: 0.985, yanchor: "top" },
    xaxis: { ...grid, type: at("xlog").checked ? "log" : "linear", title: { text: plain(label(data.costs, at("cost").value)) }, dtick: at("xlog").checked ? 1 : undefined },
    yaxis: { ...grid, type: at("ylog").checked ? "log" : "linear", ...verticalRange(drawn, traces) },
    shapes: state.target === null ? [] : [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: scaled(state.target), y1: scaled(state.target), line: { color: shade("--ink"), width: 2, dash: "dot" } }],
  };
  const counts = new Set(drawn.map(each => each.curves.length)), runs = counts.size > 1 ? "the" : [...counts][0] || "no";
  at("plot").setAttribute("aria-label", `${measure.label} against ${label(data.costs, at("cost").value)} on ${label(data.datasets, at("dataset").value)}: ${drawn.map(each => each.series.label).join(", ") || "no solver"}; ${mean ? `mean of ${runs} runs` : "each run"}. The table of costs has the numbers.`);
  // named one by one: plotly's own list has a button that sends the chart to a server
  const buttons = ["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"];
  const config = { responsive: true, displaylogo: false, plotlyServerURL: "", edits: { shapePosition: true }, modeBarButtons: [buttons] };
  watch = Plotly.react(at("plot"), traces, layout, config);
  listSolvers(all);
  listRuns(drawn);
  listCosts();
  remember();
}

// ---- lists beside the drawing

function listSolvers(all) {
  const here = new Set(all.map(each => each.series.name));
  for (const line of at("solvers").querySelectorAll("li")) {
    const box = line.querySelector("input"), series = data.series.find(each => each.name === box.value);
    box.checked = !state.hidden.has(box.value);
    line.className = here.has(box.value) ? "" : "absent";
    line.querySelector("small").textContent = here.has(box.value) ? "" : " not measured here";
    line.querySelector(".swatch").style.background = colorOf(series);
  }
}

function listRuns(drawn) {
  const runs = drawn.flatMap(each => each.curves.map(curve => curve.run));
  at("run").replaceChildren(...runs.map(run => element("option", `${data.series[run.s].label}, seed ${run.seed}`, { value: run.at })));
  showRun(runs.includes(state.run) ? state.run : runs[0]);
}

function showRun(run, point) {
  state.run = run;
  if (!run) { at("run-facts").textContent = "No curve is drawn."; at("command").textContent = ""; at("settings").replaceChildren(); return; }
  at("run").value = run.at;
  const facts = [data.series[run.s].label, label(data.datasets, data.datasets[run.d].name), `seed ${run.seed}`];
  const curve = known(run, at("cost").value, at("measure").value), end = curve.x.length - 1;
  const unit = inSentence(label(data.costs, at("cost").value));
  facts.push(point ? `${digits.format(point.y)}${measureOf().percent ? " %" : ""} at ${number(point.x)} ${unit}` : `ends with ${valueText(curve.y[end])} after ${number(curve.x[end])} ${unit}`);
  at("run-facts").textContent = facts.join("; ");
  at("command").textContent = run.command;
  at("settings").replaceChildren(...Object.entries(data.settings[run.settings]).map(([name, value]) => {
    const pair = element("div");
    pair.append(element("dt", name), element("dd", value));
    return pair;
  }));
}

// The values between which the target can move: those that are drawn.
function extent(all) {
  const curves = all.flatMap(each => each.curves), values = curves.flatMap(curve => curve.y);
  const ends = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  if (at("ylog").checked || at("whole").checked || !curves.length) return ends;
  const [low, high] = detail(curves.map(positive).filter(curve => curve.x.length));
  return [Math.max(low, ends[0]), Math.min(high, ends[1])];
}

// The slider's 1,000 steps; logarithmic for a measure that is drawn so.
function setTarget(all) {
  const [low, high] = extent(all), steps = at("ylog").checked && low > 0;
  const scale = { to: value => steps ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low), from: share => steps ? low * (high / low) ** share : low + share * (high - low) };
  if (low > high) { state.target = null; at("target-value").textContent = ""; return; }
  if (state.target === null) {
    const ends = all.map(({ curves }) => median(curves.map(curve => curve.y[curve.y.length - 1]))), rises = measureOf().rises;
    const best = rises ? Math.max(...ends) : Math.min(...ends);
    state.target = best + (rises ? -0.1 : 0.1) * Math.abs(best);
  }
  state.target = Math.min(Math.max(state.target, low), high);
  state.scale = scale;
  at("target").value = Math.round(1000 * scale.to(state.target));
  at("target").setAttribute("aria-valuetext", valueText(state.target));
  at("target-value").textContent = valueText(state.target);
}

const HEADS = ["Solver", "Data set", "Runs that reach it", "Median cost", "Divided by the least"];
function costRows() {
  const rows = [], rises = measureOf().rises;
  data.datasets.forEach((dataset, d) => {
    const own = data.series.flatMap((series, s) => {
      if (state.hidden.has(series.name)) return [];
      const costs = curvesOf(s, d).map(curve => costToReach(curve, state.target, rises));
      return costs.length ? [{ cells: [series.label, dataset.label, costs.filter(Number.isFinite).length, median(costs)], of: costs.length }] : [];
    });
    const least = Math.min(...own.map(row => row.cells[3]));
    rows.push(...own.map(row => ({ ...row, cells: [...row.cells, row.cells[3] === Infinity ? Infinity : row.cells[3] === least ? 1 : row.cells[3] / least] })));
  });
  return rows;
}

function listCosts() {
  const words = at("filter").value.toLowerCase().split(/\s+/), { column, down } = state.sort;
  const rows = state.target === null ? [] : costRows().filter(row => words.every(word => `${row.cells[0]} ${row.cells[1]}`.toLowerCase().includes(word)));
  rows.sort((a, b) => (down ? -1 : 1) * (typeof a.cells[column] === "string" ? a.cells[column].localeCompare(b.cells[column]) : a.cells[column] - b.cells[column] || 0));
  at("costs").tBodies[0].replaceChildren(...rows.map(row => {
    const line = element("tr"), [solver, dataset, reached, cost, times] = row.cells;
    line.append(element("th", solver, { scope: "row" }), element("td", dataset));
    for (const text of [`${reached} of ${row.of}`, cost === Infinity ? "not reached" : number(cost), Number.isFinite(times) ? digits.format(times) : ""]) line.append(element("td", text, { className: "n" }));
    return line;
  }));
  at("costs").querySelectorAll("th[scope=col]").forEach((head, i) => head.setAttribute("aria-sort", i === column ? (down ? "descending" : "ascending") : "none"));
}
