// Draws the curves of runs. The data and plotly.js are in the page, as base64 of gzip.

const at = id => document.getElementById(id);
let data, watch;
// what is chosen and is no control; `moved`: the target is the reader's
const state = { hidden: new Set(), target: null, moved: false, pointed: "", run: null };

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
  if (!size || (size >= 0.001 && size < 1e6)) return digits.format(value);
  const [head, power] = value.toExponential(2).split("e");
  return `${+head}×10${[...String(+power)].map(sign => sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign]).join("")}`;
}
const chosen = list => data[`${list}s`].find(choice => choice.name === at(list).value);
const scaled = value => chosen("measure").percent ? 100 * value : value;
const unit = () => chosen("measure").percent ? " %" : "";
const valueText = value => number(scaled(value)) + unit();
const costName = () => inSentence(chosen("cost").label);
const measureName = () => chosen("measure").label + (unit() && ", %");
// plotly reads tags in its texts
const plain = text => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const unbroken = text => text.replace(/(?<=\de)-(?=\d)/g, "\u2011"); // 1e-05 stays on one line
const inSentence = text => /^[A-Z][A-Z]/.test(text) ? text : text[0].toLowerCase() + text.slice(1);

// ---- colours

const shade = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const ownColor = series => "dark" in document.documentElement.dataset ? series.dark : series.color;
const isFaded = series => at("highlight").value && at("highlight").value !== series.name;
const colorOf = series => ownColor(series) + (isFaded(series) ? "59" : "");

// ---- curves

// The evaluations of a run at which both columns are known; null if there is none.
function known(run, cost, measure) {
  const costs = data.values[run.at][data.columns[cost]], values = data.values[run.at][data.columns[measure]];
  if (!costs || !values) return null;
  const x = [], y = [];
  for (let i = 0; i < costs.length; i++) if (values[i] !== null && costs[i] !== null) { x.push(costs[i]); y.push(values[i]); }
  return x.length ? { x, y, run } : null;
}

// Solvers with their curves on the chosen data set; those that are drawn, the highlighted one last: on top of the others.
function shown() {
  const dataset = data.datasets.indexOf(chosen("dataset"));
  const all = data.series.map((series, i) => {
    const runs = data.groups.get(`${dataset} ${i}`) || [];
    return { series, curves: runs.map(run => known(run, at("cost").value, at("measure").value)).filter(Boolean) };
  }).filter(line => line.curves.length);
  const drawn = all.filter(line => !state.hidden.has(line.series.name));
  return { all, drawn: drawn.sort((a, b) => (a.series.name === at("highlight").value) - (b.series.name === at("highlight").value)) };
}

const view = () => at("view").value;
const overRuns = () => view() in STATISTICS;
const perSetting = () => view() === "last" || view() === "cost";
const runsText = count => count > 1 ? `${view()} of ${count} runs` : "1 run";

// ---- traces

const MANY = 10000; // points that are redrawn in 0.2 s

function lineOf(series, share = 1) {
  return { color: colorOf(series), shape: "hv", width: Math.max(1, share * series.width), dash: series.dash || "solid" };
}

// A trace of one evaluation has no line. The texts of a point are: which run, value, cost.
function traceOf(series, curve, texts, rest) {
  const hovertemplate = `<b>${plain(series.label)}</b><br>%{customdata[1]} at<br>%{customdata[2]}<br>%{customdata[0]}<extra></extra>`;
  return { x: curve.x, y: curve.y, customdata: texts, mode: curve.x.length > 1 ? "lines" : "markers", marker: { size: 9, color: colorOf(series) }, hovertemplate, name: plain(series.label), legendgroup: series.name, showlegend: false, series, ...rest };
}

function band(series, { x, low, high } = { x: [], low: [], high: [] }) {
  const color = ownColor(series) + "2e";
  const common = { x, mode: "lines", hoverinfo: "skip", showlegend: false, line: { width: 0, shape: "hv" } };
  return [{ ...common, y: low }, { ...common, y: high, fill: "tonexty", fillcolor: color }];
}

// The mean cost of the first epoch of some runs; null if none gets there.
function firstEpoch(curves) {
  const ends = curves.map(({ run }) => known(run, at("cost").value, "epochs")).filter(Boolean).map(curve => costToReach(curve, 1, true)).filter(Number.isFinite);
  return ends.length ? meanAndSpread(ends)[0] : null;
}

// The mean or median of a solver as it is drawn, and its texts: of many solvers they take 0.1 s.
const averages = new Map();
function averageOf(series, curves) {
  const key = JSON.stringify([series.name, at("dataset").value, at("measure").value, at("cost").value, view()]);
  if (!averages.has(key)) {
    const raw = summary(curves, view());
    const curve = raw && { ...raw, y: raw.y.map(scaled), low: raw.low.map(scaled), high: raw.high.map(scaled) };
    const which = i => `${runsText(curve.runs)}${curve.runs > 1 ? `, ${number(curve.low[i])} to ${number(curve.high[i])}` : ""}`;
    averages.set(key, raw && { curve, texts: curve.x.map((cost, i) => [which(i), number(curve.y[i]) + unit(), `${number(cost)} ${costName()}`]) });
  }
  return averages.get(key);
}

