"""Language models: checkpoints as ONNX, text from them, their loss; against definitions in numpy (llama_numpy.py)."""

import json
import os
import subprocess
import tempfile
import unittest
import unittest.mock

import common
import llama_numpy
import numpy as np

TOOL = os.path.join(common.BUILD, "vta")


def vta(*arguments, fails=False):
    """Standard output of the tool; of a call that fails what it says."""
    run = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
    if fails:
        assert run.returncode == 1, f"{arguments}: exit code {run.returncode}, {run.stderr}"
        return run.stderr
    assert run.returncode == 0, f"{arguments}: {run.stderr}"
    return run.stdout


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = np.random.default_rng(5)

    def write(self, name, data):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def tokenizer(self, count):
        letters = [(bytes([c]), -300.0) for c in b" etaoinshrdlucmfwypvbgkjqxz"]
        pieces = llama_numpy.llama2c_pieces(letters + [(b"he", -1.0), (b" the", -2.0)])[:count]
        return self.write("tokenizer.bin", llama_numpy.llama2c_tokenizer(pieces)), pieces


def greedy(model, tokens, count):
    """What the model continues with, and how far the best score is above the next one, at the least."""
    model.restart()
    tokens, gap = list(tokens), np.inf
    for t in tokens[:-1]:
        model.feed(t)
    for _ in range(count):
        scores = model.feed(tokens[-1])
        best = int(np.argmax(scores))
        if best in (1, 2):
            break
        gap = min(gap, scores[best] - np.partition(scores, -2)[-2])
        tokens.append(best)
    return tokens, gap


class Checkpoints(InFolder):
    """A checkpoint's own numbers say what a model of it computes."""

    def test_imported_models_compute_what_the_checkpoint_says(self):
        for case in ({}, {"kv_heads": 4}, {"kv_heads": 1, "shared": False}, {"heads": 2, "layers": 1, "dim": 12, "hidden": 7}):
            data = llama_numpy.checkpoint(self.random, **case)
            model, path = llama_numpy.Llama(data), self.write("small.bin", data)
            tokenizer, _ = self.tokenizer(model.vocabulary)
            expected, gap = greedy(model, [1], 30)
            self.assertGreater(gap, 1e-5, "the test's own model is undecided: another seed")
            for opset in ("17", "23"):
                onnx = os.path.join(self.folder.name, "small.onnx")
                vta("import", "llama2c", path, "-o", onnx, "--opset", opset)
                for source in (onnx, path):
                    got = json.loads(vta("generate", source, "--float", "--tokenizer", tokenizer, "--tokens", "30", "--json"))
                    self.assertEqual(got["tokens"], expected, f"{case}, operator set {opset}")

    def test_losses_are_those_of_the_definition(self):
        data = llama_numpy.checkpoint(self.random)
        model, path = llama_numpy.Llama(data), self.write("small.bin", data)
        lines = [[1, *self.random.integers(0, 300, n).tolist()] for n in (1, 7, 39)]
        losses = []
        for line in lines:
            model.restart()
            losses += [llama_numpy.loss(model.feed(a), b) for a, b in zip(line, line[1:])]
        file = self.write("lines.jsonl", "\n".join(json.dumps({"tokens": line, "text": "?"}) for line in lines).encode())
        got = json.loads(vta("eval", path, "--tokens", file, "--float", "--json"))
        self.assertEqual(set(got), {"loss", "float_loss", "agreement"})
        self.assertAlmostEqual(got["float_loss"], np.mean(losses), places=5)

    def test_runs_of_several_tokens_compute_the_same(self):
        data = llama_numpy.checkpoint(self.random)
        path = self.write("small.bin", data)
        tokenizer, pieces = self.tokenizer(300)
        text = "the hen at the other rose"
        prompt = [1, *llama_numpy.llama2c_encode(pieces, text.encode())]
        expected, _ = greedy(llama_numpy.Llama(data), prompt, 5)
        for tokens in ("1", "3", "8", "39"):
            onnx = os.path.join(self.folder.name, f"by{tokens}.onnx")
            vta("import", "llama2c", path, "-o", onnx, "--tokens", tokens)
            count = str(min(5, 40 - int(tokens) + 2 - len(prompt)))
            if int(count) < 1:
                continue
            got = json.loads(vta("generate", onnx, "--float", "--tokenizer", tokenizer, "--prompt", text, "--tokens", count, "--json"))
            self.assertEqual(got["tokens"], expected[:len(prompt) + int(count)], f"{tokens} tokens a run")

    def test_what_is_no_checkpoint_is_refused(self):
        good = bytearray(llama_numpy.checkpoint(self.random))
        sizes = len(good)

        def refused(data):
            return vta("import", "llama2c", self.write("bad.bin", bytes(data)), "-o", os.path.join(self.folder.name, "bad.onnx"), fails=True)

        self.assertIn(f"asks for {sizes} bytes, there are {sizes - 4}", refused(good[:-4]))
        self.assertIn(f"asks for {sizes} bytes, there are {sizes + 4}", refused(good + bytes(4)))
        self.assertIn("less than its header", refused(good[:20]))
        for field, value, text in ((0, 0, "dim is 0"), (2, -1, "layers is -1"), (3, 3, "heads do not divide dim"),
                                   (4, 3, "kv_heads do not divide heads"), (3, 16, "odd number"), (6, 2**31 - 1, "sequence is"),
                                   (1, 2**24, "asks for")):
            bad = bytearray(good)
            bad[4 * field:4 * field + 4] = value.to_bytes(4, "little", signed=True)
            self.assertIn(text, refused(bad))
        self.assertIn("version 1", refused(b"24ka" + (1).to_bytes(4, "little") + bytes(300)))


