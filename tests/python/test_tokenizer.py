"""tokenizer.json of byte pairs, against its definition with re and unicodedata; the iterator of texts."""

import json
import os
import random
import re
import subprocess
import tempfile
import unicodedata
import unittest

import common
import llama_numpy
import numpy as np
import vta

WORDS = "the hen and the other hen's egg: 42 eggs, 7 of them  there\n\nthey're here; we'll see it, é is naïve, Ünder 3½ 東京"


def shown():
    """GPT-2's characters for bytes."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in kept]
    return {**{b: chr(b) for b in kept}, **{b: chr(256 + i) for i, b in enumerate(others)}}


def split(text):
    """GPT-2's expression, on a text in which each character is its class."""
    def kind(c):
        category = unicodedata.category(c)[0]
        if c.isspace() and c not in "\x1c\x1d\x1e\x1f":
            return c if c == " " else "\n"
        return {"L": "a", "N": "1"}.get(category, "!")

    classes, at, parts = "".join(map(kind, text)), 0, []
    while at < len(text):
        found = re.compile(r"'(?:s|t|re|ve|m|ll|d)").match(text, at)
        found = found or re.compile(r" ?a+| ?1+| ?!+|\s+(?!\S)|\s+").match(classes, at)
        parts.append(text[at:found.end()])
        at = found.end()
    return parts


def joined(symbols, ranks):
    """Pairs of the lowest rank first, the leftmost of them."""
    symbols = list(symbols)
    while True:
        pairs = [(ranks[p], i) for i, p in enumerate(zip(symbols, symbols[1:])) if p in ranks]
        if not pairs:
            return symbols
        i = min(pairs)[1]
        symbols[i:i + 2] = [symbols[i] + symbols[i + 1]]


def learned(parts, count):
    """Merges of the most frequent neighbours."""
    merges = []
    for _ in range(count):
        found = {}
        for p in (joined(p, {m: i for i, m in enumerate(merges)}) for p in parts):
            for pair in zip(p, p[1:]):
                found[pair] = found.get(pair, 0) + 1
        if not found:
            break
        merges.append(max(found, key=lambda pair: (found[pair], pair)))
    return merges


