/* ---- Tables: sorted by a click on their heads; their rows choose instructions in the timeline ---- */
const valueOf = (tr, column) => {
  const cell = tr.children[column];
  return cell.dataset.value !== undefined ? +cell.dataset.value : cell.textContent.toLowerCase();
};
const sortBy = (table, column, th) => {
  const down = th.getAttribute("aria-sort") !== "descending", body = table.tBodies[0];
  table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...body.rows].sort((a, b) => {
    const x = valueOf(a, column), y = valueOf(b, column);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  });
  body.append(...rows);
};
/* heads: [name, class]; a cell: a node, or [text, value to sort by]. */
const cell = (content, cls) => {
  const td = el("td", { class: cls || "" });
  if (Array.isArray(content)) {
    td.dataset.value = content[1];
    content = content[0];
  }
  td.append(content);
  return td;
};
const table = (heads, rows) => {
  const t = el("table"), h = el("tr");
  heads.forEach(([name, cls], column) => {
    const button = el("button", { type: "button", class: "sort" }, name), th = el("th", { class: cls || "", scope: "col" }, button);
    button.addEventListener("click", () => sortBy(t, column, th));
    h.append(th);
  });
  t.append(el("thead", null, h), el("tbody", null, ...rows.map(({ cells, filter, words }) => {
    const tr = el("tr", null, ...cells.map((content, n) => cell(content, heads[n][1])));
    if (filter) {
      tr.filter = filter;
      tr.dataset.filter = "";
      tr.tabIndex = 0;
      tr.title = "Show its instructions in the timeline";
      tr.addEventListener("click", () => choose(tr, words));
      tr.addEventListener("keydown", (e) => e.key === "Enter" && choose(tr, words));
    }
    return tr;
  })));
  return t;
};
const bar = (share, color) => el("div", { class: "bar", role: "img", "aria-label": percent(share) },
  el("i", { style: `width:${100 * share}%;background:var(${color})` }));
const bySide = (list) => sides.flatMap((side, s) => list(side.report).map((x) => ({ ...x, side: s })));
const most = (list) => Math.max(1, ...list);

const memoryColor = { inp: "--k-load-inp", wgt: "--k-load-wgt", acc: "--k-load-acc", acc8: "--k-load-acc", uop: "--k-load-uop", out: "--k-store" };
const memoryKinds = { inp: "load inp", wgt: "load wgt", acc: "load acc", acc8: "load acc", uop: "load uop", out: "store" };
const trafficBar = (t, all) => {
  const c = memoryColor[t.memory] || "--muted";
  return el("div", { class: "bar", role: "img", "aria-label": `${bytes(t.distinct)} different, ${bytes(t.bytes - t.distinct)} again` },
    el("i", { style: `width:${(100 * t.distinct) / all}%;background:var(${c})` }),
    el("i", { style: `width:${(100 * (t.bytes - t.distinct)) / all}%;background:repeating-linear-gradient(45deg,var(${c}) 0 3px,transparent 3px 6px)` }));
};
const traffic = () => {
  const list = bySide((r) => r.traffic.slice(0, 14)), all = most(list.map((t) => t.bytes));
  const rows = list.map((t) => {
    const again = t.bytes / t.distinct, times = el("span", again > 1.3 && t.memory !== "out" ? { class: "again" } : null,
      again.toFixed(again < 10 ? 2 : 0) + " ×");
    return { cells: [sideName(t.side, t.name), trafficBar(t, all), [bytes(t.bytes), t.bytes], [times, again]], words: t.name,
      filter: (row, i) => row.side === t.side && page.kinds[row.k[i]] === memoryKinds[t.memory] && row.a[i] >= t.first && row.a[i] <= t.last };
  });
  $("traffic").append(table([["tensor"], ["different, and again (hatched)", "wide-cell"], ["moved", "num"], ["times", "num"]], rows));
  drawn("traffic-panel");
};
const mix = () => {
  const list = bySide((r) => page.kinds.map((name, k) => ({ name, k, ...r.timing.instructions[name] })).filter((x) => x.count))
    .sort((a, b) => b.cycles - a.cycles), all = most(list.map((x) => x.cycles));
  const rows = list.map((x) => ({
    cells: [el("span", null, el("i", { class: "swatch", style: `background:var(${kindVar(x.k)})` }), sideName(x.side, x.name)),
      bar(x.cycles / all, kindVar(x.k)), [number(x.count), x.count], [number(x.cycles), x.cycles],
      [number(x.cycles / x.count), x.cycles / x.count], [x.bytes ? bytes(x.bytes) : "", x.bytes || 0]],
    filter: (row, i) => row.side === x.side && row.k[i] === x.k, words: x.name }));
  $("mix").append(table([["kind"], ["share", "wide-cell"], ["instructions", "num"], ["cycles", "num"], ["each", "num"], ["bytes", "num"]], rows));
  drawn("mix-panel");
};
const critical = () => {
  const list = bySide((r) => r.critical_path), all = most(list.map((x) => x.cycles));
  const rows = list.map((x) => {
    const k = page.kinds.indexOf(x.kind), share = x.cycles / Math.max(1, sides[x.side].report.timing.cycles);
    return { cells: [sideName(x.side, x.kind), bar(x.cycles / all, k < 0 ? "--k-fetch" : kindVar(k)),
      [x.instructions ? number(x.instructions) : "", x.instructions], [number(x.cycles), x.cycles], [percent(share), share]],
      filter: k < 0 ? null : (row, i) => row.side === x.side && row.k[i] === k && row.cp[i] === 1, words: "critical path, " + x.kind };
  });
  $("path").append(table([["kind"], ["share", "wide-cell"], ["instructions", "num"], ["cycles", "num"], ["of all", "num"]], rows),
    el("p", { class: "muted" }, "Each instruction of the path began when the one before let it; making others faster changes nothing."));
  drawn("path-panel");
};
const unitColor = { load: "--k-load-wgt", compute: "--k-gemm", store: "--k-store", fetch: "--k-fetch" };
const stages = () => {
  const list = bySide((r) => r.stages.slice(0, 20)), all = most(list.map((x) => x.cycles));
  $("stages-panel").hidden = list.length === 0;
  const rows = list.map((x) => ({
    cells: [sideName(x.side, x.name), x.unit, bar(x.cycles / all, unitColor[x.unit]), [number(x.instructions), x.instructions],
      [number(x.cycles), x.cycles], [percent(x.cycles / sides[x.side].report.timing.cycles), x.cycles]],
    filter: (row, i) => row.side === x.side && row.unit === x.unit && page.kinds[row.k[i]] !== "no-op" &&
      (sourceOf(row, i) === x.name || sourceOf(row, i).startsWith(x.name + " ")), words: x.name }));
  $("stages").append(table([["stage"], ["unit"], ["share", "wide-cell"], ["instructions", "num"], ["cycles", "num"], ["of all", "num"]], rows));
  drawn("stages-panel");
};