class Texts(InFolder):
    """vta generate and vta eval."""

    def setUp(self):
        super().setUp()
        self.data = llama_numpy.checkpoint(self.random, vocabulary=288)
        self.path = self.write("small.bin", self.data)
        self.tokens, self.pieces = self.tokenizer(288)

    def generate(self, *arguments):
        return json.loads(vta("generate", self.path, "--tokenizer", self.tokens, "--float", "--json", *arguments))

    def test_json_has_these_keys(self):
        got = self.generate("--tokens", "4", "--prompt", "the sea")
        self.assertEqual(list(got), ["tokens", "text", "cycles", "tokens_per_second", "tokens_per_second_accelerator"])
        prompt = [1, *llama_numpy.llama2c_encode(self.pieces, b"the sea")]
        self.assertEqual(got["tokens"][:len(prompt)], prompt)
        self.assertEqual((got["cycles"], got["tokens_per_second_accelerator"]), (0, None))
        self.assertTrue(got["text"].startswith(" the sea"))

    def test_choices_follow_their_seed(self):
        drawn = [self.generate("--tokens", "20", "--temperature", "1.5", "--seed", seed)["tokens"] for seed in ("7", "7", "8")]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        self.assertEqual(self.generate("--tokens", "20", "--temperature", "1.5", "--top-p", "1e-9", "--seed", "9"),
                         {**self.generate("--tokens", "20"), "tokens_per_second": unittest.mock.ANY})

    def test_shares_of_choices_are_those_of_softmax(self):
        scores = llama_numpy.Llama(self.data).feed(1) / 0.8
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        order = np.argsort(-shares)
        kept = set(order[:int(np.searchsorted(np.cumsum(shares[order]), 0.5)) + 1].tolist())
        for seed in range(25):
            drawn = self.generate("--tokens", "1", "--temperature", "0.8", "--top-p", "0.5", "--seed", str(seed))["tokens"]
            self.assertTrue(len(drawn) == 1 or drawn[1] in kept, f"seed {seed}: {drawn}")

    def test_compiled_models_write_what_the_artifact_says(self):
        artifact = os.path.join(self.folder.name, "small.vta-model")
        file = self.write("lines.jsonl", json.dumps({"tokens": greedy(llama_numpy.Llama(self.data), [1], 20)[0]}).encode())
        vta("compile", self.path, "-o", artifact, "--calibrate", file)
        drivers = [json.loads(vta("generate", artifact, "--tokenizer", self.tokens, "--tokens", "9", "--driver", d, "--json")) for d in ("sim", "tsim")]
        self.assertEqual(drivers[0]["tokens"], drivers[1]["tokens"])
        self.assertEqual(drivers[0]["cycles"], drivers[1]["cycles"])
        self.assertGreater(drivers[0]["cycles"], 0)
        self.assertGreater(drivers[0]["tokens_per_second_accelerator"], 0)
        both = json.loads(vta("eval", self.path, "--calibrate", file, "--tokens", file, "--json"))
        one = json.loads(vta("eval", artifact, "--tokens", file, "--json"))
        self.assertEqual(one, {"loss": both["loss"], "float_loss": None, "agreement": None})
        self.assertLess(abs(both["loss"] - both["float_loss"]), 0.5)

    def test_cycles_are_those_of_the_memory_asked_for(self):
        """What is compiled on the way is compiled for it; an artifact is timed by it, whatever runs it. Tokens stay."""
        artifact, profile = (os.path.join(self.folder.name, name) for name in ("small.vta-model", "slow.json"))
        file = self.write("lines.jsonl", json.dumps({"tokens": greedy(llama_numpy.Llama(self.data), [1], 20)[0]}).encode())
        self.write("slow.json", b'{"profile": "hls", "bus_bits": 32, "delay": 90, "frequency_khz": 50000}')
        tokens, seen = set(), set()
        for given in ([], ["--profile", profile], ["--bus", "32", "--timing", "delay=70"]):
            kept = os.path.join(self.folder.name, "kept.vta-model")
            vta("compile", self.path, "-o", kept, "--calibrate", file, *given)
            if not given:
                os.rename(kept, artifact)
                kept = artifact

            def cycles(model, *more):
                got = json.loads(vta("generate", model, "--tokenizer", self.tokens, "--tokens", "3", "--json", *more))
                tokens.add(tuple(got["tokens"]))
                return got["cycles"], got["tokens_per_second_accelerator"]

            compiled = cycles(kept)
            self.assertEqual(cycles(self.path, "--calibrate", file, *given), compiled)
            self.assertEqual(cycles(kept, *given), compiled)
            if given:
                self.assertEqual(*(cycles(artifact, "--driver", driver, *given) for driver in ("sim", "tsim")))
                self.assertNotEqual(cycles(artifact, *given), cycles(artifact))
            seen.add(compiled)
        self.assertEqual((len(tokens), len(seen)), (1, 3))
        self.assertIn("--bus 100: expected bits", vta("generate", artifact, "--tokenizer", self.tokens, "--bus", "100", fails=True))
        self.assertIn("compiled already", vta("eval", artifact, "--tokens", file, "--bus", "64", fails=True))

    def test_what_cannot_be_is_refused(self):
        def refused(*arguments):
            return vta("generate", self.path, "--tokenizer", self.tokens, "--float", *arguments, fails=True)

        self.assertIn("a prompt of 41 tokens", refused("--prompt", "q" * 40))
        self.assertIn("--temperature warm", refused("--temperature", "warm"))
        self.assertIn("a top_p of 2", refused("--top-p", "2"))
        large = self.write("large.bin", llama_numpy.llama2c_tokenizer(self.pieces + [(b"zz", 0.0)] * 9))
        self.assertIn("it is another model's", vta("generate", self.path, "--tokenizer", large, "--float", fails=True))
        lines = self.write("lines.jsonl", b'{"tokens": [1, 2]}\n{"tokens": [1, "two"]}\n')
        self.assertIn("lines.jsonl:2", vta("eval", self.path, "--tokens", lines, "--float", fails=True))
        lines = self.write("lines.jsonl", b'{"tokens": [1, 9999]}\n')
        self.assertIn("tokens 0 to 287", vta("eval", self.path, "--tokens", lines, "--float", fails=True))


