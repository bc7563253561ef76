"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const report = data.report, timing = report.timing, cycles = Math.max(1, timing.cycles);
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement;

  /* ---- Small helpers ---- */
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const kindVar = (k) => "--k-" + data.kinds[k].replace(/ /g, "-");
  const number = (n) => Math.round(n).toLocaleString("en-US");
  const percent = (x) => (100 * x).toFixed(x < 0.1 ? 1 : 0) + "\u00a0%";
  const bytes = (n) => (n >= 1e6 ? (n / 1e6).toFixed(2) + " MB" : n >= 1e3 ? (n / 1e3).toFixed(1) + " kB" : n + " B");
  const el = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes || {})) k === "style" ? (e.style.cssText = v) : e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const svg = (tag, attributes, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const drawn = (id) => ($(id).dataset.drawn = "true");
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

  /* ---- Rows of the timeline: starts are stored as differences ---- */
  const where = new Map(); /* instruction -> [row, slice] */
  data.rows.forEach((row, r) => {
    let at = 0;
    row.start = row.s.map((step) => (at += step));
    row.n.forEach((insn, i) => row.unit === "fetch" || where.set(insn, [r, i]));
  });
  const sliceEnd = (row, i) => row.start[i] + row.d[i];
  /* The first slice that ends after `cycle`. */
  const firstVisible = (row, cycle) => {
    let low = 0, high = row.start.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sliceEnd(row, middle) <= cycle) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /* ---- Head, verdict, figures ---- */
  const head = () => {
    $("title").textContent = data.title;
    $("machine").textContent = `${report.config} · profile ${timing.profile} · ${timing.bus_bits}-bit bus · ` +
      `${timing.frequency_khz / 1000} MHz` + (timing.runs > 1 ? ` · ${timing.runs} device runs` : "");
    report.verdict.forEach((line) => $("verdict-list").append(el("li", null, line)));
    drawn("verdict");
    const time = timing.seconds;
    const figures = [
      [number(timing.cycles), "cycles"],
      [time >= 1 ? time.toFixed(2) + " s" : time >= 1e-3 ? (time * 1e3).toFixed(2) + " ms" : (time * 1e6).toFixed(1) + " µs",
        "time"],
      [percent(timing.gemm_utilization), "GEMM utilization", timing.gemm_utilization],
      [percent(timing.bus_utilization), "read bus busy", timing.bus_utilization],
      [timing.macs_per_byte.toFixed(1), "MAC a byte moved"],
      [percent(timing.roofline_fraction), "of the roofline", timing.roofline_fraction],
    ];
    for (const [value, name, share] of figures) {
      const card = el("div", { class: "figure" }, el("b", null, value), el("span", null, name));
      if (share !== undefined)
        card.append(el("div", { class: "meter", "aria-hidden": "true" }, el("i", { style: `width:${clamp(100 * share, 0, 100)}%` })));
      $("figures").append(card);
    }
    drawn("figures");
  };

  /* ---- Timeline ---- */
  const canvas = $("timeline"), overview = $("overview"), LEFT = 78, TOP = 26, ROW = 54, BOX = 30;
  let from = 0, to = cycles, selected = null; /* [row, slice] */

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

  /* Slices narrower than a pixel are summed up by columns: the kind that fills most of a column gives its color. */
  const drawSlices = (g, row, y, height, left, width, a, b, colors) => {
    const scale = width / (b - a), columns = [];
    for (let i = firstVisible(row, a); i < row.start.length && row.start[i] < b; i++) {
      const x0 = Math.max(0, (row.start[i] - a) * scale), x1 = Math.min(width, (sliceEnd(row, i) - a) * scale);
      if (x1 - x0 >= 1.5) {
        const gap = x1 - x0 > 4 ? 0.8 : 0;
        g.globalAlpha = row.c ? 0.35 + 0.65 * row.c[i] / 100 : row.unit === "fetch" ? 0.55 : 1;
        g.fillStyle = colors[row.k[i]];
        g.beginPath();
        g.roundRect(left + x0, y, x1 - x0 - gap, height, gap ? 3 : 0);
        g.fill();
        label(g, row, i, left + x0, x1 - x0, y, height);
      } else {
        const column = Math.floor(x0);
        const sums = columns[column] || (columns[column] = new Map());
        sums.set(row.k[i], (sums.get(row.k[i]) || 0) + x1 - x0);
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

  const label = (g, row, i, x, width, y, height) => {
    if (height < BOX || width < 44 || row.unit === "fetch" && width < 60) return;
    const text = row.unit === "fetch" ? `fetch ${row.m[i]}` : data.kinds[row.k[i]];
    if (g.measureText(text).width > width - 8) return;
    g.globalAlpha = 1;
    g.fillStyle = row.unit === "fetch" ? css("--text") : root.dataset.theme === "dark" ? "#0b1220" : "#ffffff";
    g.fillText(text, x + 5, y + height / 2 + 4);
  };

  /* Under a unit's row: red where it waited for a token, grey where its instruction had not arrived. */
  const drawWaits = (g, row, y, left, width, a, b) => {
    if (!row.wp) return;
    const scale = width / (b - a), red = css("--wait");
    for (let i = firstVisible(row, a); i < row.start.length; i++) {
      const wait = row.wp[i] + row.wn[i];
      if (row.start[i] - wait > b) break;
      if (!wait) continue;
      const x0 = Math.max(0, (row.start[i] - wait - a) * scale), x1 = Math.min(width, (row.start[i] - a) * scale);
      if (x1 <= x0) continue;
      g.globalAlpha = 0.8;
      g.fillStyle = red;
      g.fillRect(left + x0, y, Math.max(0.4, x1 - x0), 4);
    }
    g.globalAlpha = 1;
  };

  const ticks = (a, b, most) => {
    const raw = (b - a) / most, power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw));
    const out = [];
    for (let t = Math.ceil(a / step) * step; t <= b; t += step) out.push(t);
    return out;
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
  const rowY = (r) => TOP + r * ROW;
  const producers = (r, i) => {
    const row = data.rows[r];
    return row.tp ? [row.tp[i], row.tn[i]].filter((insn) => insn >= 0 && where.has(insn)).map((insn) => where.get(insn)) : [];
  };
  const consumers = (insn) => {
    const out = [];
    data.rows.forEach((row, r) => row.tp && row.n.forEach((_, i) => (row.tp[i] === insn || row.tn[i] === insn) && out.push([r, i])));
    return out;
  };

  const drawSelection = (g, width, x) => {
    if (!selected) return;
    const [r, i] = selected, row = data.rows[r];
    g.strokeStyle = css("--text");
    g.lineWidth = 2;
    g.strokeRect(x(row.start[i]), rowY(r) - 1, Math.max(2, (row.d[i] * width) / (to - from)), BOX + 2);
    g.strokeStyle = g.fillStyle = css("--accent");
    g.lineWidth = 1.6;
    const middle = (at) => rowY(at) + BOX / 2;
    for (const [pr, pi] of producers(r, i))
      arrow(g, x(sliceEnd(data.rows[pr], pi)), middle(pr), x(row.start[i]), middle(r));
    for (const [cr, ci] of consumers(row.n[i]))
      arrow(g, x(sliceEnd(row, i)), middle(r), x(data.rows[cr].start[ci]), middle(cr));
  };

  const draw = () => {
    const [g, full] = prepare(canvas);
    const width = full - LEFT - 6, scale = width / (to - from), x = (cycle) => LEFT + (cycle - from) * scale;
    const colors = data.kinds.map((_, k) => css(kindVar(k)));
    const bottom = rowY(data.rows.length - 1) + BOX + 8;
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
    data.rows.forEach((row, r) => {
      g.fillStyle = css("--text");
      g.font = "600 13px system-ui, 'DejaVu Sans', sans-serif";
      g.fillText(row.unit, 0, rowY(r) + BOX / 2 + 4);
      g.font = "12px system-ui, 'DejaVu Sans', sans-serif";
      g.fillStyle = css("--track");
      g.fillRect(LEFT, rowY(r), width, BOX);
    });
    g.save();
    g.beginPath();
    g.rect(LEFT, 0, width, bottom + 10);
    g.clip();
    data.rows.forEach((row, r) => {
      drawSlices(g, row, rowY(r), BOX, LEFT, width, from, to, row.unit === "fetch" ? colors.map(() => css("--k-fetch")) : colors);
      drawWaits(g, row, rowY(r) + BOX + 3, LEFT, width, from, to);
    });
    drawSelection(g, width, x);
    g.restore();
    drawOverview(colors);
    const shown = to - from;
    $("range").textContent = `cycles ${number(from)} to ${number(to)} of ${number(cycles)}` +
      (shown < cycles ? ` (${number(cycles / shown)} times)` : "") +
      (data.rows.some((row) => row.c) ? "; neighbouring instructions are drawn together, this program is long" : "");
    drawn("timeline-panel");
  };

  const drawOverview = (colors) => {
    const [g, full, height] = prepare(overview), width = full - LEFT - 6, lane = height / data.rows.length;
    g.fillStyle = css("--track");
    g.fillRect(LEFT, 0, width, height);
    data.rows.forEach((row, r) =>
      drawSlices(g, row, r * lane + 1, lane - 2, LEFT, width, 0, cycles, row.unit === "fetch" ? colors.map(() => css("--k-fetch")) : colors));
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

  /* ---- Selection ---- */
  const describe = (r, i) => {
    const row = data.rows[r];
    if (row.unit === "fetch") return `fetch of ${row.m[i]} instructions from ${row.n[i]} on`;
    if (row.c) return `${row.g} instructions from ${row.n[i]} on, mostly ${data.kinds[row.k[i]]}`;
    return `${row.n[i]}: ${data.kinds[row.k[i]]}` + (row.f[i] ? `, ${row.f[i]}` : "");
  };
  const details = () => {
    const box = $("detail");
    box.replaceChildren();
    if (!selected) return;
    const [r, i] = selected, row = data.rows[r], list = el("dl");
    const put = (name, value) => list.append(el("dt", null, name), el("dd", null, value));
    box.append(el("b", null, describe(r, i)), list);
    put("cycles", `${number(row.start[i])} to ${number(sliceEnd(row, i))}: ${number(row.d[i])}`);
    if (row.wp) {
      put("waited for tokens", `${number(row.wp[i])} of the stage before, ${number(row.wn[i])} of the stage after`);
      put("waited for memory", number(row.m[i]));
      if (row.src && row.src[i]) put("source", data.names[row.src[i] - 1]);
      const from = producers(r, i).map(([pr, pi]) => describe(pr, pi));
      if (from.length) put("tokens from", from.join("; "));
    }
  };
  const select = (choice, follow) => {
    selected = choice;
    details();
    if (choice && follow) {
      const row = data.rows[choice[0]], a = row.start[choice[1]], b = sliceEnd(row, choice[1]);
      if (a < from || b > to) {
        const span = Math.max(to - from, b - a);
        show((a + b) / 2 - span / 2, (a + b) / 2 + span / 2);
      }
    }
    redraw();
  };
  const step = (by) => {
    const [r, i] = selected || [1, firstVisible(data.rows[1], from) - by];
    if (data.rows[r].start.length) select([r, clamp(i + by, 0, data.rows[r].start.length - 1)], true);
  };
  const changeRow = (by) => {
    const [r, i] = selected || [1, 0], next = clamp(r + by, 0, data.rows.length - 1), row = data.rows[next];
    if (!row.start.length) return;
    const at = selected ? data.rows[r].start[i] : from;
    select([next, clamp(firstVisible(row, at), 0, row.start.length - 1)], true);
  };
  const focusSelected = () => {
    if (!selected) return;
    const row = data.rows[selected[0]], a = row.start[selected[1]], d = row.d[selected[1]];
    show(a - d, a + 2 * d);
  };

  /* ---- Mouse and keys ---- */
  const cycleAt = (event) => from + ((event.offsetX - LEFT) / (canvas.clientWidth - LEFT - 6)) * (to - from);
  const hit = (event) => {
    const r = Math.floor((event.offsetY - TOP) / ROW), row = data.rows[r];
    if (!row || event.offsetX < LEFT) return null;
    const cycle = cycleAt(event), i = firstVisible(row, cycle), slack = (to - from) / canvas.clientWidth;
    return i < row.start.length && row.start[i] <= cycle + slack ? [r, i] : null;
  };
  const tip = (event) => {
    const found = hit(event), box = $("tip");
    box.hidden = !found;
    if (!found) return;
    const row = data.rows[found[0]];
    const source = row.src && row.src[found[1]] ? ` · ${data.names[row.src[found[1]] - 1]}` : "";
    box.textContent = `${describe(...found)} · ${number(row.d[found[1]])} cycles${source}`;
    box.style.left = Math.min(event.clientX + 14, window.innerWidth - box.offsetWidth - 12) + "px";
    box.style.top = event.clientY + 18 + "px";
  };
  const mouse = () => {
    let drag = null;
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      Math.abs(e.deltaX) > Math.abs(e.deltaY) ? pan(e.deltaX / 800) : zoom(Math.pow(1.0016, e.deltaY), cycleAt(e));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (e) => {
      drag = { x: e.clientX, from, to, moved: false };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!drag) return tip(e);
      if (Math.abs(e.clientX - drag.x) > 3) drag.moved = true;
      const shift = ((drag.x - e.clientX) / (canvas.clientWidth - LEFT - 6)) * (drag.to - drag.from);
      if (drag.moved) show(drag.from + shift, drag.to + shift);
    });
    canvas.addEventListener("pointerup", (e) => {
      if (drag && !drag.moved) select(hit(e), false);
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => ($("tip").hidden = true));
    const jump = (e) => {
      if (!(e.buttons & 1)) return;
      const at = ((e.offsetX - LEFT) / (overview.clientWidth - LEFT - 6)) * cycles, half = (to - from) / 2;
      show(at - half, at + half);
    };
    overview.addEventListener("pointerdown", jump);
    overview.addEventListener("pointermove", jump);
  };
  const keyActs = {
    ArrowLeft: acts.left, ArrowRight: acts.right, "+": acts.in, "=": acts.in, "-": acts.out, _: acts.out, 0: acts.fit,
    "[": () => step(-1), "]": () => step(1), ArrowUp: () => changeRow(-1), ArrowDown: () => changeRow(1),
    f: focusSelected, Escape: () => select(null), "?": () => $("keys").showModal(), d: () => $("theme").click(),
  };
  const keys = () => {
    document.addEventListener("keydown", (e) => {
      const act = keyActs[e.key];
      if (!act || e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
      const vertical = e.key === "ArrowUp" || e.key === "ArrowDown";
      if (vertical && document.activeElement !== canvas) return; /* the page scrolls */
      e.preventDefault();
      act();
    });
    document.querySelectorAll("[data-act]").forEach((b) => b.addEventListener("click", acts[b.dataset.act]));
    $("help").addEventListener("click", keyActs["?"]);
  };
  const legend = () => {
    data.kinds.forEach((name, k) => {
      if (timing.instructions[name].count)
        $("legend").append(el("span", null, el("i", { style: `background:var(${kindVar(k)})` }), name));
    });
    $("legend").append(el("span", null, el("i", { style: "background:var(--wait);height:4px;vertical-align:3px" }), "waiting for a token"));
  };

  /* ---- What each unit does ---- */
  const stateColor = { busy: "--s-busy", wait_memory: "--s-memory", wait_prev: "--s-prev", wait_next: "--s-next",
    wait_full: "--s-full", wait_fetch: "--s-fetch", idle: "--grid" };
  const tokenWait = { load: { wait_next: "compute → load" }, compute: { wait_prev: "load → compute", wait_next: "store → compute" },
    store: { wait_prev: "compute → store" } };
  const stateWords = (unit, state) =>
    tokenWait[unit] && tokenWait[unit][state] ? `waiting for ${tokenWait[unit][state]} tokens` : data.states[state];
  const units = () => {
    const stack = el("div", { class: "stack" }), key = el("div", { class: "legend" }), used = new Set();
    for (const [unit, states] of Object.entries(timing.units)) {
      const bar = el("div", { class: "bar", role: "img" }), words = [];
      for (const [state, count] of Object.entries(states)) {
        if (!count) continue;
        used.add(state);
        if (count / cycles >= 0.005) words.push(`${stateWords(unit, state)} ${percent(count / cycles)}`);
        bar.append(el("i", { style: `width:${(100 * count) / cycles}%;background:var(${stateColor[state]})`,
          title: `${stateWords(unit, state)}: ${number(count)} cycles, ${percent(count / cycles)}` }));
      }
      bar.setAttribute("aria-label", `${unit}: ${words.join(", ")}`);
      stack.append(el("span", null, unit), bar, el("p", { class: "muted", "aria-hidden": "true" }, words.join(" · ")));
    }
    for (const state of Object.keys(stateColor))
      if (used.has(state)) key.append(el("span", null, el("i", { style: `background:var(${stateColor[state]})` }), data.states[state]));
    $("units").append(stack, key);
    drawn("units-panel");
  };

  /* ---- Roofline ---- */
  const roofline = () => {
    const peak = timing.peak_macs_per_cycle, bus = timing.bus_bits / 8;
    const s = svg("svg", { viewBox: "0 0 560 300", role: "img" });
    s.append(svg("title", null, `${timing.macs_per_cycle.toFixed(1)} MAC a cycle at ${timing.macs_per_byte.toFixed(1)} MAC a byte; ` +
      `the roofline allows ${timing.roof_macs_per_cycle.toFixed(1)}`));
    const ridge = peak / bus, at = timing.macs_per_byte || ridge / 64;
    const x0 = Math.min(ridge, at) / 8, x1 = Math.max(ridge, at) * 8, y1 = peak * 2.2;
    const y0 = Math.min(peak / 60, Math.max(timing.macs_per_cycle, peak / 1e4) / 3, x0 * bus);
    const X = (v) => 56 + (490 * Math.log(v / x0)) / Math.log(x1 / x0);
    const Y = (v) => 256 - (240 * Math.log(clamp(v, y0, y1) / y0)) / Math.log(y1 / y0);
    for (let p = Math.ceil(Math.log2(x0)); p <= Math.log2(x1); p += Math.log2(x1 / x0) > 10 ? 2 : 1) {
      s.append(svg("path", { class: "grid", d: `M${X(2 ** p)} 16V256` }));
      s.append(svg("text", { x: X(2 ** p), y: 273, "text-anchor": "middle" }, p < 0 ? `1/${2 ** -p}` : 2 ** p));
    }
    for (let p = Math.ceil(Math.log2(y0)); p <= Math.log2(y1); p += Math.log2(y1 / y0) > 8 ? 2 : 1) {
      s.append(svg("path", { class: "grid", d: `M56 ${Y(2 ** p)}H546` }));
      s.append(svg("text", { x: 48, y: Y(2 ** p) + 4, "text-anchor": "end" }, p < 0 ? `1/${2 ** -p}` : 2 ** p));
    }
    s.append(svg("text", { x: 546, y: 293, "text-anchor": "end" }, "MAC a byte moved"));
    s.append(svg("text", { x: 56, y: 10 }, "MAC a cycle"));
    s.append(svg("path", { d: `M${X(x0)} ${Y(x0 * bus)}L${X(ridge)} ${Y(peak)}H546`, fill: "none", stroke: "var(--text)", "stroke-width": 2.2, "stroke-linejoin": "round" }));
    s.append(svg("text", { x: 540, y: Y(peak) - 8, "text-anchor": "end", class: "strong" }, `GEMM peak ${peak}`));
    const slope = Math.atan2(Y(x0 * bus) - Y(ridge * bus), X(ridge) - X(x0)), mx = Math.sqrt(x0 * ridge);
    s.append(svg("text", { class: "strong", "text-anchor": "middle",
      transform: `translate(${X(mx) - 8 * Math.sin(slope)} ${Y(mx * bus) - 8 * Math.cos(slope)}) rotate(${(-slope * 180) / Math.PI})` },
      `bus ${bus} B a cycle`));
    const px = X(at), py = Y(timing.macs_per_cycle || y0), ry = Y(timing.roof_macs_per_cycle || y0);
    s.append(svg("path", { d: `M${px} ${py}V${ry}`, stroke: "var(--accent)", "stroke-width": 1.6, "stroke-dasharray": "4 4" }));
    s.append(svg("circle", { cx: px, cy: py, r: 7, fill: "var(--accent)", stroke: "var(--panel)", "stroke-width": 2 }));
    const flip = px > 380;
    s.append(svg("text", { x: px + (flip ? -14 : 14), y: py + 18, class: "strong", "text-anchor": flip ? "end" : "start" },
      `${timing.macs_per_cycle.toFixed(1)} reached, ${percent(timing.roofline_fraction)}`));
    $("roofline").append(s);
    drawn("roofline-panel");
  };

  /* ---- Occupancy ---- */
  const occupancy = () => {
    const color = { inp: "--k-load-inp", wgt: "--k-load-wgt", acc: "--k-gemm", uop: "--k-load-uop" };
    const box = el("div", { class: "occ" }), o = report.occupancy;
    for (const memory of Object.keys(color)) {
      const b = o[memory], n = b.live.length;
      const line = b.live.map((v, i) => `${((i + 0.5) * 560) / n} ${(50 - (48 * v) / b.depth).toFixed(2)}`).join("L");
      const s = svg("svg", { viewBox: "0 0 560 52", preserveAspectRatio: "none", role: "img", style: "height:52px" });
      s.append(svg("title", null, `${memory}: at most ${b.peak} of ${b.depth} elements`));
      s.append(svg("rect", { width: 560, height: 50, rx: 4, fill: "var(--track)" }));
      s.append(svg("path", { d: `M0 50L${line}L560 50Z`, fill: `var(${color[memory]})`, "fill-opacity": 0.3 }));
      s.append(svg("path", { d: `M${line}`, fill: "none", stroke: `var(${color[memory]})`, "stroke-width": 1.6, "vector-effect": "non-scaling-stroke" }));
      box.append(el("div", null,
        el("div", null, el("b", null, memory), el("span", { class: "muted" }, `peak ${number(b.peak)} of ${number(b.depth)} elements, ${percent(b.peak / b.depth)}`)), s));
    }
    $("occupancy").append(box, el("p", { class: "muted" }, o.exact
      ? "Elements that hold a value which is still to be used."
      : "Micro-ops could not be read: loaded elements count until they are loaded anew."));
    drawn("occupancy-panel");
  };

  /* ---- Traffic and mix ---- */
  const memoryColor = { inp: "--k-load-inp", wgt: "--k-load-wgt", acc: "--k-load-acc", acc8: "--k-load-acc", uop: "--k-load-uop", out: "--k-store" };
  const table = (heads, rows) => {
    const t = el("table"), h = el("tr");
    heads.forEach(([name, cls]) => h.append(el("th", { class: cls || "", scope: "col" }, name)));
    t.append(el("thead", null, h), el("tbody", null, ...rows));
    return t;
  };
  const traffic = () => {
    const most = Math.max(1, ...report.traffic.map((t) => t.bytes));
    const rows = report.traffic.slice(0, 14).map((t) => {
      const c = memoryColor[t.memory] || "--muted", again = t.bytes / t.distinct;
      const bar = el("div", { class: "bar", role: "img", "aria-label": `${bytes(t.distinct)} different, ${bytes(t.bytes - t.distinct)} again` },
        el("i", { style: `width:${(100 * t.distinct) / most}%;background:var(${c})` }),
        el("i", { style: `width:${(100 * (t.bytes - t.distinct)) / most}%;background:repeating-linear-gradient(45deg,var(${c}) 0 3px,transparent 3px 6px)` }));
      return el("tr", null, el("td", null, t.name), el("td", { style: "width:36%" }, bar), el("td", { class: "num" }, bytes(t.bytes)),
        el("td", { class: "num" + (again > 1.3 && t.memory !== "out" ? " again" : "") }, again.toFixed(again < 10 ? 2 : 0) + " ×"));
    });
    $("traffic").append(table([["tensor"], ["different, and again (hatched)"], ["moved", "num"], ["times", "num"]], rows));
    drawn("traffic-panel");
  };
  const mix = () => {
    const kinds = data.kinds.map((name, k) => ({ name, k, ...timing.instructions[name] })).filter((x) => x.count);
    const most = Math.max(1, ...kinds.map((x) => x.cycles));
    const rows = kinds.sort((a, b) => b.cycles - a.cycles).map((x) =>
      el("tr", null, el("td", null, el("i", { class: "swatch", style: `background:var(${kindVar(x.k)})` }), x.name),
        el("td", { style: "width:40%" }, el("div", { class: "bar" }, el("i", { style: `width:${(100 * x.cycles) / most}%;background:var(${kindVar(x.k)})` }))),
        el("td", { class: "num" }, number(x.count)), el("td", { class: "num" }, number(x.cycles)),
        el("td", { class: "num" }, number(x.cycles / x.count)), el("td", { class: "num" }, x.bytes ? bytes(x.bytes) : "")));
    $("mix").append(table([["kind"], ["cycles"], ["instructions", "num"], ["cycles", "num"], ["each", "num"], ["bytes", "num"]], rows));
    drawn("mix-panel");
  };

  const unitColor = { load: "--k-load-wgt", compute: "--k-gemm", store: "--k-store", fetch: "--k-fetch" };
  const stages = () => {
    $("stages-panel").hidden = report.stages.length === 0;
    const most = Math.max(1, ...report.stages.map((x) => x.cycles));
    const rows = report.stages.slice(0, 20).map((x) =>
      el("tr", null, el("td", null, x.name), el("td", null, x.unit),
        el("td", { style: "width:40%" }, el("div", { class: "bar" }, el("i", { style: `width:${(100 * x.cycles) / most}%;background:var(${unitColor[x.unit]})` }))),
        el("td", { class: "num" }, number(x.instructions)), el("td", { class: "num" }, number(x.cycles)),
        el("td", { class: "num" }, percent(x.cycles / cycles))));
    $("stages").append(table([["stage"], ["unit"], ["cycles"], ["instructions", "num"], ["cycles", "num"], ["of all", "num"]], rows));
    drawn("stages-panel");
  };

  /* ---- Theme ---- */
  const theme = () => {
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    let chosen = null;
    const apply = () => {
      root.dataset.theme = chosen || (system.matches ? "dark" : "light");
      $("theme").textContent = root.dataset.theme === "dark" ? "Light" : "Dark";
      redraw();
    };
    $("theme").addEventListener("click", () => {
      chosen = root.dataset.theme === "dark" ? "light" : "dark";
      apply();
    });
    system.addEventListener("change", apply);
    apply();
  };

  theme();
  head();
  legend();
  mouse();
  keys();
  units();
  roofline();
  occupancy();
  traffic();
  stages();
  mix();
  show(0, cycles);
  draw();
  new ResizeObserver(redraw).observe(canvas);
  root.dataset.ready = "true";
})();
