#!/usr/bin/env python3
"""A language model of 35,000 weights, from its training to what `vta generate` reads.

    examples/stories/stories.py [FOLDER]    trains it (ten minutes), writes stories.bin, tokenizer.bin and stories.jsonl

It tells stories of a child who loses a toy. The texts it learns from are drawn by `story` below, so everything here is made
here. The checkpoint and the tokenizer have the formats of llama2.c. The tutorial docs/tutorials/9-language-model.ipynb
compiles it for the accelerator."""
import json
import os
import struct
import sys

import numpy as np

try:
    import torch
    from torch import nn
except ImportError:  # what was trained before is there without it
    torch = None

HERE = os.path.dirname(os.path.abspath(__file__))
VOCABULARY, SEQUENCE = 320, 128
DIM, HIDDEN, LAYERS, HEADS, KV_HEADS = 32, 96, 2, 4, 2
BEGIN, FIRST_PIECE = 1, 259  # unknown, begin, end, then 256 bytes, come before the pieces

# ---- Texts -----------------------------------------------------------------------------------------------------------

CHILDREN = ["Tim", "Mia", "Ben", "Anna", "Leo", "Zoe"]
COLORS = ["red", "blue", "green", "yellow"]
TOYS = ["ball", "kite", "boat", "bear", "hat"]
PLACES = ["garden", "park", "house", "forest"]


def story(rng):
    """One story, as a text.

    Parameters
    ----------
    rng : numpy.random.Generator
    """
    child, friend = rng.choice(CHILDREN, 2, replace=False)
    color, toy, place = rng.choice(COLORS), rng.choice(TOYS), rng.choice(PLACES)
    opening = rng.choice([f"One day {child} was in the {place}.", f"{child} went to the {place}."])
    lost = rng.choice([f"But the {toy} was lost.", f"Then the {toy} was gone."])
    sad = rng.choice([f"{child} was sad.", f"{child} began to cry."])
    found = rng.choice([f"{friend} found the {toy} in the {place}.", f"{friend} looked in the {place} and found it."])
    end = rng.choice([f'"Thank you, {friend}!" said {child}.', f"{child} and {friend} played with the {color} {toy}."])
    return f"{opening} {child} had a {color} {toy}. {lost} {sad} {found} {end}"


# ---- Pieces of texts -------------------------------------------------------------------------------------------------


def pieces_of(texts):
    """The pieces of a vocabulary, with scores: letters, then what stands side by side most often (byte-pair encoding). Spaces
    begin a piece, they do not end it: so a prompt may end with any word.

    Parameters
    ----------
    texts : list of str

    Returns
    -------
    pieces : list of (str, float)
        Of two pieces that can be joined the one with the higher score is joined first.
    """
    letters = sorted(set("".join(texts) + " "))
    pieces = [(letter, -1e6 - i) for i, letter in enumerate(letters)]
    lists = [list(" " + text) for text in texts]
    while len(pieces) < VOCABULARY - FIRST_PIECE:
        counts = {}
        for line in lists:
            for pair in zip(line, line[1:]):
                if not pair[1].startswith(" "):
                    counts[pair] = counts.get(pair, 0) + 1
        best = max(sorted(counts), key=counts.get)
        pieces.append(("".join(best), -float(len(pieces))))
        for n, line in enumerate(lists):
            out, i = [], 0
            while i < len(line):
                joined = tuple(line[i:i + 2]) == best
                out.append("".join(best) if joined else line[i])
                i += 2 if joined else 1
            lists[n] = out
    return pieces


def encode(text, pieces):
    """A text as numbers of pieces: again and again the two neighbours are joined whose piece has the highest score. A space
    comes before the text, as in llama2.c."""
    number = {piece: i for i, (piece, _) in enumerate(pieces)}
    line = [number[letter] for letter in " " + text]
    while True:
        scores = [pieces[number[pieces[a][0] + pieces[b][0]]][1] if pieces[a][0] + pieces[b][0] in number else -np.inf
                  for a, b in zip(line, line[1:])]
        if not scores or max(scores) == -np.inf:
            return [FIRST_PIECE + i for i in line]
        at = int(np.argmax(scores))
        line[at:at + 2] = [number[pieces[line[at]][0] + pieces[line[at + 1]][0]]]


def tokenizer(pieces):
    """The bytes of a tokenizer.bin of llama2.c."""
    names = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    every = [(name, 0.0) for name in names] + pieces
    out = struct.pack("<i", max(len(name.encode()) for name, _ in every))
    for name, score in every:
        out += struct.pack("<fi", score, len(name.encode())) + name.encode()
    return out


# ---- Pictures --------------------------------------------------------------------------------------------------------


