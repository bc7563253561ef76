"use strict";
/* The data of the page, and what all scripts use. The scripts of this folder are one script, in the order base,
 * timeline, select, panels, tables, main. */
const page = JSON.parse(document.getElementById("data").textContent);
const sides = page.sides, pair = sides.length > 1; /* one profile, or two side by side */
const report = sides[0].report, timing = report.timing;
const cycles = Math.max(1, ...sides.map((side) => side.report.timing.cycles)); /* of the time axis */
const $ = (id) => document.getElementById(id);
const root = document.documentElement;

const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const kindVar = (k) => "--k-" + page.kinds[k].replace(/ /g, "-");
const number = (n) => Math.round(n).toLocaleString("en-US");
const percent = (x) => (100 * x).toFixed(x < 0.1 ? 1 : 0) + "\u00a0%";
const bytes = (n) => (n >= 1e6 ? (n / 1e6).toFixed(2) + " MB" : n >= 1e3 ? (n / 1e3).toFixed(1) + " kB" : n + " B");
const seconds = (t) => (t >= 1 ? t.toFixed(2) + " s" : t >= 1e-3 ? (t * 1e3).toFixed(2) + " ms" : (t * 1e6).toFixed(1) + " µs");
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
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
const letter = (s) => "AB"[s];

/* ---- Rows of the timeline, of one side or both: a unit each. Starts are stored as differences. ---- */
const rows = [];
const where = sides.map(() => new Map()); /* by side: instruction -> [row, slice] */
sides.forEach((side, s) => {
  for (const row of side.rows) {
    let at = 0;
    row.side = s;
    row.index = rows.length;
    row.start = row.s.map((step) => (at += step));
    if (row.unit !== "fetch") row.n.forEach((insn, i) => where[s].set(insn, [rows.length, i]));
    rows.push(row);
  }
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
const isGrouped = (row) => row.c !== undefined;
const sourceOf = (row, i) => (row.src && row.src[i] ? sides[row.side].names[row.src[i] - 1] : "");
const describe = (r, i) => {
  const row = rows[r], side = pair ? letter(row.side) + " " : "";
  if (row.unit === "fetch") return `${side}fetch of ${row.m[i]} instructions from ${row.n[i]} on`;
  if (isGrouped(row)) return `${side}${row.g} instructions from ${row.n[i]} on, mostly ${page.kinds[row.k[i]]}`;
  return `${side}${row.n[i]}: ${page.kinds[row.k[i]]}` + (row.f[i] ? `, ${row.f[i]}` : "");
};