// The first two traces are the band of the solver that is pointed at.
function averageTraces(drawn) {
  const bands = band(data.series[0]), lines = [];
  for (const { series, curves } of drawn) {
    const average = averageOf(series, curves);
    if (!average) continue;
    const { curve, texts } = average;
    if (curve.runs > 1 && (at("bands").checked || series.name === at("highlight").value)) bands.push(...band(series, curve));
    const end = series.split ? firstEpoch(curves) : null, cut = end === null ? curve.x.length : curve.x.filter(cost => cost <= end).length;
    const rest = { curve, line: lineOf(series), starts: [0], runs: [curves[0].run] };
    lines.push(traceOf(series, cut < curve.x.length ? { x: curve.x.slice(0, cut), y: curve.y.slice(0, cut) } : curve, texts, { ...rest, showlegend: true }));
    // the pieces share a point, so that the line has no gap
    if (cut < curve.x.length) lines.push(traceOf(series, { x: curve.x.slice(Math.max(cut - 1, 0)), y: curve.y.slice(Math.max(cut - 1, 0)) }, texts.slice(Math.max(cut - 1, 0)), { ...rest, line: { ...rest.line, dash: "8px,4px" } }));
  }
  return [...bands, ...lines];
}

// All runs of a solver are one trace, with gaps: 2,000 traces would take seconds. Of many points some are left out;
// WebGL would draw them all, but takes seconds on a machine without a graphics processor.
function runTraces(drawn) {
  const lengths = drawn.flatMap(line => line.curves.map(curve => curve.x.length));
  const count = lengths.reduce((sum, length) => sum + length, 0);
  const most = count > MANY ? Math.max(8, Math.floor(MANY / lengths.length)) : Infinity;
  return drawn.map(({ series, curves }) => {
    const x = [], y = [], texts = [], starts = [];
    for (const curve of curves.map(curve => sparse(curve, most))) {
      starts.push(x.length);
      for (let i = 0; i < curve.x.length; i++) if (curve.x[i] > 0) { x.push(curve.x[i]); y.push(scaled(curve.y[i])); texts.push([`seed ${curve.run.seed}`, valueText(curve.y[i]), `${number(curve.x[i])} ${costName()}`]); }
      x.push(null);
      y.push(null);
      texts.push([]);
    }
    return traceOf(series, { x, y }, texts, { mode: curves.some(curve => curve.x.length > 1) ? "lines" : "markers", line: lineOf(series, 0.6), showlegend: true, starts, runs: curves.map(curve => curve.run) });
  });
}

// One line for each algorithm: last value, or cost to the target, against the setting that was swept.
function settingTraces(drawn) {
  return data.families.flatMap((family, f) => {
    const members = drawn.filter(line => line.series.family === f).sort((a, b) => a.series.place - b.series.place);
    const points = members.map(({ series, curves }) => {
      if (view() === "cost") return { series, curves, values: [costOf(curves).cost].map(cost => Number.isFinite(cost) ? cost : null) };
      const [mean, low] = meanAndSpread(curves.map(curve => scaled(curve.y[curve.y.length - 1])));
      return { series, curves, values: [mean, mean - low] };
    });
    if (!points.length) return [];
    const texts = points.map(({ series, curves, values: [value, spread] }) => [view() === "last" ? `mean of ${curves.length} runs${spread ? ` ± ${number(spread)}` : ""}` : "", view() === "last" ? number(value) + unit() : `${number(value)} ${costName()}`, `${data.swept} = ${number(series.place)}`]);
    const curve = { x: points.map(point => point.series.place), y: points.map(point => point.values[0]) };
    const rest = { mode: "lines+markers", line: { ...lineOf(family), shape: "linear" }, showlegend: true, starts: points.map((_, i) => i), runs: points.map(point => point.curves[0].run), curve };
    if (view() === "last") rest.error_y = { type: "data", array: points.map(point => point.values[1]), color: ownColor(family), thickness: 1.2, width: 4 };
    return [traceOf(family, curve, texts, rest)];
  });
}

// ---- drawing

function verticalRange(drawn, traces) {
  if (at("ylog").checked || at("whole").checked || perSetting()) return { autorange: true };
  const curves = overRuns()
    ? [...new Set(traces.filter(trace => trace.curve).map(trace => trace.curve))]
    : drawn.flatMap(line => line.curves).map(positive).map(({ x, y }) => ({ x, y: y.map(scaled) }));
  const some = curves.filter(curve => curve.x.length);
  if (!some.length) return { autorange: true };
  const [low, high] = detail(some), target = scaled(state.target); // the target's line must be seen, to be dragged
  return { range: [Math.max(unit() ? 0 : -Infinity, Math.min(low, target - 0.03 * (high - low))), Math.max(high, target + 0.03 * (high - low))], autorange: false };
}

