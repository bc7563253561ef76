#!/usr/bin/env python3
"""ResNet-18 as a whole: compiling it, running it on both simulators, and beside that the same network in floats by
PyTorch (Debian's python3-torch, where it is installed) on the same core. Usage: network_bench.py FOLDER_FOR_JSON [BUILD]

The model and the pictures are those of ../shared/models; without them nothing is measured."""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = os.path.join(ROOT, "..", "shared", "models")
MODEL = os.path.join(MODELS, "resnet18", "model.onnx")
PICTURES = os.path.join(MODELS, "imagenet-sample")
REPEAT = 20


def run(tool, *args):
    """Standard output and standard error of the tool, and the most memory in MiB of it (and of those before it)."""
    done = subprocess.run([tool, *args], capture_output=True, text=True, check=True)
    return done.stdout, done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def compile_model(tool, artifact):
    """Milliseconds of each part, the quickest of three, and the peak of memory."""
    parts = {}
    for _ in range(3):
        _, said, _ = run(tool, "compile", MODEL, "--calibrate", PICTURES, "--samples", "8", "--preset", "imagenet", "-o", artifact,
                         "--verbose")
        for name, ms, peak in re.findall(r"^(.*?) +([\d.]+) ms, memory +(\d+) MiB", said, re.M):
            parts[name] = min(float(ms), parts.get(name, float("inf")))
            parts["peak_mib"] = int(peak)
    return parts


def inference(tool, artifact, picture, driver):
    out, _, _ = run(tool, "run", artifact, "--input", picture, "--preset", "imagenet", "--driver", driver, "--repeat",
                    str(REPEAT), "--json")
    return json.loads(out)


def profile(tool, artifact):
    """Cycles, the sum of the layers' bounds, and the host's share of the time of one inference."""
    answer = json.loads(run(tool, "profile", artifact, "--json")[0])
    layers = [s for s in answer["steps"] if s["kind"] == "layer"]
    seconds = answer["seconds"]
    return {"cycles": answer["cycles"], "bound": sum(s["bound"] for s in layers),
            "processor_share": (seconds - answer["device_seconds"]) / seconds if seconds else 0}


def memory_of_a_run(tool, artifact, picture):
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)")
    out = subprocess.run([sys.executable, "-c", code, tool, "run", artifact, "--input", picture, "--preset", "imagenet"],
                         capture_output=True, text=True, check=True).stdout
    return float(out)


def torch_milliseconds():
    """The quickest of some inferences in floats, of one thread; None without PyTorch. Weights do not matter for that."""
    try:
        import torch
        from torch import nn
    except ImportError:
        return None

    def block(channels, out, stride):
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.way = nn.Sequential(nn.Conv2d(channels, out, 3, stride, 1), nn.ReLU(inplace=True),
                                         nn.Conv2d(out, out, 3, 1, 1))
                self.short = nn.Conv2d(channels, out, 1, stride) if stride > 1 else nn.Identity()

            def forward(self, x):
                return torch.relu(self.way(x) + self.short(x))

        return Block()

    torch.set_num_threads(1)
    layers, channels = [nn.Conv2d(3, 64, 7, 2, 3), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
    for out in (64, 128, 256, 512):
        layers += [block(channels, out, 1 if out == 64 else 2), block(out, out, 1)]
        channels = out
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    model, x, least = nn.Sequential(*layers).eval(), torch.randn(1, 3, 224, 224), float("inf")
    with torch.inference_mode():
        model = torch.jit.freeze(torch.jit.trace(model, x))
        for _ in range(REPEAT):
            begin = time.perf_counter()
            model(x)
            least = min(least, time.perf_counter() - begin)
    return least * 1e3


def main():
    folder = sys.argv[1]
    build = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "build")
    tool = os.path.join(build, "vta")
    if not os.path.exists(MODEL):
        print("skipped: no ../shared/models/resnet18")
        return
    picture = os.path.join(PICTURES, sorted(n for n in os.listdir(PICTURES) if n.endswith(".JPEG"))[0])
    with tempfile.TemporaryDirectory() as scratch:
        artifact = os.path.join(scratch, "resnet18.vta-model")
        parts = compile_model(tool, artifact)
        answers = {d: inference(tool, artifact, picture, d) for d in ("sim", "tsim")}
        result = {**parts, **profile(tool, artifact), "artifact_bytes": os.path.getsize(artifact),
                  "run_mib": memory_of_a_run(tool, artifact, picture),
                  "torch_ms": torch_milliseconds(), **{d + "_ms": a["seconds"] * 1e3 for d, a in answers.items()}}
    if answers["tsim"]["stats"]["cycles"] != result["cycles"]:
        sys.exit("tsim and the profile disagree about the cycles")
    total = sum(parts[p] for p in ("read", "calibrate", "quantize", "schedule and compile"))
    rows = [("read, calibrate with 8 pictures, quantize, schedule and compile", f"{total / 1e3:.2f} s (" + ", ".join(
                f"{parts[p] / 1e3:.2f}" for p in ("read", "calibrate", "quantize", "schedule and compile")) + ")"),
            ("memory of that, at most", f"{parts['peak_mib']} MiB"),
            ("artifact", f"{result['artifact_bytes'] / 1e6:.2f} MB"),
            ("one picture on sim", f"{result['sim_ms']:.1f} ms, {result['run_mib']:.0f} MiB at most"),
            ("one picture on tsim", f"{result['tsim_ms']:.1f} ms"),
            ("the same network in floats, PyTorch, one thread",
             f"{result['torch_ms']:.1f} ms" if result["torch_ms"] else "not installed"),
            ("cycles", f"{result['cycles']:,}; the layers' bounds sum to {result['bound']:,}"),
            ("share of the host's functions in the time", f"{100 * result['processor_share']:.1f} %")]
    for name, value in rows:
        print(f"{name:68} {value}")
    with open(os.path.join(folder, "network.json"), "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)


main()
