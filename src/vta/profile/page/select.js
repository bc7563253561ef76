/* ---- Selection, search, a range summed up; mouse and keys ---- */
const details = () => {
  const box = $("detail");
  box.replaceChildren();
  if (!selected) return;
  const [r, i] = selected, row = rows[r], list = el("dl");
  const put = (name, value) => list.append(el("dt", null, name), el("dd", null, value));
  box.append(el("b", null, describe(r, i)), list);
  put("cycles", `${number(row.start[i])} to ${number(sliceEnd(row, i))}: ${number(row.d[i])}`);
  if (!row.wp) return;
  put("waited for tokens", `${number(row.wp[i])} of the stage before, ${number(row.wn[i])} of the stage after`);
  put("waited for memory", number(row.m[i]));
  if (row.a[i]) put("DRAM address", "0x" + row.a[i].toString(16));
  if (sourceOf(row, i)) put("source", sourceOf(row, i));
  const givers = producers(r, i).map(([pr, pi]) => describe(pr, pi));
  if (givers.length) put("tokens from", givers.join("; "));
  if (row.cp[i]) put("critical path", "yes: the program would be faster if this were");
};
/* The rows of tables that the selected instruction belongs to. */
const markTables = () => {
  const row = selected && rows[selected[0]], i = selected && selected[1];
  document.querySelectorAll("tr[data-filter]").forEach((tr) => {
    const filter = tr.filter;
    tr.classList.toggle("marked", !!row && !isGrouped(row) && row.unit !== "fetch" && filter(row, i));
  });
};
const select = (choice, follow) => {
  selected = choice;
  details();
  markTables();
  markLayerAt(choice ? rows[choice[0]].start[choice[1]] : -1);
  if (choice && follow) reveal(rows[choice[0]].start[choice[1]], sliceEnd(rows[choice[0]], choice[1]));
  redraw();
};
const step = (by) => {
  const [r, i] = selected || [1, firstVisible(rows[1], from) - by];
  if (rows[r].start.length) select([r, clamp(i + by, 0, rows[r].start.length - 1)], true);
};
const changeRow = (by) => {
  const [r, i] = selected || [1, 0], next = clamp(r + by, 0, rows.length - 1), row = rows[next];
  if (!row.start.length) return;
  const at = selected ? rows[r].start[i] : from;
  select([next, clamp(firstVisible(row, at), 0, row.start.length - 1)], true);
};
const focusSelected = () => {
  if (!selected) return;
  const row = rows[selected[0]], a = row.start[selected[1]], d = row.d[selected[1]];
  show(a - d, a + 2 * d);
};

/* ---- Search: words that kind, fields, source and address of an instruction must all contain ---- */
const textOf = (row, i) =>
  `${row.n[i]} ${row.unit} ${page.kinds[row.k[i]]} ${row.f[i]} ${sourceOf(row, i)} ${row.a[i] ? "0x" + row.a[i].toString(16) : ""}`.toLowerCase();
