"""A Llama by its definition, in numpy, one token after the other; checkpoints of llama2.c and tokenizers for tests."""

import struct

import numpy as np


class Llama:
    """The model of a llama2.c checkpoint (bytes), in double precision."""

    def __init__(self, data):
        self.dim, self.hidden, self.layers, self.heads, self.kv_heads, vocabulary, self.sequence = struct.unpack("<7i", data[:28])
        self.vocabulary, self.size = abs(vocabulary), self.dim // self.heads
        numbers, at = np.frombuffer(data, "<f4", offset=28).astype(np.float64), 0

        def take(*shape):
            nonlocal at
            count = int(np.prod(shape))
            at += count
            return numbers[at - count:at].reshape(shape)

        n, d, kv, h = self.layers, self.dim, self.kv_heads * self.size, self.hidden
        self.embedding, self.rms_attention = take(self.vocabulary, d), take(n, d)
        self.wq, self.wk, self.wv, self.wo = take(n, d, d), take(n, kv, d), take(n, kv, d), take(n, d, d)
        self.rms_ffn, self.w1, self.w2, self.w3 = take(n, d), take(n, h, d), take(n, d, h), take(n, h, d)
        self.rms_final = take(d)
        self.cosines, self.sines = take(self.sequence, self.size // 2), take(self.sequence, self.size // 2)
        self.classifier = self.embedding if vocabulary > 0 else take(self.vocabulary, d)
        assert at == len(numbers)
        self.keys = [[] for _ in range(n)]
        self.values = [[] for _ in range(n)]

    @staticmethod
    def normalized(x, gains):
        return x / np.sqrt(np.mean(x * x) + 1e-5) * gains

    def turned(self, x, place):
        out = x.copy()
        for head in range(len(x) // self.size):
            for pair in range(self.size // 2):
                at = head * self.size + 2 * pair
                c, s = self.cosines[place, pair], self.sines[place, pair]
                out[at], out[at + 1] = x[at] * c - x[at + 1] * s, x[at] * s + x[at + 1] * c
        return out

    def attended(self, layer, q):
        out = np.zeros(self.dim)
        for head in range(self.heads):
            own, shared = slice(head * self.size, (head + 1) * self.size), head * self.kv_heads // self.heads
            part = slice(shared * self.size, (shared + 1) * self.size)
            scores = np.array([q[own] @ k[part] for k in self.keys[layer]]) / np.sqrt(self.size)
            shares = np.exp(scores - scores.max())
            for share, value in zip(shares / shares.sum(), self.values[layer]):
                out[own] += share * value[part]
        return out

    def feed(self, token):
        """The scores of what follows a token, and all before it."""
        x, place = self.embedding[token], len(self.keys[0])
        for i in range(self.layers):
            y = self.normalized(x, self.rms_attention[i])
            self.keys[i].append(self.turned(self.wk[i] @ y, place))
            self.values[i].append(self.wv[i] @ y)
            x = x + self.wo[i] @ self.attended(i, self.turned(self.wq[i] @ y, place))
            y = self.normalized(x, self.rms_ffn[i])
            gate = self.w1[i] @ y
            x = x + self.w2[i] @ (gate / (1 + np.exp(-gate)) * (self.w3[i] @ y))
        return self.classifier @ self.normalized(x, self.rms_final)

    def restart(self):
        self.keys = [[] for _ in range(self.layers)]
        self.values = [[] for _ in range(self.layers)]


def loss(scores, token):
    """-log of the share that softmax gives the token."""
    return np.log(np.sum(np.exp(scores - scores.max()))) + scores.max() - scores[token]


def checkpoint(random, dim=16, hidden=24, layers=2, heads=4, kv_heads=2, vocabulary=300, sequence=40, shared=True):
    """A random checkpoint, as bytes."""
    size, kv = dim // heads, dim // heads * kv_heads
    angles = np.outer(np.arange(sequence), 1 / 10000 ** (np.arange(0, size, 2) / size))
    parts = [random.normal(size=(vocabulary, dim)), 1 + 0.2 * random.normal(size=(layers, dim)),
             *(random.normal(size=(layers, rows, dim)) / np.sqrt(dim) * 1.5 for rows in (dim, kv, kv, dim)),
             1 + 0.2 * random.normal(size=(layers, dim)), random.normal(size=(layers, hidden, dim)) / np.sqrt(dim),
             random.normal(size=(layers, dim, hidden)) / np.sqrt(hidden), random.normal(size=(layers, hidden, dim)) / np.sqrt(dim),
             1 + 0.2 * random.normal(size=dim), np.cos(angles), np.sin(angles)]
    if not shared:
        parts.append(random.normal(size=(vocabulary, dim)))
    header = struct.pack("<7i", dim, hidden, layers, heads, kv_heads, vocabulary if shared else -vocabulary, sequence)
    return header + b"".join(np.asarray(p, "<f4").tobytes() for p in parts)


def llama2c_pieces(extra):
    """The pieces of a tokenizer.bin: unknown, begin, end, all bytes, then (bytes, score) pairs."""
    own = [b"<unk>", b"\n<s>\n", b"\n</s>\n"] + [b"<0x%02X>" % i for i in range(256)]
    return [(p, 0.0) for p in own] + list(extra)


def llama2c_tokenizer(pieces):
    longest = max(len(p) for p, _ in pieces)
    return struct.pack("<i", longest) + b"".join(struct.pack("<fi", score, len(p)) + p for p, score in pieces)


def llama2c_encode(pieces, text):
    """By the definition: a blank before, characters or their bytes, then the best pair joined until there is none."""
    numbers = {}
    for i, (p, _) in enumerate(pieces):
        if i >= 259:
            numbers.setdefault(p, i)
    if not text:
        return []
    data, symbols, at = (b" " if b" " in numbers else b"") + text, [], 0
    while at < len(data):
        end = at + 1
        while end < len(data) and end - at < 4 and data[end] & 0xC0 == 0x80:
            end += 1
        piece = data[at:end]
        symbols += [(numbers[piece], piece)] if piece in numbers else [(b + 3, None) for b in piece]
        at = end
    while True:
        best = None
        for i in range(len(symbols) - 1):
            a, b = symbols[i][1], symbols[i + 1][1]
            if a is None or b is None or a + b not in numbers:
                continue
            score = pieces[numbers[a + b]][1]
            if best is None or score > best[0]:
                best = (score, i, numbers[a + b], a + b)
        if best is None:
            return [n for n, _ in symbols]
        symbols[best[1]:best[1] + 2] = [best[2:]]
