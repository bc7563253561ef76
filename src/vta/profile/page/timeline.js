/* ---- The timeline: a window of cycles over all rows, and the strip below that shows where the window is ---- */
const canvas = $("timeline"), overview = $("overview");
const LEFT = 86, TOP = 26, ROW = 54, BOX = 30;
let from = 0, to = cycles;
let selected = null; /* [row, slice] */
let chosen = null;   /* range of cycles that is summed up: [from, to] */
let found = null;    /* what the search found: {test(row, slice), list of [row, slice], at} */

const prepare = (c) => {
  const ratio = window.devicePixelRatio || 1, width = c.clientWidth, height = c.clientHeight;
  if (c.width !== Math.round(width * ratio)) c.width = Math.round(width * ratio);
  if (c.height !== Math.round(height * ratio)) c.height = Math.round(height * ratio);
  const g = c.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  return [g, width, height];
};
const rowY = (r) => TOP + r * ROW;
const faded = (row, i) => found && !found.test(row, i);
const rowColors = (row, colors) => (row.unit === "fetch" ? colors.map(() => css("--k-fetch")) : colors);

const label = (g, row, i, x, width, y, height) => {
  if (height < BOX || width < 44 || (row.unit === "fetch" && width < 60)) return;
  const text = row.unit === "fetch" ? `fetch ${row.m[i]}` : page.kinds[row.k[i]];
  if (g.measureText(text).width > width - 8) return;
  g.globalAlpha = 1;
  g.fillStyle = row.unit === "fetch" || faded(row, i) ? css("--text") : root.dataset.theme === "dark" ? "#0b1220" : "#ffffff";
  g.fillText(text, x + 5, y + height / 2 + 4);
};
const opacity = (row, i) => {
  const full = isGrouped(row) ? 0.35 + (0.65 * row.c[i]) / 100 : row.unit === "fetch" ? 0.55 : 1;
  return faded(row, i) ? full * 0.16 : full;
};

/* Slices narrower than a pixel are summed up by columns: the kind that fills most of a column gives its color. */
const drawSlices = (g, row, y, height, left, width, a, b, colors) => {
  const scale = width / (b - a), columns = [];
  for (let i = firstVisible(row, a); i < row.start.length && row.start[i] < b; i++) {
    const x0 = Math.max(0, (row.start[i] - a) * scale), x1 = Math.min(width, (sliceEnd(row, i) - a) * scale);
    if (x1 - x0 >= 1.5) {
      const gap = x1 - x0 > 4 ? 0.8 : 0;
      g.globalAlpha = opacity(row, i);
      g.fillStyle = colors[row.k[i]];
      g.beginPath();
      g.roundRect(left + x0, y, x1 - x0 - gap, height, gap ? 3 : 0);
      g.fill();
      label(g, row, i, left + x0, x1 - x0, y, height);
    } else {
      const column = Math.floor(x0), sums = columns[column] || (columns[column] = new Map());
      sums.set(row.k[i], (sums.get(row.k[i]) || 0) + (x1 - x0) * (faded(row, i) ? 0.16 : 1));
    }
  }
  columns.forEach((sums, column) => {
    let best = 0, all = 0, kind = 0;
    sums.forEach((part, k) => { all += part; if (part > best) [best, kind] = [part, k]; });
    g.globalAlpha = clamp(0.15 + 0.85 * all, 0.15, 1);
    g.fillStyle = colors[kind];
    g.fillRect(left + column, y, 1, height);
  });
  g.globalAlpha = 1;
};

/* Under a unit's row: red where it waited for a token. */
const drawWaits = (g, row, y, left, width, a, b) => {
  if (!row.wp) return;
  const scale = width / (b - a);
  g.globalAlpha = 0.8;
  g.fillStyle = css("--wait");
  for (let i = firstVisible(row, a); i < row.start.length; i++) {
    const wait = row.wp[i] + row.wn[i];
    if (row.start[i] - wait > b) break;
    const x0 = Math.max(0, (row.start[i] - wait - a) * scale), x1 = Math.min(width, (row.start[i] - a) * scale);
    if (wait && x1 > x0) g.fillRect(left + x0, y, Math.max(0.4, x1 - x0), 4);
  }
  g.globalAlpha = 1;
};

