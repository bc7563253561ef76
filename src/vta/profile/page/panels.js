const sideName = (s, name) => (pair ? letter(s) + " " : "") + name;

/* ---- Head, verdict, key figures, units, roofline, buffers ---- */
const machineText = (r) => {
  const t = r.timing;
  return `${r.config} · profile ${t.profile} · ${t.bus_bits}-bit bus · ${t.frequency_khz / 1000} MHz` +
    (t.runs > 1 ? ` · ${t.runs} device runs` : "");
};
const head = () => {
  $("title").textContent = sides.map((side, s) => (pair ? letter(s) + ": " : "") + side.title).join("  ·  ");
  $("machine").textContent = sides.map((side, s) => (pair ? letter(s) + ": " : "") + machineText(side.report)).join("  —  ");
  sides.forEach((side, s) => side.report.verdict.forEach((line, n) =>
    $("verdict-list").append(el("li", n ? null : { class: "first" }, (pair ? letter(s) + ": " : "") + line))));
  drawn("verdict");
};
/* Value, name, share of 1 for a meter. */
const figuresOf = (t) => [
  [number(t.cycles), "cycles"],
  [seconds(t.seconds), "time"],
  t.macs || !t.alu_ops ? [percent(t.gemm_utilization), "GEMM utilization", t.gemm_utilization]
    : [percent(t.alu_utilization), "ALU utilization", t.alu_utilization],
  [percent(t.bus_utilization), "read bus busy", t.bus_utilization],
  [t.operations_per_byte.toFixed(1), `${t.operation} a byte moved`],
  [percent(t.roofline_fraction), "of the roofline", t.roofline_fraction],
];
const figures = () => {
  const other = pair ? figuresOf(sides[1].report.timing) : [];
  figuresOf(timing).forEach(([value, name, share], n) => {
    const card = el("div", { class: "figure" }, el("b", null, value));
    if (pair) card.append(el("b", { class: "other" }, other[n][0]));
    card.append(el("span", null, name));
    for (const part of pair ? [share, other[n][2]] : [share])
      if (part !== undefined)
        card.append(el("div", { class: "meter", "aria-hidden": "true" }, el("i", { style: `width:${clamp(100 * part, 0, 100)}%` })));
    $("figures").append(card);
  });
  drawn("figures");
};

/* ---- What each unit does ---- */
const stateColor = { busy: "--s-busy", wait_memory: "--s-memory", wait_prev: "--s-prev", wait_next: "--s-next",
  wait_full: "--s-full", wait_fetch: "--s-fetch", idle: "--grid" };
const tokenWait = { load: { wait_next: "compute → load" }, compute: { wait_prev: "load → compute", wait_next: "store → compute" },
  store: { wait_prev: "compute → store" } };
const stateWords = (unit, state) =>
  tokenWait[unit] && tokenWait[unit][state] ? `waiting for ${tokenWait[unit][state]} tokens` : page.states[state];
const units = () => {
  const stack = el("div", { class: "stack" }), key = el("div", { class: "legend" }), used = new Set();
  for (const [side, unit, states] of sides.flatMap((s, n) => Object.entries(s.report.timing.units).map(([u, st]) => [n, u, st]))) {
    const cycles = Math.max(1, sides[side].report.timing.cycles), name = (pair ? letter(side) + " " : "") + unit;
    const bar = el("div", { class: "bar", role: "img" }), words = [];
    for (const [state, count] of Object.entries(states)) {
      if (!count) continue;
      used.add(state);
      if (count / cycles >= 0.005) words.push(`${stateWords(unit, state)} ${percent(count / cycles)}`);
      bar.append(el("i", { style: `width:${(100 * count) / cycles}%;background:var(${stateColor[state]})`,
        title: `${stateWords(unit, state)}: ${number(count)} cycles, ${percent(count / cycles)}` }));
    }
    bar.setAttribute("aria-label", `${name}: ${words.join(", ")}`);
    stack.append(el("span", null, name), bar, el("p", { class: "muted", "aria-hidden": "true" }, words.join(" · ")));
  }
  for (const state of Object.keys(stateColor))
    if (used.has(state)) key.append(el("span", null, el("i", { style: `background:var(${stateColor[state]})` }), page.states[state]));
  $("units").append(stack, key);
  drawn("units-panel");
};

