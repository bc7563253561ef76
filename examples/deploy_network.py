#!/usr/bin/env python3
"""Deploys an ONNX network to the accelerator with TVM's calls: from_onnx, quantize, graph_pack, relay.build, graph_executor.

    PYTHONPATH=python:python/compat /usr/bin/python3 examples/deploy_network.py                     the network of shapes
    ... examples/deploy_network.py resnet18.onnx cat.png --samples pictures --preset imagenet --labels synset.txt

With this project's own calls it is `vta classify`, or in Python `vta.compile("resnet18.onnx", samples)(picture)`."""

import argparse
import os
import time

import numpy as np

import tvm
from tvm import autotvm, relay, rpc
from tvm.contrib import graph_executor, utils
import vta
from vta.testing import simulator
from vta.top import graph_pack

SHAPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes")


def options():
    """What the command line says; without a model, the network of shapes."""
    parser = argparse.ArgumentParser(description="Deploys an ONNX network to the accelerator, and classifies a picture.")
    parser.add_argument("model", nargs="?", default=os.path.join(SHAPES, "shapes.onnx"))
    parser.add_argument("picture", nargs="?", default=os.path.join(SHAPES, "pictures", "ring1.png"))
    parser.add_argument("--samples", help="a folder of pictures to calibrate with; default: that of the picture")
    parser.add_argument("--preset", help="how pictures are prepared, such as imagenet; default: the settings beside the model")
    parser.add_argument("--labels", help="names of the classes, one a line, or a Python dictionary")
    parser.add_argument("--device", choices=["vta", "vta_cpu", "llvm"], default="vta",
                        help="vta_cpu: the same integers without it; llvm: in floats")
    return parser.parse_args()


def names_of(path):
    """The names of the classes."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return eval(text) if text.lstrip().startswith("{") else text.splitlines()  # pylint: disable=eval-used


def main():
    given = options()
    env = vta.get_env()
    settings = None if given.preset else os.path.splitext(given.model)[0] + ".picture.json"
    labels = given.labels or os.path.join(SHAPES, "shapes.txt")
    target = {"vta": env.target, "vta_cpu": env.target_vta_cpu, "llvm": tvm.target.Target("llvm")}[given.device]
    remote = rpc.LocalSession()
    devices = [remote.ext_dev(0), remote.cpu(0)] if given.device == "vta" else [remote.cpu(0)]

    with autotvm.tophub.context(target):
        begin = time.time()
        mod, params = relay.frontend.from_onnx(given.model)
        port = mod.graph.inputs[0]

        def load(path):
            how = {"preset": given.preset} if given.preset else {}
            return vta.picture(path, port.shape, settings, **how)

        folder = given.samples or os.path.dirname(os.path.abspath(given.picture))
        files = sorted(f for f in os.listdir(folder) if f.lower().endswith((".png", ".jpg", ".jpeg")))
        chosen = [files[i * len(files) // 8] for i in range(8)] if len(files) > 8 else files
        if given.device != "llvm":
            with tvm.transform.PassContext(opt_level=3):
                with relay.quantize.qconfig(calibrate_mode="percentile", skip_conv_layers=[0]):
                    dataset = [{port.name: load(os.path.join(folder, f))} for f in chosen]
                    mod = relay.quantize.quantize(mod, params=params, dataset=dataset)
                mod = graph_pack(mod["main"], env.BATCH, env.BLOCK_OUT, env.WGT_WIDTH, start_name="nn.max_pool2d",
                                 stop_name="nn.global_avg_pool2d")
        with vta.build_config(opt_level=3, disabled_pass={"AlterOpLayout", "tir.CommonSubexprElimTIR"}):
            graph, lib, params = relay.build(mod, target=tvm.target.Target(target, host=env.target_host), params=params)
        print(f"{os.path.basename(given.model)} built in {time.time() - begin:.2f} s")

    temp = utils.tempdir()
    lib.export_library(temp.relpath("graphlib.tar"))
    remote.upload(temp.relpath("graphlib.tar"))
    lib = remote.load_module("graphlib.tar")
    module = graph_executor.create(graph, lib, devices)
    module.set_input(**params)
    module.set_input(port.name, load(given.picture))

    number, repeat = 4, 3
    timer = module.module.time_evaluator("run", devices[0], number=number, repeat=repeat)
    simulator.clear_stats()
    timing = timer()
    print("\nExecution statistics:")
    for name, value in simulator.stats().items():
        print(f"\t{name:<16}: {value // (number * repeat + 1):>16}")
    print(f"a picture takes {timing.mean * 1e3:.2f} ms on this machine\n")

    output = module.get_output(0, tvm.nd.empty(module.get_output(0).shape, "float32", remote.cpu(0)))
    scores = output.numpy().reshape(-1)
    names = names_of(labels)
    print(os.path.basename(given.picture))
    for rank, index in enumerate(np.argsort(-scores, kind="stable")[:5], 1):
        print(f"\t#{rank}: {names[index]} ({scores[index]:.4f})")


if __name__ == "__main__":
    main()
