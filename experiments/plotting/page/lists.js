// The lists beside and below the drawing: solvers, the table of costs, one run; and what is saved.

const SWATCH = '<svg viewBox="0 0 34 8" aria-hidden="true"><line x2="34" y1="4" y2="4"/></svg>';

function buildSolvers() {
  at("solvers").querySelector("ul").replaceChildren(...data.series.map(series => {
    const line = element("li"), name = element("label"), words = element("span", unbroken(series.label));
    words.append(element("small"));
    name.append(element("input", "", { type: "checkbox", value: series.name }), element("span", "", { className: "swatch", innerHTML: SWATCH }), words);
    line.append(name);
    line.onmouseenter = () => point(series.name);
    line.ondblclick = () => isolate(series.name);
    return line;
  }));
}

// Hides all solvers but one; if it is alone already, shows all.
function isolate(name) {
  const others = data.series.map(series => series.name).filter(other => other !== name);
  state.hidden = new Set(others.every(other => state.hidden.has(other)) ? [] : others);
  draw();
}

function listSolvers(all) {
  const measured = new Set(all.map(line => line.series));
  at("solvers").querySelectorAll("li").forEach((line, i) => {
    const series = data.series[i], stroke = line.querySelector("line");
    line.querySelector("input").checked = !state.hidden.has(series.name);
    line.className = measured.has(series) ? "" : "absent";
    line.querySelector("small").textContent = measured.has(series) ? "" : "not measured here";
    stroke.setAttribute("stroke", colorOf(series));
    stroke.setAttribute("stroke-width", series.width);
    stroke.setAttribute("stroke-dasharray", series.dash.replace(/px/g, "") || "none");
  });
}

// ---- one run

function listRuns(drawn) {
  const runs = drawn.flatMap(line => line.curves.map(curve => curve.run));
  at("run").replaceChildren(...runs.map(run => element("option", `${data.series[run.s].label}, seed ${run.seed}`, { value: run.at })));
  at("run").disabled = !runs.length;
  showRun(runs.includes(state.run) ? state.run : (drawn.find(line => !isFaded(line.series)) ?? drawn[0])?.curves[0].run);
}

function showRun(run, texts) {
  state.run = run;
  at("settings").replaceChildren();
  at("command").textContent = run ? run.command : "";
  if (!run) { at("run-facts").textContent = "No curve is drawn."; return; }
  at("run").value = run.at;
  const curve = known(run, at("cost").value, at("measure").value), end = curve.x.length - 1;
  const place = texts ? `${texts[1]} at ${texts[2]}` : `ends with ${valueText(curve.y[end])} after ${number(curve.x[end])} ${costName()}`;
  at("run-facts").textContent = [data.series[run.s].label, data.datasets[run.d].label, `seed ${run.seed}`, place].join("; ");
  at("settings").append(...Object.entries(data.settings[run.settings]).map(([name, value]) => {
    const pair = element("div");
    pair.append(element("dt", name), element("dd", value));
    return pair;
  }));
}

// ---- the target

const rounded = value => +value.toPrecision(3);

// A tenth from the best mean of all curves, or where none stays there from the best last mean; where the optimum is 0,
// the power of ten that most solvers get to.
function usualTarget(drawn) {
  const { rises, toZero } = chosen("measure"), best = values => rises ? Math.max(...values) : Math.min(...values);
  const means = drawn.map(({ curves }) => summary(curves, "mean")).filter(Boolean);
  const ends = means.map(({ y }) => best(y)), middle = median(ends);
  if (toZero && middle > 0) return { value: 10 ** Math.ceil(Math.log10(middle) - 1e-9), says: "the power of ten that most of these curves get to" };
  const near = value => rounded(value + (rises ? -0.1 : 0.1) * Math.abs(value)), value = near(best(ends));
  const says = `a tenth ${rises ? "below the greatest" : "above the least"} `;
  if (means.some(mean => costToReach(mean, value, rises, true) < Infinity)) return { value, says: `${says}mean of these curves` };
  return { value: near(best(means.map(({ y }) => y[y.length - 1]))), says: `${says}mean at the end of these curves` };
}