/* ---- Roofline: of multiply-accumulates, or of ALU operations where only the ALU ran ---- */
const roofline = () => {
  const { peak_operations_per_cycle: peak, operation } = timing, bus = timing.bus_bits / 8, ridge = peak / bus;
  const points = sides.map((side) => side.report.timing).filter((t) => t.operations_per_byte > 0)
    .map((t) => ({ x: t.operations_per_byte, y: t.operations_per_cycle, roof: t.roof_operations_per_cycle, share: t.roofline_fraction }));
  const s = svg("svg", { viewBox: "0 0 560 300", role: "img" });
  const words = points.length ? `${points[0].y.toFixed(1)} ${operation} a cycle at ${points[0].x.toFixed(1)} ${operation} a byte; ` +
    `the roofline allows ${points[0].roof.toFixed(1)}` : "nothing was computed";
  s.append(svg("title", null, words));
  s.setAttribute("aria-label", `Roofline: ${words}`);
  const xs = points.map((p) => p.x), ys = points.map((p) => p.y);
  const x0 = Math.min(ridge, ...xs) / 8, x1 = Math.max(ridge, ...xs) * 8, y1 = peak * 2.2;
  const y0 = Math.min(peak / 60, x0 * bus, ...ys.map((y) => y / 3));
  const X = (v) => 56 + (490 * Math.log(v / x0)) / Math.log(x1 / x0);
  const Y = (v) => 256 - (240 * Math.log(clamp(v, y0, y1) / y0)) / Math.log(y1 / y0);
  const scale = (low, high, few, put) => {
    for (let p = Math.ceil(Math.log2(low)); p <= Math.log2(high); p += Math.log2(high / low) > few ? 2 : 1)
      put(2 ** p, p < 0 ? `1/${2 ** -p}` : 2 ** p);
  };
  scale(x0, x1, 10, (v, text) => s.append(svg("path", { class: "grid", d: `M${X(v)} 16V256` }),
    svg("text", { x: X(v), y: 273, "text-anchor": "middle" }, text)));
  scale(y0, y1, 8, (v, text) => s.append(svg("path", { class: "grid", d: `M56 ${Y(v)}H546` }),
    svg("text", { x: 48, y: Y(v) + 4, "text-anchor": "end" }, text)));
  s.append(svg("text", { x: 546, y: 293, "text-anchor": "end" }, `${operation} a byte moved`), svg("text", { x: 56, y: 10 }, `${operation} a cycle`));
  s.append(svg("path", { d: `M${X(x0)} ${Y(x0 * bus)}L${X(ridge)} ${Y(peak)}H546`, fill: "none", stroke: "var(--text)", "stroke-width": 2.2, "stroke-linejoin": "round" }));
  s.append(svg("text", { x: 540, y: Y(peak) - 8, "text-anchor": "end", class: "strong" }, `${operation === "MAC" ? "GEMM" : "ALU"} peak ${peak}`));
  const slope = Math.atan2(Y(x0 * bus) - Y(ridge * bus), X(ridge) - X(x0)), mx = Math.sqrt(x0 * ridge);
  s.append(svg("text", { class: "strong", "text-anchor": "middle",
    transform: `translate(${X(mx) - 8 * Math.sin(slope)} ${Y(mx * bus) - 8 * Math.cos(slope)}) rotate(${(-slope * 180) / Math.PI})` },
    `bus ${bus} B a cycle`));
  points.forEach((p, n) => {
    const px = X(p.x), py = Y(p.y), flip = px > 380;
    s.append(svg("path", { d: `M${px} ${py}V${Y(p.roof)}`, stroke: "var(--accent)", "stroke-width": 1.6, "stroke-dasharray": "4 4" }));
    s.append(svg("circle", { cx: px, cy: py, r: 7, fill: n ? "var(--wait)" : "var(--accent)", stroke: "var(--panel)", "stroke-width": 2 }));
    s.append(svg("text", { x: px + (flip ? -14 : 14), y: Math.min(py + 18, 250), class: "strong", "text-anchor": flip ? "end" : "start" },
      `${sideName(n, "")}${p.y.toFixed(1)} reached, ${percent(p.share)}`));
  });
  $("roofline").append(s);
  drawn("roofline-panel");
};

/* ---- Buffers over time ---- */
const occupancy = () => {
  const color = { inp: "--k-load-inp", wgt: "--k-load-wgt", acc: "--k-gemm", uop: "--k-load-uop" };
  const box = el("div", { class: "occ" });
  for (const [side, memory] of sides.flatMap((_, n) => Object.keys(color).map((m) => [n, m]))) {
    const b = sides[side].report.occupancy[memory], n = b.live.length;
    const line = b.live.map((v, i) => `${((i + 0.5) * 560) / n} ${(50 - (48 * v) / b.depth).toFixed(2)}`).join("L");
    const s = svg("svg", { viewBox: "0 0 560 52", preserveAspectRatio: "none", role: "img", style: "height:52px" });
    s.append(svg("title", null, `${memory}: at most ${b.peak} of ${b.depth} elements`));
    s.setAttribute("aria-label", `${sideName(side, memory)} over time: at most ${b.peak} of ${b.depth} elements`);
    s.append(svg("rect", { width: 560, height: 50, rx: 4, fill: "var(--track)" }));
    s.append(svg("path", { d: `M0 50L${line}L560 50Z`, fill: `var(${color[memory]})`, "fill-opacity": 0.3 }));
    s.append(svg("path", { d: `M${line}`, fill: "none", stroke: `var(${color[memory]})`, "stroke-width": 1.6, "vector-effect": "non-scaling-stroke" }));
    box.append(el("div", null,
      el("div", null, el("b", null, sideName(side, memory)), el("span", { class: "muted" }, `peak ${number(b.peak)} of ${number(b.depth)} elements, ${percent(b.peak / b.depth)}`)), s));
  }
  $("occupancy").append(box, el("p", { class: "muted" }, sides.every((side) => side.report.occupancy.exact)
    ? "Elements that hold a value which is still to be used."
    : "Micro-ops could not be read: loaded elements count until they are loaded anew."));
  drawn("occupancy-panel");
};