/* Over a unit's row: where the critical path runs. */
const drawCritical = (g, row, y, left, width, a, b) => {
  if (!row.cp || !$("critical").checked) return;
  const scale = width / (b - a);
  g.fillStyle = css("--critical");
  for (let i = firstVisible(row, a); i < row.start.length && row.start[i] < b; i++) {
    if (!row.cp[i]) continue;
    const x0 = Math.max(0, (row.start[i] - a) * scale), x1 = Math.min(width, (sliceEnd(row, i) - a) * scale);
    g.fillRect(left + x0, y, Math.max(0.6, x1 - x0), 3);
  }
};

const ticks = (a, b, most) => {
  const raw = (b - a) / most, power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw));
  const out = [];
  for (let t = Math.ceil(a / step) * step; t <= b; t += step) out.push(t);
  return out;
};
const drawGrid = (g, full, width, x, bottom) => {
  g.strokeStyle = css("--grid");
  g.lineWidth = 1;
  g.textAlign = "center";
  for (const t of ticks(from, to, width / 110)) {
    g.fillStyle = css("--muted");
    g.fillText(number(t), clamp(x(t), LEFT + 12, full - 26), 14);
    g.beginPath();
    g.moveTo(Math.round(x(t)) + 0.5, TOP - 6);
    g.lineTo(Math.round(x(t)) + 0.5, bottom);
    g.stroke();
  }
  g.textAlign = "left";
};
const drawNames = (g, width) => {
  rows.forEach((row, r) => {
    g.fillStyle = css("--text");
    g.font = "600 13px system-ui, 'DejaVu Sans', sans-serif";
    g.fillText((pair ? letter(row.side) + " " : "") + row.unit, 0, rowY(r) + BOX / 2 + 4);
    g.fillStyle = css("--track");
    g.fillRect(LEFT, rowY(r), width, BOX);
  });
  g.font = "12px system-ui, 'DejaVu Sans', sans-serif";
};

const arrow = (g, x0, y0, x1, y1) => {
  g.beginPath();
  g.moveTo(x0, y0);
  const bend = clamp(Math.abs(x1 - x0) / 3, 4, 80);
  g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  g.stroke();
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x1 - 7, y1 - 4);
  g.lineTo(x1 - 7, y1 + 4);
  g.fill();
};
const producers = (r, i) => {
  const row = rows[r], map = where[row.side];
  return row.tp ? [row.tp[i], row.tn[i]].filter((insn) => insn >= 0 && map.has(insn)).map((insn) => map.get(insn)) : [];
};
const consumers = (side, insn) => {
  const out = [];
  rows.forEach((row, r) => row.side === side && row.tp &&
    row.n.forEach((_, i) => (row.tp[i] === insn || row.tn[i] === insn) && out.push([r, i])));
  return out;
};
const drawSelection = (g, width, x) => {
  if (!selected) return;
  const [r, i] = selected, row = rows[r], middle = (at) => rowY(at) + BOX / 2;
  g.strokeStyle = css("--text");
  g.lineWidth = 2;
  g.strokeRect(x(row.start[i]), rowY(r) - 1, Math.max(2, (row.d[i] * width) / (to - from)), BOX + 2);
  g.strokeStyle = g.fillStyle = css("--accent");
  g.lineWidth = 1.6;
  for (const [pr, pi] of producers(r, i)) arrow(g, x(sliceEnd(rows[pr], pi)), middle(pr), x(row.start[i]), middle(r));
  for (const [cr, ci] of consumers(row.side, row.n[i]))
    arrow(g, x(sliceEnd(row, i)), middle(r), x(rows[cr].start[ci]), middle(cr));
};
const drawChosen = (g, x, bottom) => {
  if (!chosen) return;
  g.fillStyle = css("--accent");
  g.globalAlpha = 0.13;
  g.fillRect(x(chosen[0]), TOP - 6, x(chosen[1]) - x(chosen[0]), bottom - TOP + 6);
  g.globalAlpha = 1;
};

