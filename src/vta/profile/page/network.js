/* ---- The network: its layers as a graph, coloured by time, and as a table; both show a layer in the timeline ---- */
const layers = sides[0].network || [];
const layerCycles = (l) => l.end - l.begin;
const layerSeconds = (l) => (layerCycles(l) ? layerCycles(l) / (timing.frequency_khz * 1000) : l.seconds);
const layerBound = (l) => Math.max(l.compute, l.memory);
const onDevice = (l) => layerCycles(l) > 0;
const NODE = { w: 216, h: 48, x: 30, y: 26 };

/* The row of a layer is one below its lowest input's; its column is that of an input, where it is free. */
const placeLayers = () => {
  const taken = new Set(), at = [];
  layers.forEach((l) => {
    const row = 1 + Math.max(-1, ...l.from.map((f) => at[f].row));
    const parents = [...l.from].sort((a, b) => at[b].row - at[a].row);
    let column = parents.length ? at[parents[0]].column : 0;
    for (let c = column, n = 0; taken.has(row + "," + column); n++) column = n === 0 ? c + 1 : column + 1;
    taken.add(row + "," + column);
    at.push({ row, column, x: column * (NODE.w + NODE.x) + NODE.w / 2, y: row * (NODE.h + NODE.y) });
  });
  return at;
};
const edgePath = (a, b) => {
  const half = NODE.w / 2, y0 = a.y + NODE.h, middle = NODE.h / 2;
  if (b.row - a.row === 1) return `M${a.x} ${y0}C${a.x} ${y0 + NODE.y / 2} ${b.x} ${b.y - NODE.y / 2} ${b.x} ${b.y - 5}`;
  const out = Math.min(44, 16 + 4 * (b.row - a.row)), left = Math.min(a.x, b.x) - half - out; /* round the layers between */
  return `M${a.x - half} ${a.y + middle}C${left} ${a.y + middle} ${left} ${b.y + middle} ${b.x - half - 5} ${b.y + middle}`;
};
const layerText = (l, all) => (onDevice(l) ? `${number(layerCycles(l))} cycles` : `${seconds(l.seconds)} on the host`) +
  ` · ${percent(layerSeconds(l) / all)}`;
/* As vta_short_name: without parts that the next one repeats, then the end; beginnings are alike. */
const cut = (s, n) => {
  const parts = s.split("/"), brief = parts.filter((p, i) => !p || !(parts[i + 1] || "").startsWith(p + ".")).join("/");
  return s.length <= n ? s : brief.length <= n ? brief : "…" + brief.slice(1 - n);
};

let picked = -1;
const markLayer = (index) => {
  picked = index;
  document.querySelectorAll("#network [data-layer]").forEach((e) => e.classList.toggle("picked", +e.dataset.layer === index));
};
const pickLayer = (index) => {
  const l = layers[index];
  markLayer(picked === index ? -1 : index);
  if (picked < 0 || !onDevice(l)) return setChosen(null);
  const margin = layerCycles(l) / 20;
  show(l.begin - margin, l.end + margin);
  setChosen([l.begin, l.end]);
};
/* The layer of the selected instruction. */
const markLayerAt = (cycle) => layers.length && markLayer(layers.findIndex((l) => cycle >= l.begin && cycle < l.end));
const makePickable = (e, index) => {
  e.dataset.layer = index;
  e.setAttribute("tabindex", 0);
  e.addEventListener("click", () => pickLayer(index));
  e.addEventListener("keydown", (key) => {
    if (key.key !== "Enter" && key.key !== " ") return;
    key.preventDefault();
    pickLayer(index);
  });
};