class Stories(InFolder):
    """The 260,000 weights that write stories."""

    def test_floats_write_the_recorded_story(self):
        folder = common.shared("models", "tinystories-260k")
        with open(os.path.join(folder, "greedy.txt"), encoding="utf-8") as file:
            expected = file.read().rstrip("\n")
        for opset in ("17", "23"):
            onnx = os.path.join(self.folder.name, "stories.onnx")
            vta("import", "llama2c", os.path.join(folder, "stories260K.bin"), "-o", onnx, "--opset", opset)
            got = json.loads(vta("generate", onnx, "--tokenizer", os.path.join(folder, "tok512.bin"), "--float", "--json"))
            self.assertEqual(got["text"], expected, f"operator set {opset}")

    def test_float_losses_are_the_recorded_ones(self):
        folder = common.shared("models", "tinystories-260k")
        with open(os.path.join(folder, "stories.jsonl"), encoding="utf-8") as file:
            for line in list(file)[:3]:
                got = json.loads(vta("eval", os.path.join(folder, "stories260K.bin"), "--tokens", self.write("line.jsonl", line.encode()), "--float", "--json"))
                self.assertAlmostEqual(got["float_loss"], json.loads(line)["float_nll"], delta=1e-3)

    def test_integers_write_the_same_story(self):
        """Calibrated by the model's own text: at most 0.01 is lost, 97 % of next tokens agree, and 60 tokens are equal."""
        folder = common.shared("models", "tinystories-260k")
        checkpoint, artifact = os.path.join(folder, "stories260K.bin"), os.path.join(self.folder.name, "stories.vta-model")
        with open(os.path.join(folder, "stories.jsonl"), encoding="utf-8") as file:
            lines = self.write("lines.jsonl", "".join(list(file)[:4]).encode())
        got = json.loads(vta("eval", checkpoint, "--tokens", lines, "--json"))
        self.assertLess(got["loss"] - got["float_loss"], 0.01)
        self.assertGreaterEqual(got["agreement"], 0.97)
        vta("compile", checkpoint, "-o", artifact)
        arguments = ("--tokenizer", os.path.join(folder, "tok512.bin"), "--tokens", "60", "--json")
        floats, integers = (json.loads(vta("generate", *model, *arguments)) for model in ((checkpoint, "--float"), (artifact,)))
        self.assertEqual(integers["tokens"], floats["tokens"])


if __name__ == "__main__":
    unittest.main()
