#!/usr/bin/env python3
"""A module of PyTorch, from its training to what the compiler reads.

    examples/waves/waves.py [FOLDER]    trains it (a minute), writes waves.npz, its numbers, and waves.onnx, its export

It says which way the waves of a picture run. The tutorial docs/tutorials/8-pytorch-to-board.ipynb compiles it for a board."""
import base64
import os
import struct
import sys
import zlib

import numpy as np

try:
    import torch
    from torch import nn
except ImportError:  # the pictures, and what was trained before, are there without it
    torch = None

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ("flat", "upright", "rising", "falling", "rings")
SIZE = 32


def pictures(seed, count):
    """Pictures of waves with noise, and their classes.

    Parameters
    ----------
    seed, count : int

    Returns
    -------
    pictures : array of float32, count x 1 x 32 x 32
    classes : array of int
    """
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, len(NAMES), count)
    y, x = np.mgrid[0:SIZE, 0:SIZE] - (SIZE - 1) / 2
    out = np.empty((count, 1, SIZE, SIZE), np.float32)
    for picture, kind in zip(out, classes):
        angle = (np.pi / 2, 0, np.pi / 4, -np.pi / 4, 0)[kind] + rng.uniform(-0.2, 0.2)
        along = np.hypot(x - rng.uniform(-4, 4), y - rng.uniform(-4, 4)) if kind == 4 else x * np.cos(angle) + y * np.sin(angle)
        picture[0] = np.sin(along * rng.uniform(0.6, 1.4) + rng.uniform(0, 2 * np.pi)) + rng.normal(0, 0.5, (SIZE, SIZE))
    return out, classes


def _png(greys):
    """An array of numbers 0 to 255 as a PNG of 16 greys."""
    rows = greys.astype(np.uint8) >> 4
    packed = (rows[:, ::2] << 4 | rows[:, 1::2]).tobytes()
    width = rows.shape[1] // 2
    lines = b"".join(b"\0" + packed[i:i + width] for i in range(0, len(packed), width))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 4, 0, 0, 0, 0)  # 4 bits a pixel, greys
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


def drawn(shown, names):
    """An SVG of pictures side by side, each above its name.

    Parameters
    ----------
    shown : array, count x 1 x 32 x 32
    names : list of str
    """
    side, gap = 128, 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {(side + gap) * len(names) - gap} {side + 22}" '
           'font-family="sans-serif" font-size="13" text-anchor="middle">']
    for place, (picture, name) in enumerate(zip(shown, names)):
        data = base64.b64encode(_png(np.clip(picture[0] * 60 + 128, 0, 255))).decode()
        out.append(f'<image x="{place * (side + gap)}" width="{side}" height="{side}" style="image-rendering: pixelated" '
                   f'href="data:image/png;base64,{data}"/>')
        out.append(f'<text x="{place * (side + gap) + side // 2}" y="{side + 16}" fill="#5b6779">{name}</text>')
    return "".join(out) + "</svg>"


def network():
    """The module, not trained."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2, padding=2, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, len(NAMES)))


def trained():
    """The module with the numbers of waves.npz."""
    module = network()
    with np.load(os.path.join(HERE, "waves.npz")) as numbers:
        module.load_state_dict({name: torch.from_numpy(numbers[name]) for name in numbers})
    return module.eval()


def main():
    """Trains the module, and writes its numbers and its export."""
    if not torch:
        sys.exit("waves.py trains with PyTorch, which is not installed (Debian: python3-torch)")
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    torch.manual_seed(1)
    module, (data, classes) = network(), pictures(1, 2000)
    steps = torch.optim.Adam(module.parameters(), 0.003)
    for epoch in range(8):
        order = torch.randperm(len(data))
        for batch in order.split(50):
            loss = nn.functional.cross_entropy(module(torch.from_numpy(data)[batch]), torch.from_numpy(classes)[batch])
            steps.zero_grad()
            loss.backward()
            steps.step()
        print(f"epoch {epoch + 1}: {loss.item():.4f}", flush=True)
    module.eval()
    np.savez_compressed(os.path.join(folder, "waves.npz"), **{k: v.numpy() for k, v in module.state_dict().items()})
    torch.onnx.export(module, torch.from_numpy(data[:1]), os.path.join(folder, "waves.onnx"), input_names=["picture"],
                      output_names=["scores"])
    test, right = pictures(2, 500)
    print(f"{(module(torch.from_numpy(test)).argmax(1).numpy() == right).sum()} of {len(test)} pictures are named right")


if __name__ == "__main__":
    main()