def bars(rows):
    """An SVG of cycles, a bar a row; the dark part of it is the bound.

    Parameters
    ----------
    rows : list of (str, int, int)
        Name, cycles, bound.
    """
    most, out = max(cycles for _, cycles, _ in rows), []
    for i, (name, cycles, bound) in enumerate(rows):
        y = 20 * i
        out.append(f'<text x="250" y="{y + 14}" text-anchor="end">{name}</text>')
        for value, color in (cycles, "#a9c1f5"), (bound, "#2563eb"):
            out.append(f'<rect x="258" y="{y + 3}" width="{380 * value / most:.0f}" height="14" fill="{color}"/>')
        out.append(f'<text x="{264 + 380 * cycles / most:.0f}" y="{y + 14}">{cycles}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {20 * len(rows)}" width="700" '
            'font-family="sans-serif" font-size="12" fill="#5b6779">' + "".join(out) + "</svg>")


# ---- The network -----------------------------------------------------------------------------------------------------

if torch:
    class Normalization(nn.Module):
        def __init__(self):
            super().__init__()
            self.gains = nn.Parameter(torch.ones(DIM))

        def forward(self, x):
            return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.gains

    class Layer(nn.Module):
        """Attention with turned pairs and grouped keys, then a gated product: a layer of a Llama."""

        def __init__(self):
            super().__init__()
            small = DIM // HEADS * KV_HEADS
            self.before, self.behind = Normalization(), Normalization()
            self.q, self.k, self.v, self.o = (nn.Linear(DIM, n, bias=False) for n in (DIM, small, small, DIM))
            self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((DIM, HIDDEN), (DIM, HIDDEN), (HIDDEN, DIM)))

        def forward(self, x, angles):
            batch, count, _ = x.shape
            n = self.before(x)

            def heads(y, turned):
                y = y.view(batch, count, -1, DIM // HEADS)
                if turned:
                    cosines, sines = (a[:count, None] for a in angles)
                    a, b = y[..., 0::2], y[..., 1::2]
                    y = torch.stack((a * cosines - b * sines, a * sines + b * cosines), -1).flatten(-2)
                return y.repeat_interleave(HEADS // y.shape[2], 2).transpose(1, 2)

            q, k, v = heads(self.q(n), True), heads(self.k(n), True), heads(self.v(n), False)
            scores = q @ k.transpose(-2, -1) / (DIM // HEADS) ** 0.5
            scores = scores + torch.full((count, count), -torch.inf).triu(1)
            x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, count, DIM))
            n = self.behind(x)
            return x + self.down(nn.functional.silu(self.gate(n)) * self.up(n))

    class Llama(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(VOCABULARY, DIM)
            self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
            self.end = Normalization()
            turns = torch.arange(SEQUENCE)[:, None] / 10000 ** (torch.arange(0, DIM // HEADS, 2) / (DIM // HEADS))
            self.angles = turns.cos(), turns.sin()

        def forward(self, tokens):
            x = self.embedding(tokens)
            for layer in self.layers:
                x = layer(x, self.angles)
            return self.end(x) @ self.embedding.weight.T

    def checkpoint(model):
        """The bytes of a checkpoint of llama2.c."""
        header = struct.pack("<7i", DIM, HIDDEN, LAYERS, HEADS, KV_HEADS, VOCABULARY, SEQUENCE)
        layers, angles = model.layers, model.angles
        arrays = [model.embedding.weight, *[a.before.gains for a in layers]]
        for name in "qkvo":
            arrays += [getattr(a, name).weight for a in layers]
        arrays += [a.behind.gains for a in layers]
        for name in "gate", "down", "up":
            arrays += [getattr(a, name).weight for a in layers]
        arrays += [model.end.gains, *angles]
        return header + b"".join(np.ascontiguousarray(a.detach().numpy(), "<f4").tobytes() for a in arrays)


def train(steps=2000, stories=1500, seed=1):
    """The pieces, and the network after some steps on stories."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    texts = [story(rng) for _ in range(stories)]
    pieces = pieces_of(texts[:300])
    lines = [([BEGIN, *encode(text, pieces), BEGIN] + [0] * SEQUENCE)[:SEQUENCE] for text in texts]
    model, lines = Llama(), torch.tensor(lines)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-3, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=steps)
    for step in range(steps):
        tokens = lines[torch.tensor(rng.integers(0, stories, 16))]
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        plan.step()
        if step % 200 == 199:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    return pieces, model


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    if torch is None:
        sys.exit("PyTorch is needed: Debian's python3-torch")
    pieces, model = train()
    rng = np.random.default_rng(99)
    texts = [story(rng) for _ in range(24)]
    for name, data in ("stories.bin", checkpoint(model)), ("tokenizer.bin", tokenizer(pieces)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    with open(os.path.join(folder, "stories.jsonl"), "w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"text": text, "tokens": [BEGIN, *encode(text, pieces)]}) + "\n")


if __name__ == "__main__":
    main()
