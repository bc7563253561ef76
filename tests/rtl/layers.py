#!/usr/bin/env python3
"""ResNet-18's convolutions but the first on the hardware, bit for bit, on buses of 64 and 256 bits: as many cycles as tsim's
profile rtl says, no more than chisel's on the bus that both know, and in all no more than the most allowed. Builds models of
the default configuration: only with VTA_TEST_HARDWARE. layers.py VTA"""
import os
import re
import subprocess
import sys
import tempfile

# height and width, input and output channels, kernel, stride, padding; how often the network has it
LAYERS = [(56, 64, 64, 3, 1, 1, 4), (56, 64, 128, 3, 2, 1, 1), (56, 64, 128, 1, 2, 0, 1), (28, 128, 128, 3, 1, 1, 3),
          (28, 128, 256, 3, 2, 1, 1), (28, 128, 256, 1, 2, 0, 1), (14, 256, 256, 3, 1, 1, 3), (14, 256, 512, 3, 2, 1, 1),
          (14, 256, 512, 1, 2, 0, 1), (7, 512, 512, 3, 1, 1, 3)]
MAX = 6_550_000  # cycles of all, at 64 bits


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def cycles(vta, kernel, driver, profile):
    return int(re.search(r"cycles\s*:\s*(\d+)", call(vta, "run", kernel, "--driver", driver, "--profile", profile))[1])


def emit(vta, layer, kernel):
    size, inputs, outputs, side, stride, pad, _ = layer
    call(vta, "op", "conv2d", f"height={size}", f"width={size}", f"in_channels={inputs}", f"out_channels={outputs}",
         f"kernel={side}", f"stride={stride}", f"pad={pad}", "epilogue=shift,relu,clip", "--profile", "rtl", "--emit", "te", "-o", kernel)


def main():
    vta = sys.argv[1]
    wanted = os.environ.get("VTA_TEST_HARDWARE")
    if not wanted:
        return 77
    wrong, total = [], 0
    for bus in 64, 256:
        call(vta, "hw", "build", "--bus", str(bus))
    for number, layer in enumerate(LAYERS, 2):
        with tempfile.TemporaryDirectory() as folder:
            kernel = f"{folder}/layer.te"
            emit(vta, layer, kernel)
            row = [cycles(vta, kernel, "rtl", f"rtl bus_bits={bus}") for bus in (64, 256)]
            said = [cycles(vta, kernel, "tsim", f"rtl bus_bits={bus}") for bus in (64, 256)]
            chisel = cycles(vta, kernel, "tsim", "chisel")
        print(f"C{number}: {row[0]} cycles, {row[1]} at 256 bits, chisel {chisel}", flush=True)
        total += row[0] * layer[-1]
        if row != said:
            wrong.append(f"C{number}: {row} cycles, tsim says {said}")
        if row[0] > chisel:
            wrong.append(f"C{number}: slower than chisel")
    print(f"all, as often as the network has them: {total}")
    if total > MAX:
        wrong.append(f"more than {MAX} cycles")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