function setTarget(drawn) {
  at("level").disabled = !drawn.length;
  at("usual").hidden = !state.moved;
  if (!drawn.length) { at("level").value = at("target-says").textContent = ""; state.target = null; state.moved = false; return; }
  const usual = usualTarget(drawn);
  if (!state.moved) state.target = usual.value;
  at("level").value = rounded(scaled(state.target));
  at("level").step = 10 ** (Math.floor(Math.log10(Math.abs(at("level").value) || 1)) - 2);
  at("unit").textContent = unit();
  at("target-says").textContent = state.moved ? "" : usual.says;
}

function moveTarget(value) {
  Object.assign(state, { target: value, moved: true });
  draw();
}

// ---- the table of costs

// What the runs of one solver spend to get to the target, and how many of them get there.
function costOf(curves) {
  const { rises } = chosen("measure"), stays = at("reach").value === "stays";
  const costs = curves.map(curve => costToReach(curve, state.target, rises, stays)), mean = stays && summary(curves, "mean");
  const cost = !stays ? median(costs) : mean ? costToReach(mean, state.target, rises, true) : Infinity;
  return { cost, there: costs.filter(Number.isFinite).length };
}

function costRows(drawn) {
  const rows = drawn.map(({ series, curves }) => ({ series, of: curves.length, ...costOf(curves) }));
  const least = Math.min(...rows.map(row => row.cost));
  return rows.map(row => ({ ...row, times: row.cost === least ? 1 : row.cost / least })).sort((a, b) => a.cost - b.cost || 0);
}

const FEW = 15; // rows of the table, until the reader asks for more
function listCosts(drawn) {
  const rows = costRows(drawn);
  at("more").hidden = state.more || rows.length <= FEW;
  at("more").textContent = `all ${rows.length} rows`;
  at("costs").tBodies[0].replaceChildren(...(state.more ? rows : rows.slice(0, FEW)).map(row => {
    const line = element("tr"), reached = Number.isFinite(row.cost);
    line.append(element("th", unbroken(row.series.label), { scope: "row" }));
    line.append(...[reached ? number(row.cost) : "not reached", reached ? digits.format(row.times) : "", `${row.there} of ${row.of}`].map(text => element("td", text)));
    return line;
  }));
  at("cost-says").textContent = `${chosen("cost").label} ${at("reach").value === "stays" ? "of the mean" : "as median"} over runs, on ${chosen("dataset").label}`;
}

// ---- what is drawn, as a file

const fileName = () => [at("dataset"), at("measure"), at("cost")].map(select => select.value).join("-").replace(/[^\w.-]+/g, "_");

function saveTable() {
  const axes = [at("plot").layout.xaxis.title.text, at("plot").layout.title.text], cell = value => /[",\n]/.test(value ?? "") ? `"${String(value).replace(/"/g, '""')}"` : value ?? "";
  const rows = [["data set", "curve", "runs", ...axes, "low", "high"]];
  for (const trace of at("plot").data.filter(drawing => drawing.series)) {
    trace.x.forEach((x, i) => {
      if (x === null) return;
      const [low, high] = trace.curve?.low ? [trace.curve.low, trace.curve.high].map(list => list[trace.curve.x.indexOf(x)]) : [];
      rows.push([chosen("dataset").label, trace.series.label, trace.curve?.runs ?? trace.customdata[i][0], x, (trace.all ?? trace.y)[i], low, high]);
    });
  }
  const link = element("a", "", { download: `${fileName()}.csv`, href: URL.createObjectURL(new Blob([rows.map(row => row.map(cell).join(",")).join("\n") + "\n"], { type: "text/csv" })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

// With the names of the curves below, which the page has beside.
function savePicture() {
  const { data: traces, layout } = at("plot"), title = { ...layout.title, text: `${layout.title.text}, on ${plain(chosen("dataset").label)}` };
  const figure = { data: traces, layout: { ...layout, title, showlegend: true, legend: { orientation: "h", y: -0.16, yanchor: "top" }, margin: { l: 60, r: 20, t: 40, b: 20 } } };
  return Plotly.downloadImage(figure, { format: "png", width: 900, height: 600, scale: 2, filename: fileName() });
}
