"""The machine in motion: a call step by step, as a picture with a slider that needs nothing but a browser."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["Frame", "Motion", "frames_of", "script_of"]

STEPS = 400  #: that are shown at most


class Frame(NamedTuple):
    """The machine after a step.

    Attributes
    ----------
    cycle : int
    instruction : str
        What takes effect next; "" at the end.
    unit : str
        Whose it is.
    units : dict of str to str
        What load, compute and store do at this cycle.
    queues : dict of str to int
        Tokens in each queue between two units.
    buffers : dict of str to list of int
        Elements that were asked for: ``"acc 0"`` and its numbers.
    """

    cycle: int
    instruction: str
    unit: str
    units: dict[str, str]
    queues: dict[str, int]
    buffers: dict[str, list[int]]


def script_of(count: int, elements: Mapping[str, int]) -> str:
    """What ``vta debug`` is told, to look at all of the machine after each step.

    Parameters
    ----------
    count : int
        Of steps.
    elements : mapping of str to int
        How many elements of each buffer.

    Returns
    -------
    script : str
    """
    look = "units\nqueues\n" + "".join(f"print {memory} 0 {n}\n" for memory, n in elements.items())
    return look + ("step\n" + look) * count


def frames_of(text: str) -> list[Frame]:
    """Reads what ``vta debug`` says to :func:`script_of`.

    Parameters
    ----------
    text : str

    Returns
    -------
    frames : list of Frame
    """
    frames: list[Frame] = []
    element = ""
    for line in text.splitlines():
        where = re.match(r"cycle (\d+) of \d+, \d+ of \d+", line)
        following = re.match(r"next +\d+ +(.*?) +\[(\w+), cycles", line)
        unit = re.match(r"(load|compute|store) {2,}(.*?) {2,}(.*)", line)
        queue = re.match(r"(\w+->\w+) +(\d+)$", line)
        head = re.match(r"((?:inp|wgt|acc|uop) \d+):$", line)
        if where:
            frames.append(Frame(int(where[1]), "", "", {}, {}, {}))
        elif not frames:
            continue
        elif following:
            frames[-1] = frames[-1]._replace(instruction=following[1], unit=following[2])
        elif unit:
            frames[-1].units[unit[1]] = unit[2]
        elif queue:
            frames[-1].queues[queue[1]] = int(queue[2])
        elif head:
            element = head[1]
            frames[-1].buffers[element] = []
        elif element and re.fullmatch(r"[ \d+-]+", line) and element in frames[-1].buffers:
            frames[-1].buffers[element] += [int(n) for n in line.split()]
    return frames


_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>The machine in motion</title><style>
:root { --back: #fff; --text: #182233; --muted: #5b6779; --line: #cfd6e0; --busy: #bfe8d6; --wait: #f6d3ce; --token: #2563eb; }
@media (prefers-color-scheme: dark) { :root { --back: #151d2c; --text: #e5eaf2; --muted: #93a1b8; --line: #364258;
  --busy: #17503e; --wait: #5c2b2b; --token: #7aa5ff; } }
body { margin: 0; padding: 12px; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
.bar { display: flex; gap: 10px; align-items: center; } input { flex: 1; } button { font: inherit; }
.units { display: grid; grid-template-columns: 1fr 124px 1fr 124px 1fr; gap: 8px; margin: 12px 0; align-items: center; }
.unit { border: 1px solid var(--line); border-radius: 10px; padding: 10px; min-height: 66px; }
.unit.busy { background: var(--busy); } .unit.waiting { background: var(--wait); } .unit b { display: block; }
.queue { font-size: 12px; color: var(--muted); text-align: center;
  white-space: nowrap; } .queue i { display: inline-block; width: 9px; height: 9px;
  border-radius: 9px; background: var(--token); margin: 0 1px; }
code { font: 12px ui-monospace, monospace; overflow-wrap: anywhere; } table { border-collapse: collapse; font-size: 12px; }
td { border: 1px solid var(--line); padding: 2px 6px; text-align: right; } .changed { background: var(--busy); }
.scroll { overflow-x: auto; } .muted { color: var(--muted); }
@media (max-width: 560px) { .units { grid-template-columns: 1fr; } }
</style><div class="bar"><button id="back" aria-label="One step back">&larr;</button><button id="on"
aria-label="One step on">&rarr;</button><input id="at" type="range" min="0" value="0" aria-label="Step"><span id="where"></span>
</div><div class="units" id="units"></div><p>next: <code id="next"></code></p><div class="scroll"><table id="buffers"></table>
</div><script id="data" type="application/json">DATA</script><script>
"use strict";
const frames = JSON.parse(document.getElementById("data").textContent), $ = (id) => document.getElementById(id);
const el = (tag, attributes, ...inside) => { const e = Object.assign(document.createElement(tag), attributes); e.append(...inside); return e; };
const queue = (f, name) => el("div", {}, name, el("br"), ...Array.from({ length: Math.min(8, f.queues[name] || 0) }, () => el("i", {})),
  ` ${f.queues[name] || 0}`);
const unit = (f, name) => { const state = f.units[name] || "idle";
  return el("div", { className: "unit " + (state.startsWith("busy") ? "busy" : state.startsWith("waiting") ? "waiting" : "") },
    el("b", {}, name), el("span", {}, state)); };
const show = (i) => {
  const f = frames[i], before = frames[Math.max(0, i - 1)];
  $("at").value = i;
  $("where").textContent = `step ${i} of ${frames.length - 1}, cycle ${f.cycle}`;
  $("next").textContent = f.instruction ? `${f.unit}: ${f.instruction}` : "nothing: the run has ended";
  $("units").replaceChildren(unit(f, "load"), el("div", { className: "queue" }, queue(f, "load->compute"), queue(f, "compute->load")),
    unit(f, "compute"), el("div", { className: "queue" }, queue(f, "compute->store"), queue(f, "store->compute")), unit(f, "store"));
  $("buffers").replaceChildren(...Object.entries(f.buffers).map(([name, values]) => el("tr", {}, el("td", {}, name),
    ...values.map((v, k) => el("td", { className: (before.buffers[name] || [])[k] !== v ? "changed" : "" }, String(v))))));
  document.body.dataset.step = i;
};
$("at").max = frames.length - 1;
$("at").addEventListener("input", () => show(+$("at").value));
const move = (by) => show(Math.min(frames.length - 1, Math.max(0, +$("at").value + by)));
$("back").addEventListener("click", () => move(-1));
$("on").addEventListener("click", () => move(1));
show(0);
</script></html>"""


class Motion:
    """A call step by step. A notebook shows it with a slider: units, tokens in the queues, numbers in the buffers.

    Attributes
    ----------
    frames : list of Frame
        The machine before the first step and after each.
    """

    def __init__(self, frames: list[Frame]) -> None:
        self.frames = frames

    def page(self) -> str:
        """The page, with everything that it needs in it."""
        data: list[dict[str, Any]] = [f._asdict() for f in self.frames]
        return _PAGE.replace("DATA", json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))

    def _repr_html_(self) -> str:
        page = html.escape(self.page(), quote=True)
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts" title="The machine in motion" '
                'style="width:100%;height:380px;border:1px solid #8888;border-radius:8px"></iframe>')

    def __repr__(self) -> str:
        return f"{len(self.frames) - 1} steps, {self.frames[-1].cycle if self.frames else 0} cycles"