/* ---- What the second profile changed ---- */
/* Layers of both networks by their names, of equal names in their order: [name, cycles of A, of B]. */
const layerPairs = () => {
  const pairs = new Map();
  sides.forEach((side, s) => {
    const seen = new Map();
    (side.network || []).filter(onDevice).forEach((l) => {
      const n = seen.get(l.name) || 0, key = l.name + " " + n;
      seen.set(l.name, n + 1);
      if (!pairs.has(key)) pairs.set(key, [l.name, 0, 0]);
      pairs.get(key)[1 + s] = layerCycles(l);
    });
  });
  return [...pairs.values()].map(([name, x, y]) => [`layer ${name}, cycles`, x, y]);
};
const compared = () => {
  drawn("compare-panel");
  $("compare-panel").hidden = !pair;
  if (!pair) return;
  const [a, b] = sides.map((side) => side.report.timing), rows = [];
  const put = (name, x, y, text = number) => {
    const ratio = x > 0 ? y / x : NaN, tone = ratio < 0.995 ? "less" : ratio > 1.005 ? "more" : "";
    if (x || y)
      rows.push({ cells: [name, [text(x), x], [text(y), y], [text(y - x), y - x],
        [el("span", { class: tone }, isNaN(ratio) ? "" : ratio.toFixed(3)), isNaN(ratio) ? 1e9 : ratio]] });
  };
  layerPairs().forEach(([name, x, y]) => put(name, x, y));
  put("cycles", a.cycles, b.cycles);
  put("time, µs", a.seconds * 1e6, b.seconds * 1e6, (x) => x.toFixed(2));
  page.kinds.forEach((kind) => put(kind + ", cycles", a.instructions[kind].cycles, b.instructions[kind].cycles));
  for (const unit of Object.keys(a.units))
    for (const state of Object.keys(a.units[unit]))
      if (state !== "busy") put(`${unit}: ${stateWords(unit, state)}`, a.units[unit][state], b.units[unit][state]);
  page.kinds.forEach((kind) => a.instructions[kind].bytes !== undefined &&
    put(kind + ", bytes", a.instructions[kind].bytes, b.instructions[kind].bytes || 0));
  $("compare").append(table([["figure"], ["A", "num"], ["B", "num"], ["B − A", "num"], ["B / A", "num"]], rows));
};