const searchable = (row) => row.unit !== "fetch" && !isGrouped(row);
const setFound = (test, words) => {
  const list = [];
  let sum = 0;
  if (test)
    rows.forEach((row, r) => searchable(row) && row.start.forEach((_, i) => {
      if (!test(row, i)) return;
      list.push([r, i]);
      sum += row.d[i];
    }));
  list.sort((x, y) => rows[x[0]].start[x[1]] - rows[y[0]].start[y[1]]);
  const ids = new Set(list.map(([r, i]) => r * 0x100000000 + i));
  found = test ? { list, at: -1, test: (row, i) => ids.has(row.index * 0x100000000 + i) } : null;
  $("found").textContent = !test ? "" :
    list.length ? `${words}: ${number(list.length)} instructions, ${number(sum)} cycles of their units` : `${words}: none`;
  $("search-next").disabled = $("search-back").disabled = !list.length;
  redraw();
};
const search = () => {
  const words = $("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  document.querySelectorAll("tr.chosen").forEach((tr) => tr.classList.remove("chosen"));
  setFound(words.length ? (row, i) => { const text = textOf(row, i); return words.every((w) => text.includes(w)); } : null,
    words.join(" "));
};
const nextFound = (by) => {
  if (!found || !found.list.length) return;
  found.at = (found.at + by + found.list.length + (found.at < 0 && by < 0 ? 1 : 0)) % found.list.length;
  select(found.list[found.at], true);
};
/* A row of a table stands for a set of instructions: shows them, or all again. */
const choose = (tr, words) => {
  const again = tr.classList.contains("chosen");
  document.querySelectorAll("tr.chosen").forEach((other) => other.classList.remove("chosen"));
  $("search").value = "";
  if (again) return setFound(null);
  tr.classList.add("chosen");
  setFound(tr.filter, words);
};

/* ---- A range of cycles, summed up ---- */
const overlap = (row, i, a, b) => Math.max(0, Math.min(b, sliceEnd(row, i)) - Math.max(a, row.start[i]));
const sumRow = (row, a, b) => {
  const kinds = new Map();
  let busy = 0, wait = 0, count = 0;
  for (let i = firstVisible(row, a); i < row.start.length; i++) {
    const waited = row.wp ? row.wp[i] + row.wn[i] : 0;
    if (row.start[i] - waited >= b) break;
    const part = overlap(row, i, a, b) * (isGrouped(row) ? row.c[i] / 100 : 1);
    wait += Math.max(0, Math.min(b, row.start[i]) - Math.max(a, row.start[i] - waited));
    busy += part;
    count += row.start[i] < b && part > 0 ? (isGrouped(row) ? row.g : 1) : 0;
    if (part) kinds.set(row.k[i], (kinds.get(row.k[i]) || 0) + part);
  }
  return { busy, wait, count, kinds };
};
const sums = () => {
  const box = $("sums");
  box.replaceChildren();
  if (!chosen) return;
  const [a, b] = chosen, span = b - a;
  box.append(el("b", null, `cycles ${number(a)} to ${number(b)}: ${number(span)}`), " ",
    Object.assign(el("button", { type: "button" }, "Drop"), { onclick: () => setChosen(null) }));
  const lines = rows.map((row) => {
    const s = sumRow(row, a, b), parts = [...s.kinds].sort((x, y) => y[1] - x[1])
      .map(([k, n]) => `${row.unit === "fetch" ? "fetch" : page.kinds[k]} ${percent(n / span)}`);
    return el("tr", null, el("td", null, (pair ? letter(row.side) + " " : "") + row.unit), el("td", { class: "num" }, number(s.count)),
      el("td", { class: "num" }, number(s.busy)), el("td", { class: "num" }, percent(s.busy / span)),
      el("td", { class: "num" }, percent(s.wait / span)), el("td", null, parts.join(", ")));
  });
  const head = el("tr", null, ...[["unit"], ["instructions", "num"], ["cycles", "num"], ["at work", "num"], ["waits for tokens", "num"], ["with"]]
    .map(([name, cls]) => el("th", { class: cls || "", scope: "col" }, name)));
  box.append(el("table", null, el("thead", null, head), el("tbody", null, ...lines)));
};
const setChosen = (range) => {
  chosen = range && [Math.max(0, Math.min(...range)), Math.min(cycles, Math.max(...range))];
  if (chosen && chosen[1] - chosen[0] < 1) chosen = null;
  sums();
  redraw();
};

/* ---- Mouse and keys ---- */
const cycleAt = (event) => from + ((event.offsetX - LEFT) / (canvas.clientWidth - LEFT - 6)) * (to - from);
const hit = (event) => {
  const r = Math.floor((event.offsetY - TOP) / ROW), row = rows[r];
  if (!row || event.offsetX < LEFT) return null;
  const cycle = cycleAt(event), i = firstVisible(row, cycle), slack = (to - from) / canvas.clientWidth;
  return i < row.start.length && row.start[i] <= cycle + slack ? [r, i] : null;
};
const tip = (event) => {
  const at = hit(event), box = $("tip");
  box.hidden = !at;
  if (!at) return;
  const row = rows[at[0]], source = sourceOf(row, at[1]);
  box.textContent = `${describe(...at)} · ${number(row.d[at[1]])} cycles${source ? " · " + source : ""}`;
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
    drag = { x: e.clientX, cycle: cycleAt(e), from, to, moved: false, range: e.shiftKey };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) return tip(e);
    if (Math.abs(e.clientX - drag.x) > 3) drag.moved = true;
    if (!drag.moved) return;
    if (drag.range) return setChosen([drag.cycle, cycleAt(e)]);
    const shift = ((drag.x - e.clientX) / (canvas.clientWidth - LEFT - 6)) * (drag.to - drag.from);
    show(drag.from + shift, drag.to + shift);
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
  f: focusSelected, r: () => setChosen(chosen ? null : [from, to]), "/": () => $("search").focus(),
  n: () => nextFound(1), N: () => nextFound(-1), c: () => $("critical").click(),
  Escape: () => { select(null); setChosen(null); $("search").value = ""; search(); },
  "?": () => $("keys").showModal(), d: () => $("theme").click(),
};
const keys = () => {
  document.addEventListener("keydown", (e) => {
    const act = keyActs[e.key], typing = document.activeElement === $("search") && e.key !== "Escape";
    if (!act || typing || e.ctrlKey || e.metaKey || e.altKey || $("keys").open) return;
    const vertical = e.key === "ArrowUp" || e.key === "ArrowDown";
    if (vertical && document.activeElement !== canvas) return; /* the page scrolls */
    e.preventDefault();
    act();
  });
  document.querySelectorAll("[data-act]").forEach((b) => b.addEventListener("click", acts[b.dataset.act]));
  $("help").addEventListener("click", keyActs["?"]);
  $("search").addEventListener("input", search);
  $("search").addEventListener("keydown", (e) => e.key === "Enter" && nextFound(e.shiftKey ? -1 : 1));
  $("search-next").addEventListener("click", () => nextFound(1));
  $("search-back").addEventListener("click", () => nextFound(-1));
  $("critical").addEventListener("change", redraw);
};