class Tokenizers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.dice = folder.name, random.Random(34)

    def load(self, **parts):
        path = os.path.join(self.folder, "tokenizer.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": "1.0", "added_tokens": [], "normalizer": None, "pre_tokenizer": None, **parts}, file)
        return vta.Tokenizer(path)

    def texts(self, count=60):
        """Pieces of the words, and characters of all kinds."""
        any_of = [*WORDS, *" \n\t\u00a0\u3000'’_-+²Ⅷ٣हéßЖ字😀ａ\u0301\u200b\x1c", "'s", "'ll", "  ", "the"]
        yield from ("", " ", "  ", " a", "a  b", "\n\n x", "it's", " 's", "x 12ab", "12 3", WORDS)
        for _ in range(count):
            yield "".join(self.dice.choice(any_of) for _ in range(self.dice.randrange(1, 30)))

    def byte_level(self, splitter, merges, **model):
        pieces = [*shown().values(), *("".join(m) for m in merges)]
        vocabulary = {p: i for i, p in enumerate(dict.fromkeys(pieces))}
        names = [m if len(m) != 2 or self.dice.random() < 0.5 else list(m) for m in (" ".join(m) for m in merges)]
        tokenizer = self.load(pre_tokenizer=splitter, added_tokens=[
            {"id": 600, "content": "<|endoftext|>", "special": True}, {"id": 601, "content": "<tool>", "special": False}],
            model={"type": "BPE", "vocab": vocabulary, "merges": names, **model})
        return tokenizer, vocabulary

    def check(self, tokenizer, expected):
        for text in self.texts():
            tokens = tokenizer.encode(text)
            self.assertEqual(tokens, expected(text), repr(text))

    def test_byte_level(self):
        of, parts = shown(), split(WORDS)
        merges = learned(["".join(of[b] for b in p.encode()) for p in parts], 60)
        ranks = {m: i for i, m in enumerate(merges)}
        tokenizer, vocabulary = self.byte_level({"type": "ByteLevel", "add_prefix_space": False}, merges)
        self.assertEqual((tokenizer.format, len(tokenizer), tokenizer.begin, tokenizer.end), ("huggingface", 602, None, 600))

        def expected(text, given=True):
            out = []
            for chunk in re.split(r"(<\|endoftext\|>|<tool>)", text) if given else [text]:
                if chunk in ("<|endoftext|>", "<tool>"):
                    out.append(600 + (chunk == "<tool>"))
                    continue
                for p in split(chunk):
                    out += [vocabulary[s] for s in joined("".join(of[b] for b in p.encode()), ranks)]
            return out

        self.check(tokenizer, expected)
        for text in self.texts():
            self.assertEqual(tokenizer.decode(tokenizer.encode(text)), text)
        text = "a hen<|endoftext|>the <tool>egg"
        self.assertEqual(tokenizer.encode(text), expected(text))
        self.assertEqual(tokenizer.decode(expected(text)), "a henthe <tool>egg")

    def test_digits_and_a_blank_before(self):
        of = shown()
        digits = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True},
                                                        {"type": "ByteLevel", "add_prefix_space": False}]}
        merges = [("1", "2"), ("a", "b"), (of[32], "a")]
        ranks = {m: i for i, m in enumerate(merges)}
        tokenizer, vocabulary = self.byte_level(digits, merges)

        def pieces(text, numbers):
            for run in re.findall(r"\d|\D+", text) if numbers else [text]:
                for p in split(run):
                    yield from joined("".join(of[b] for b in p.encode()), ranks)

        for text in ("12 ab12", "7", "a12b", " a1"):
            self.assertEqual(tokenizer.encode(text), [vocabulary[s] for s in pieces(text, True)], text)
        tokenizer, vocabulary = self.byte_level({"type": "ByteLevel", "add_prefix_space": True}, merges)
        for text in ("ab", " ab", "12 ab12"):
            self.assertEqual(tokenizer.encode(text), [vocabulary[s] for s in pieces(text if text[0] == " " else " " + text, False)])

    def test_whole_pieces_are_not_joined_where_the_model_says_so(self):
        vocabulary = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5}
        model = {"type": "BPE", "vocab": vocabulary, "merges": ["b c", "a b"]}
        self.assertEqual(self.load(model=model).encode("abc"), [0, 4])
        self.assertEqual(self.load(model={**model, "ignore_merges": True}).encode("abc"), [5])

    def blocks(self, **parts):
        pieces = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *dict.fromkeys(WORDS.replace(" ", "▁"))]
        merges = learned(["▁" + WORDS.replace(" ", "▁")], 50)
        pieces += ["".join(m) for m in merges if "".join(m) not in pieces]
        vocabulary = {p: i for i, p in enumerate(pieces)}
        added = [{"id": i, "content": pieces[i], "special": True} for i in range(3)]
        tokenizer = self.load(added_tokens=added, model={"type": "BPE", "vocab": vocabulary, "merges": [list(m) for m in merges],
                                                         "byte_fallback": True, "unk_token": "<unk>", "fuse_unk": True}, **parts)
        ranks = {m: i for i, m in enumerate(merges)}

        def encoded(part):
            out = []
            for s in joined(part, ranks):
                out += [vocabulary[s]] if s in vocabulary else [3 + b for b in s.encode()]
            return out

        return tokenizer, encoded

    def test_blocks_for_blanks(self):
        tokenizer, encoded = self.blocks(
            normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                                                            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
            post_processor={"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}]})
        self.assertEqual((tokenizer.begin, tokenizer.end), (1, 2))
        self.check(tokenizer, lambda text: encoded("▁" + text.replace(" ", "▁")) if text else [])
        for text in self.texts():
            self.assertEqual(tokenizer.decode([1, *tokenizer.encode(text)]), text)

    def test_metaspace(self):
        for scheme, prefix in (("always", "▁"), ("first", "▁"), ("never", "")):
            tokenizer, encoded = self.blocks(pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme})

            def expected(text, before=prefix):
                text = text.replace(" ", "▁")
                text = text if text.startswith("▁") or not text else before + text
                return [t for p in re.findall(r"▁[^▁]*|[^▁]+", text) for t in encoded(p)]

            self.check(tokenizer, expected)
            behind = expected("hen", "" if scheme == "first" else prefix)
            self.assertEqual(tokenizer.encode("egg</s>hen"), [*expected("egg"), 2, *behind])

    def test_what_is_not_supported_is_refused(self):
        model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
        cases = [({"model": {**model, "type": "WordPiece"}}, "WordPiece"), ({"model": {**model, "merges": ["a c"]}}, "a merge"),
                 ({"model": {**model, "vocab": {"a": -1}}}, "a number of the vocabulary"), ({"model": {"type": "BPE"}}, "no vocab"),
                 ({"model": {**model, "end_of_word_suffix": "</w>"}}, "end_of_word_suffix"),
                 ({"model": model, "normalizer": {"type": "NFC"}}, "NFC"), ({"model": model, "pre_tokenizer": {"type": "Whitespace"}}, "Whitespace"),
                 ({"model": {**model, "vocab": {"a": 0, "b": 0, "ab": 2}}}, "two pieces have one number"),
                 ({"model": model, "added_tokens": [{"id": 0, "content": "x"}]}, "number of another piece"),
                 ({"model": model, "added_tokens": [{"id": 7, "content": "x", "lstrip": True}]}, "lstrip")]
        for parts, words in cases:
            with self.assertRaisesRegex(vta.VTAError, words):
                self.load(**parts)
        with self.assertRaisesRegex(vta.VTAError, "no token for 'c'"):
            self.load(model=model).encode("abc")

    def test_the_iterator_writes_what_the_tool_writes(self):
        path, artifact = (os.path.join(self.folder, n) for n in ("small.bin", "small.vta-model"))
        with open(path, "wb") as file:
            file.write(llama_numpy.checkpoint(np.random.default_rng(5), vocabulary=288))
        letters = [(bytes([c]), -300.0) for c in b" etaoinshrdlucmfwypvbgkjqxz"]
        pieces = llama_numpy.llama2c_pieces([*letters, (b"he", -1.0), (b" the", -2.0)])
        tokens = os.path.join(self.folder, "tokenizer.bin")
        with open(tokens, "wb") as file:
            file.write(llama_numpy.llama2c_tokenizer(pieces[:288]))
        tool = os.path.join(common.BUILD, "vta")
        subprocess.run([tool, "compile", path, "-o", artifact], check=True, capture_output=True)
        tokenizer, prompt = vta.Tokenizer(tokens), "the sea"
        self.assertEqual(tokenizer.encode(prompt), llama_numpy.llama2c_encode(pieces, prompt.encode()))
        for more in ((), ("--temperature", "1.5", "--seed", "7")):
            run = subprocess.run([tool, "generate", artifact, "--tokenizer", tokens, "--prompt", prompt, "--tokens", "20", "--json", *more],
                                 check=True, capture_output=True)
            how = {"temperature": 1.5, "seed": 7} if more else {}
            text = "".join(vta.generate(vta.load_model(artifact), tokenizer, prompt, tokens=20, **how))
            written = json.loads(run.stdout)["tokens"][1 + len(tokenizer.encode(prompt)):]
            self.assertEqual(text, b"".join(map(tokenizer.piece, written)).decode("utf-8", "replace"))


if __name__ == "__main__":
    unittest.main()