const rangeText = () => {
  const shown = to - from;
  return `cycles ${number(from)} to ${number(to)} of ${number(cycles)}` +
    (shown < cycles ? ` (${number(cycles / shown)} times)` : "") +
    (rows.some(isGrouped) ? "; neighbouring instructions are drawn together, this program is long" : "");
};
const draw = () => {
  const [g, full] = prepare(canvas);
  const width = full - LEFT - 6, scale = width / (to - from), x = (cycle) => LEFT + (cycle - from) * scale;
  const colors = page.kinds.map((_, k) => css(kindVar(k))), bottom = rowY(rows.length - 1) + BOX + 8;
  drawGrid(g, full, width, x, bottom);
  drawNames(g, width);
  g.save();
  g.beginPath();
  g.rect(LEFT, 0, width, bottom + 10);
  g.clip();
  rows.forEach((row, r) => {
    drawSlices(g, row, rowY(r), BOX, LEFT, width, from, to, rowColors(row, colors));
    drawWaits(g, row, rowY(r) + BOX + 3, LEFT, width, from, to);
    drawCritical(g, row, rowY(r) - 5, LEFT, width, from, to);
  });
  drawChosen(g, x, bottom);
  drawSelection(g, width, x);
  g.restore();
  drawOverview(colors);
  $("range").textContent = rangeText();
  drawn("timeline-panel");
};
const drawOverview = (colors) => {
  const [g, full, height] = prepare(overview), width = full - LEFT - 6, lane = height / rows.length;
  g.fillStyle = css("--track");
  g.fillRect(LEFT, 0, width, height);
  rows.forEach((row, r) => drawSlices(g, row, r * lane + 1, lane - 2, LEFT, width, 0, cycles, rowColors(row, colors)));
  g.fillStyle = css("--panel");
  g.globalAlpha = 0.72;
  const a = LEFT + (from / cycles) * width, b = LEFT + (to / cycles) * width;
  g.fillRect(LEFT, 0, a - LEFT, height);
  g.fillRect(b, 0, LEFT + width - b, height);
  g.globalAlpha = 1;
  g.strokeStyle = css("--accent");
  g.lineWidth = 1.5;
  g.strokeRect(a + 0.5, 0.75, Math.max(2, b - a - 1), height - 1.5);
};

let queued = false;
const redraw = () => {
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => { queued = false; draw(); });
};
const show = (a, b) => {
  const span = clamp(b - a, Math.min(16, cycles), cycles);
  from = clamp(a, 0, cycles - span);
  to = from + span;
  canvas.dataset.from = from;
  canvas.dataset.to = to;
  redraw();
};
const zoom = (factor, at = (from + to) / 2) => show(at - (at - from) * factor, at + (to - at) * factor);
const pan = (share) => show(from + share * (to - from), to + share * (to - from));
const acts = { left: () => pan(-0.2), right: () => pan(0.2), in: () => zoom(0.6), out: () => zoom(1 / 0.6), fit: () => show(0, cycles) };
/* Moves the window so far that cycles a to b are in it. */
const reveal = (a, b) => {
  if (a >= from && b <= to) return;
  const span = Math.max(to - from, b - a);
  show((a + b) / 2 - span / 2, (a + b) / 2 + span / 2);
};
const legend = () => {
  page.kinds.forEach((name, k) => {
    if (sides.some((side) => side.report.timing.instructions[name].count))
      $("legend").append(el("span", null, el("i", { style: `background:var(${kindVar(k)})` }), name));
  });
  $("legend").append(el("span", null, el("i", { style: "background:var(--wait);height:4px;vertical-align:3px" }), "waiting for a token"));
  if (rows.some((row) => row.cp))
    $("legend").append(el("span", null, el("i", { style: "background:var(--critical);height:4px;vertical-align:3px" }), "critical path"));
};