// Where a curve leaves the range again at the top it has a gap: lines up and down would hide the others.
function leaveGaps(traces, [, top] = [0, Infinity]) {
  for (const trace of traces.filter(drawing => drawing.curve && !perSetting())) {
    const begun = trace.y.findIndex(value => value <= top);
    trace.all = trace.y;
    trace.y = trace.y.map((value, i) => begun >= 0 && i > begun && value > top ? null : value);
  }
}

function layoutOf(drawn, traces) {
  const range = verticalRange(drawn, traces), narrow = at("plot").clientWidth < 500, nothing = !drawn.length;
  const font = { family: getComputedStyle(document.body).fontFamily, color: shade("--ink"), size: narrow ? 12 : 13 };
  const grid = { gridcolor: shade("--line"), zeroline: false, linecolor: shade("--soft"), ticks: "outside", tickcolor: shade("--line"), automargin: true, exponentformat: "power", visible: !nothing };
  const log = checked => checked ? { type: "log", dtick: 1 } : { type: "linear" };
  const places = data.series.map(series => series.place);
  const wide = perSetting() && Math.min(...places) > 0 && Math.max(...places) > 20 * Math.min(...places);
  const horizontal = perSetting() ? { text: data.swept, ...log(wide) } : { text: chosen("cost").label, ...log(at("xlog").checked) };
  const vertical = { cost: `${chosen("cost").label} to ${inSentence(chosen("measure").label)} ${valueText(state.target)}`, last: `${measureName()} at the end of the run` }[view()] || measureName();
  const level = view() === "cost" || nothing || state.target === null ? [] : [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: scaled(state.target), y1: scaled(state.target), line: { color: shade("--ink"), width: 2, dash: "dot" } }];
  const top = Math.max(...traces.filter(trace => trace.series).flatMap(trace => trace.y)), note = { xref: "paper", yref: "paper", showarrow: false };
  const cut = top > range.range?.[1] ? [{ ...note, text: `axis cut: curves go up to ${number(top)}${unit()}`, x: 1, xanchor: "right", y: 1, yanchor: "bottom", font: { size: 12, color: shade("--soft") } }] : [];
  leaveGaps(traces, range.range);
  return {
    margin: { l: 8, r: 14, t: 36, b: 12 }, hovermode: "closest", showlegend: false, dragmode: narrow ? false : "zoom", font, paper_bgcolor: shade("--paper"), plot_bgcolor: shade("--paper"),
    hoverlabel: { font: { family: font.family, size: 12 }, align: "left" },
    title: { text: plain(vertical), font: { size: narrow ? 12 : 14 }, x: 0.01, xanchor: "left", y: 0.985, yanchor: "top" },
    xaxis: { ...grid, type: horizontal.type, dtick: horizontal.dtick, title: { text: plain(horizontal.text), standoff: 8 } },
    yaxis: { ...grid, ...(view() === "cost" ? log(at("xlog").checked) : { type: at("ylog").checked ? "log" : "linear", ...range }) },
    shapes: level,
    annotations: nothing ? [{ ...note, text: "No curve is chosen: tick a solver,<br>or choose another data set, measure or cost.", x: 0.5, y: 0.5, font: { size: 15 } }] : cut,
  };
}

function draw() {
  const { all, drawn } = shown();
  setTarget(drawn);
  const traces = (overRuns() ? averageTraces : view() === "runs" ? runTraces : settingTraces)(drawn);
  const names = drawn.map(line => line.series.label).join(", ") || "no solver";
  at("plot").setAttribute("aria-label", `${chosen("measure").label} against ${chosen("cost").label} on ${chosen("dataset").label}: ${names}; ${at("view").selectedOptions[0].text}. The table of costs has the numbers.`);
  // named one by one: plotly's own list has a button that sends the chart to a server
  const buttons = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"];
  const config = { responsive: true, displaylogo: false, plotlyServerURL: "", edits: { shapePosition: true }, modeBarButtons: [buttons] };
  state.pointed = "";
  watch = Plotly.react(at("plot"), traces, layoutOf(drawn, traces), config);
  listSolvers(all);
  listRuns(drawn);
  listCosts(drawn);
  for (const button of document.querySelectorAll("#save button, #copy")) button.disabled = !drawn.length;
  remember();
}

// Shows the spread of the solver that is pointed at.
function point(name) {
  if (name === state.pointed || !overRuns() || at("bands").checked) return;
  state.pointed = name;
  const trace = at("plot").data.find(drawing => drawing.series?.name === name), curve = trace && trace.curve.runs > 1 ? trace.curve : undefined;
  const [low, high] = band(trace ? trace.series : data.series[0], curve);
  Plotly.restyle(at("plot"), { x: [low.x, high.x], y: [low.y, high.y], fillcolor: [undefined, high.fillcolor] }, [0, 1]);
}
