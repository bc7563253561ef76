"""Runs random networks: here against ONNX Runtime, and compiled against the network of integers.

    python3 tests/python/random_networks.py FIRST COUNT [--compile] [--save FOLDER] [--opset N]"""
import argparse
import collections
import os
import re
import sys
import time

import numpy as np

import onnx_cases
import onnx_cases_new  # noqa: F401 - they add to onnx_cases.CASES
import onnx_runtime_cases  # noqa: F401
import onnx_sequence_cases  # noqa: F401
import oracle
from onnx_networks import STEPS, Invalid, Network, case
from onnx_patterns import PATTERNS

import vta

MAX_NODES = 15


def made(judge, seed, opset=None):
    """A random network of 3 to 15 nodes or so."""
    net = Network(judge, seed, opset)
    wanted = net.upto(3, MAX_NODES)
    names = sorted(n for n, (_, (first, last)) in onnx_cases.CASES.items() if first <= net.opset <= last)
    fitting = [f for f, least, last in PATTERNS if least <= net.opset <= last]
    for _ in range(60):
        if len(net.nodes) >= wanted:
            break
        if net.chance(0.5):
            net.step(net.pick(*fitting))
        else:  # every operator has its turn
            net.step(case, names[(seed * 5 + net.upto(0, 4)) % len(names)] if net.chance(0.6) else net.pick(*names))
    return net


def perturbed(net, inputs):
    out = {}
    for name, array in inputs.items():
        if array.dtype.kind == "f":
            noise = 1 + np.float32(3e-7) * net.random.choice([-1, 1], array.shape)
            array = (array * noise).astype(array.dtype)
        out[name] = array
    return out


def distance(a, b):
    """The largest difference, relative to the largest number of `b`."""
    if a.shape != b.shape or (a.dtype != b.dtype and b.dtype != np.float16):
        return np.inf
    a, b = a.astype(np.float64), b.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    finite = np.abs(b[np.isfinite(b)]).max(initial=0) or 1.0
    with np.errstate(invalid="ignore"):
        off = np.where(same, 0, np.abs(a - b) / finite)
    return float(np.nanmax(np.where(np.isnan(off), np.inf, off), initial=0))


def is_a_step(net, a, b):
    """Are the two different in next to no elements, of numbers that were rounded to integers? Sums that are added up in
    another order may end in the next one, and noise on the inputs is rounded away in front of it."""
    rounded = {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv"} & net.used
    if not rounded or a.shape != b.shape:
        return False
    apart = np.abs(a.astype(np.float64) - b) > net.tolerance * (np.abs(b).max(initial=0) or 1)
    return np.sum(apart) <= max(1, a.size // 500)


class Result:
    def __init__(self, kind, text="", net=None, model=b""):
        self.kind, self.text, self.net, self.model = kind, text, net, model


def judged(judge, seed, compiled=False, opset=None):
    net = made(judge, seed, opset)
    try:
        model, inputs, shapes = net.model()
    except Invalid as error:
        return Result("none", str(error))
    try:
        theirs = judge(model, inputs)
        again = judge(model, perturbed(net, inputs))
    except oracle.Refused as error:
        return Result("invalid", str(error), net, model)
    noise = {n: distance(again[n], theirs[n]) for n in theirs}
    if any(not np.all(np.isfinite(a)) for a in theirs.values() if a.dtype.kind == "f"):
        return Result("infinite", "", net, model)
    try:
        graph = vta.Graph(model, shapes=shapes)
    except vta.VTAError as error:
        return Result("refused", str(error), net, model)
    try:
        mine = graph(**inputs)
    except vta.VTAError as error:
        return Result("refused", "running: " + str(error), net, model)
    mine = mine if isinstance(mine, tuple) else (mine,)
    for array, name in zip(mine, theirs):
        off = distance(array, theirs[name])
        if off > net.tolerance and noise[name] < 3e-5 and not is_a_step(net, array, theirs[name]):
            return Result("wrong", f"{name}: {array.dtype}{array.shape} off {off:.3g}, "
                          f"should be {theirs[name].dtype}{theirs[name].shape}, noise {noise[name]:.2g}", net, model)
    if not compiled:
        return Result("ill" if max(noise.values()) >= 3e-5 else "right", "", net, model)
    try:
        integers = vta.quantize(graph, [inputs])
    except vta.VTAError as error:
        return Result("not quantized", str(error), net, model)
    try:
        artifact = integers.compile()
    except vta.VTAError as error:
        return Result("not compiled", str(error), net, model)
    expected, got = integers(**inputs), artifact(**inputs)
    expected, got = (x if isinstance(x, tuple) else (x,) for x in (expected, got))
    for e, g, name in zip(expected, got, theirs):
        if e.tobytes() != g.tobytes() and not np.array_equal(e, g, equal_nan=e.dtype.kind == "f"):
            return Result("compiled wrong", f"{name}: {np.sum(e != g)} of {e.size}: {e[e != g][:4]} {g[e != g][:4]}", net, model)
    noises = []
    for e, name in zip(expected, theirs):
        noises.append(distance(e, theirs[name]))
    return Result("right", f"integers off by {max(noises):.2g}", net, model)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--save")
    parser.add_argument("--opset", type=int)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    counts, why, sizes, used = collections.Counter(), collections.Counter(), [], collections.Counter()
    judge = oracle.Oracle()
    start = time.time()
    for seed in range(options.first, options.first + options.count):
        try:
            result = judged(judge, seed, options.compile, options.opset)
        except RuntimeError as error:
            if "ONNX Runtime ended" not in str(error):
                raise
            judge = oracle.Oracle()
            result = Result("judge crashed")
        counts[result.kind] += 1
        if result.net:
            sizes.append(len(result.net.nodes))
            used.update(result.net.used)
        if result.kind not in ("right", "none", "ill", "infinite") or options.all:
            print(f"{seed}: {result.kind}: set {result.net.opset if result.net else 0} "
                  f"{result.net.steps if result.net else ''}\n    {result.text[:700]}", flush=True)
            if options.save and result.model:
                with open(os.path.join(options.save, f"{seed}.onnx"), "wb") as file:
                    file.write(result.model)
        if "refused" in result.kind or result.kind.startswith("not"):
            for line in result.text.splitlines():
                why[re.sub(r"node '?\S+|\d+", "#", line)[:160]] += 1
    print(dict(counts), f"{np.mean(sizes):.1f} nodes, {len(used)} operators, {time.time() - start:.0f} s")
    for line, n in why.most_common(40):
        print(n, line)
    never = sorted(n for n in onnx_cases.CASES if n not in used)
    if options.count > 200:
        print("never:", never)


if __name__ == "__main__":
    main()