const layerNode = (l, index, at, all, top) => {
  const heat = layerSeconds(l) / top, g = svg("g", { class: "layer" + (onDevice(l) ? "" : " host"), role: "button",
    transform: `translate(${at.x - NODE.w / 2} ${at.y})`, "aria-label": `${l.name}: ${layerText(l, all)}` });
  g.append(svg("title", null, `${l.name}: ${layerText(l, all)}` + (onDevice(l) ? `, at least ${number(layerBound(l))} by its ${l.compute >= l.memory ? "micro-ops" : "bytes"}` : "")),
    svg("rect", { width: NODE.w, height: NODE.h, rx: 8, style: `--share:${heat.toFixed(3)}` }),
    svg("text", { x: 12, y: 20, class: "strong" }, cut(l.name, 30)), svg("text", { x: 12, y: 37 }, layerText(l, all)));
  makePickable(g, index);
  return g;
};
const networkGraph = (all, top) => {
  const at = placeLayers(), left = 48, width = Math.max(...at.map((p) => p.x)) + NODE.w / 2 + left + 8;
  const height = Math.max(...at.map((p) => p.y)) + NODE.h + 8;
  const s = svg("svg", { viewBox: `${-left} -4 ${width} ${height}`, style: `width:${width}px;height:${height}px;max-width:none` });
  s.append(svg("title", null, `${layers.length} layers of the network`));
  const marker = svg("marker", { id: "tip-of-edge", viewBox: "0 0 8 8", refX: 5, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
  marker.append(svg("path", { d: "M0 0L8 4L0 8Z", class: "arrow" }));
  s.append(marker);
  layers.forEach((l, i) => l.from.forEach((f) => s.append(svg("path", { class: "edge", d: edgePath(at[f], at[i]), "marker-end": "url(#tip-of-edge)" }))));
  layers.forEach((l, i) => s.append(layerNode(l, i, at[i], all, top)));
  return s;
};
const networkTable = (all, top) => {
  const rows = layers.map((l) => {
    const bound = layerBound(l), ratio = bound ? layerCycles(l) / bound : 0;
    return { cells: [l.name, [el("div", { class: "bar", role: "img", "aria-label": percent(layerSeconds(l) / all) },
      el("i", { style: `width:${(100 * layerSeconds(l)) / top}%;background:var(${onDevice(l) ? "--heat" : "--muted"})` })), layerSeconds(l)],
      [seconds(layerSeconds(l)), layerSeconds(l)], [percent(layerSeconds(l) / all), layerSeconds(l)],
      [onDevice(l) ? number(layerCycles(l)) : "host", layerCycles(l)], [bound ? number(bound) : "", bound],
      [el("span", ratio > 1.25 ? { class: "again" } : null, ratio ? ratio.toFixed(2) + " ×" : ""), ratio],
      onDevice(l) ? (l.compute >= l.memory ? "compute" : "memory") : "", [l.bytes ? bytes(l.bytes) : "", l.bytes]] };
  });
  const t = table([["layer"], ["share", "bar-cell"], ["time", "num"], ["of all", "num"], ["cycles", "num"], ["at least", "num"], ["ratio", "num"], ["limit"], ["moved", "num"]], rows);
  [...t.tBodies[0].rows].forEach((tr, i) => {
    makePickable(tr, i);
    tr.title = "Show it in the timeline";
  });
  return t;
};
const network = () => {
  drawn("network-panel");
  $("network-panel").hidden = !layers.length;
  if (!layers.length) return;
  const all = layers.reduce((sum, l) => sum + layerSeconds(l), 0) || 1, top = Math.max(...layers.map(layerSeconds)) || 1;
  const host = layers.filter((l) => !onDevice(l)).reduce((sum, l) => sum + l.seconds, 0);
  $("network-words").textContent = `${pair ? "A: " : ""}${layers.length} layers, ${seconds(all)}: ${seconds(all - host)} on the accelerator at ` +
    `${timing.frequency_khz / 1000} MHz, ${seconds(host)} on this host. The stronger its colour, the longer a layer takes.`;
  $("network").append(el("div", { class: "graph", tabindex: "0", role: "group", "aria-label": "The network as a graph" }, networkGraph(all, top)),
    el("div", { class: "list" }, networkTable(all, top)));
};
