"""The search for the best integers: what it says of each try against decibels and cycles that are measured here."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

import numpy as np

import common
import vta
from test_compile import CONV, node, onnx, samples

VTA = os.path.join(common.BUILD, "vta")
RANDOM = np.random.RandomState(5)
SHAPE = (1, 16, 8, 8)
#: Three convolutions, the middle one with channels of very different sizes.
STRETCH = (2.0 ** RANDOM.randint(-4, 5, 16)).astype("float32")
WEIGHTS = [RANDOM.uniform(-1, 1, (16, 16, 3, 3)).astype("float32") * s for s in
           (0.1 * STRETCH[:, None, None, None], 0.1 / STRETCH[None, :, None, None], 0.1)]
NET = onnx([node("Conv", ["x", "w0"], "a", kernel_shape=[3, 3], pads=[1] * 4), node("Relu", ["a"], "b"),
            node("Conv", ["b", "w1"], "c", kernel_shape=[3, 3], pads=[1] * 4), node("Relu", ["c"], "d"),
            node("Conv", ["d", "w2"], "y", kernel_shape=[3, 3], pads=[1] * 4)],
           [("x", SHAPE)], ("y", SHAPE), [(f"w{i}", w) for i, w in enumerate(WEIGHTS)])


def given(count=10):
    return [np.random.RandomState(i).uniform(-1, 1, SHAPE).astype("float32") for i in range(count)]


def decibels(floats, integers):
    signal_, noise = sum((f ** 2).sum() for f in floats), sum(((f - i) ** 2).sum() for f, i in zip(floats, integers))
    return 10 * np.log10(signal_ / noise)


def of_options(text):
    """Arguments of vta.quantize for what a row says."""
    words, how = text.split(), {}
    while words:
        name = words.pop(0)[2:].replace("-", "_")
        if name == "equalize":
            how[name] = True
        elif name == "precise":
            how.setdefault(name, []).append(words.pop(0))
        else:
            how[name] = int(words.pop(0)) if name == "result_bits" else words.pop(0)
    return how


def of_each(floats, options):
    """Decibels of each sample that is measured, by the integers of a row's options."""
    network = vta.quantize(NET, given()[:5], **of_options(options))
    return np.array([decibels([f], [network(x)]) for f, x in zip(floats[5:], given()[5:])])


class Search(unittest.TestCase):
    def test_what_it_says(self):
        """Of networks without rounding by samples: decibels on the second half, and the cycles of what is compiled."""
        found = vta.quantize(NET, given(), search=2000)
        floats = [vta.Graph(NET)(x) for x in given()]
        options = {"": {}, "--range squares": {"range": "squares"}, "--range max": {"range": "max"}}
        for row in found.tried[:3]:
            quantized = vta.quantize(NET, given()[:5], **options[row["options"]])
            self.assertAlmostEqual(decibels(floats[5:], [quantized(x) for x in given()[5:]]), row["decibels"], places=2)
            self.assertEqual(quantized.report()["cycles"], row["cycles"])
        now = found.tried[0]
        for row in found.tried[1:]:
            price = 4 * np.log2(row["cycles"] / now["cycles"])
            worth_it = row["decibels"] >= now["decibels"] + 0.1 + price and row["decibels"] >= found.tried[0]["decibels"]
            if worth_it and "adaptive" not in row["options"]:
                gains = of_each(floats, row["options"]) - of_each(floats, now["options"])
                worth_it = gains.mean() - 0.5 * gains.std(ddof=1) / np.sqrt(len(gains)) > price
            self.assertTrue(row["taken"] == worth_it or "adaptive" in row["options"], row)
            now = row if row["taken"] else now
        self.assertIn("--equalize", now["options"])
        new = given(30)[10:]
        self.assertGreater(decibels([vta.Graph(NET)(x) for x in new], [found(x) for x in new]), found.tried[0]["decibels"] + 3)
        np.testing.assert_array_equal(found.compile()(new[0]), found(new[0]))
        again = vta.quantize(NET, given(), search=2000)
        self.assertEqual(str(again), str(found))
        self.assertEqual([row["options"] for row in again.tried], [row["options"] for row in found.tried])

    def test_chance(self):
        """One loud sample decides the decibels over all: what it gains and others lose is not taken."""
        loud = given()
        loud[9] = loud[9] * np.float32(3.5)
        rows = vta.quantize(NET, loud, search=2000).tried
        self.assertEqual(rows[1]["options"], "--range squares")
        self.assertGreater(rows[1]["decibels"], rows[0]["decibels"] + 0.1)
        self.assertFalse(rows[1]["taken"], rows[1])

    def test_single_values(self):
        """A convolution takes differences of a function's results, which are nearly equal: they get more bits, and few others."""
        small = [RANDOM.uniform(-0.1, 0.1, (16, 16, 3, 3)).astype("float32") for _ in range(3)]
        small[0][1::2] = small[0][::2] + 0.03 * small[0][1::2]
        differences = np.zeros((16, 16, 3, 3), "float32")
        differences[range(16), np.arange(16) // 2 * 2, 1, 1] = 20
        differences[range(16), np.arange(16) // 2 * 2 + 1, 1, 1] = -20
        convolution = {"kernel_shape": [3, 3], "pads": [1] * 4}
        net = onnx([node("Conv", ["x", "w0"], "a", **convolution), node("Tanh", ["a"], "b"),
                    node("Conv", ["b", "w1"], "c", **convolution), node("Tanh", ["c"], "d"),
                    node("Conv", ["d", "w2"], "e", **convolution), node("Tanh", ["e"], "f"),
                    node("Conv", ["f", "w3"], "y", **convolution)], [("x", SHAPE)], ("y", SHAPE),
                   [("w0", small[0]), ("w1", differences), ("w2", small[1]), ("w3", small[2])])
        rows = vta.quantize(net, given(), search=2000, cycles=0.6).tried
        names = [word for row in rows if row["taken"] for word in row["options"].split() if ":" in word]
        self.assertLessEqual({"a:wide", "b:fine"}, set(names), rows)
        best = [row for row in rows if row["taken"]][-1]
        self.assertGreater(best["decibels"], rows[0]["decibels"] + 3)
        single = next(row for row in rows if ":" in row["options"])
        options = single["options"].split()
        values = [options[i + 1] for i, word in enumerate(options) if word == "--precise"]
        if all(word in ("--precise", *values) for word in options):
            again = vta.quantize(net, given()[:5], precise=values)
            self.assertEqual(again.report()["cycles"], single["cycles"])
        whole = vta.quantize(net, given()[:5], precise="all").report()["cycles"]
        self.assertLess(best["cycles"], whole)
        with self.assertRaisesRegex(vta.VTAError, "behind them may be :wide, :fine, :coarse or :parts"):
            vta.quantize(net, given(), precise=["b:fin"])
        self.assertNotEqual(str(vta.quantize(net, given(), precise=["b:fine"])), str(vta.quantize(net, given())))
        self.assertEqual(str(vta.quantize(net, given(), precise=["b:parts", "b:wide"])), str(vta.quantize(net, given(), precise=["b"])))

    def test_limits(self):
        """Of cycles; of time; on another machine; what cannot be is passed over."""
        rows = vta.quantize(NET, given(), search=2000, cycles=0.02).tried
        for row in rows:
            self.assertTrue(not row["taken"] or row["cycles"] <= 1.02 * rows[0]["cycles"], row)
        free = vta.quantize(NET, given(), search=2000).tried
        self.assertTrue(any(row.get("cycles", 0) > 1.02 * rows[0]["cycles"] for row in free))
        self.assertEqual(len(vta.quantize(NET, given(), search=1e-6).tried), 1)
        other = vta.quantize(NET, given(), search=2000, config={"LOG_BLOCK": 5}).tried
        self.assertNotEqual(other[0]["cycles"], rows[0]["cycles"])
        self.assertEqual(len(vta.compile(CONV, samples(), search=1e-6)(samples()[0])), 1)
        with self.assertRaisesRegex(vta.VTAError, "no samples were observed"):
            vta.quantize(NET, [], search=1)
        with self.assertRaisesRegex(vta.VTAError, "seconds and cycles are 0 or more"):
            vta.quantize(NET, given(), search=1, cycles=-1)

    def test_tool(self):
        """--search prints its tries, Ctrl-C ends it with the best so far."""
        with tempfile.TemporaryDirectory() as folder:
            net, data, out = (os.path.join(folder, name) for name in ("net.onnx", "x.npy", "net.vta-model"))
            with open(net, "wb") as file:
                file.write(NET)
            np.save(data, np.concatenate(given()))
            command = [VTA, "compile", net, "--calibrate", data, "-o", out]
            run = subprocess.run([*command, "--search=2000", "--cycles", "+2%", "--json"], capture_output=True, text=True,
                                 check=True)
            rows = json.loads(run.stdout)["search"]
            self.assertEqual(rows[0]["options"], "")
            self.assertIn(f"{rows[1]['decibels']:.1f}", run.stderr.splitlines()[2])
            same = vta.quantize(NET, given(), search=2000, cycles=0.02).tried
            for row, other in zip(rows, same, strict=True):
                self.assertAlmostEqual(row.pop("decibels"), other.pop("decibels"), places=6)
                self.assertEqual({**row, "seconds": 0}, {**other, "seconds": 0})
            os.unlink(out)
            with subprocess.Popen([*command, "--search"], stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL) as ended:
                ended.stderr.readline()
                ended.send_signal(signal.SIGINT)
                left = ended.stderr.read()
                self.assertEqual(ended.wait(), 0, left)
            self.assertLess(len(left.splitlines()), len(rows) + 1)
            self.assertIn("better than all before", left)
            self.assertEqual(vta.load_model(out)(given()[0]).shape, SHAPE)
            for wrong, message in ((["--search=0"], "expected seconds"), (["--search=x"], "expected seconds"),
                                   (["--cycles", "+5%"], "a limit of --search"), (["--search", "--cycles", "5"], "as +5%"),
                                   (["--images", folder], "--images are for --search"),
                                   (["--search", "--truth", data], "expected --images DIR, too")):
                run = subprocess.run([*command, *wrong], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 2)
                self.assertIn(message, run.stderr)

    def test_scores(self):
        """What a function of the caller's says of each network; one that fails ends the search."""
        inputs = given(12)[10:]
        models = []

        def score(model):
            models.append(model)
            return [model(x) for x in inputs]

        found = vta.quantize(NET, given(), search=2000, score=score)
        plain = vta.quantize(NET, given(), search=2000).tried
        rows = [row for row in found.tried if "error" not in row]
        self.assertEqual([row["options"] for row in rows], [row["options"] for row in plain if "error" not in row])
        self.assertGreater(len(rows), 3)
        for x, y in zip(inputs, rows[0]["score"], strict=True):  # ranges are of the first half
            np.testing.assert_array_equal(y, vta.quantize(NET, given()[:5])(x))
        self.assertFalse(np.array_equal(rows[0]["score"], rows[1]["score"]))
        np.testing.assert_array_equal(models[1](inputs[0]), rows[1]["score"][0])  # it may be kept
        with self.assertRaisesRegex(ValueError, "quantize again"):
            models[0].save("x.vta-model")
        with self.assertRaisesRegex(ZeroDivisionError, "by zero"):
            vta.quantize(NET, given(), search=2000, score=lambda model: 1 // 0)

    def test_right_answers(self):
        """Pictures by class, and in a table: so many as `vta eval` counts with the same options."""
        classes, shape = 5, (1, 3, 8, 8)
        weight = RANDOM.uniform(-1, 1, (classes, 3, 8, 8)).astype("float32")
        net = onnx([node("Conv", ["x", "w"], "a", kernel_shape=[8, 8]), node("Flatten", ["a"], "y")], [("x", shape)],
                   ("y", (1, classes)), [("w", weight)])
        with tempfile.TemporaryDirectory() as folder:
            def tool(*arguments, code=0):
                run = subprocess.run([VTA, *arguments], cwd=folder, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, code, run.stderr)
                return run

            with open(os.path.join(folder, "net.onnx"), "wb") as file:
                file.write(net)
            with open(os.path.join(folder, "net.picture.json"), "w", encoding="utf-8") as file:
                json.dump({"preset": "raw"}, file)
            with open(os.path.join(folder, "table.csv"), "w", encoding="utf-8") as table:
                for i in range(40):
                    name = os.path.join("pictures", str(i % classes), f"{i}.png")
                    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                    common.write_png(os.path.join(folder, name), RANDOM.randint(0, 256, (8, 8, 3)).astype("uint8"))
                    table.write(f"{name},{i % 2}\n")
            calibrate = ["--calibrate", os.path.join("pictures", "1"), "--samples", "8"]
            search = ["compile", "net.onnx", *calibrate, "--search=2000"]
            for known in (["--images", "pictures"], ["--images", ".", "--truth", "table.csv"]):
                run = tool(*search, *known, "--json")
                rows = json.loads(run.stdout)["search"]
                last = [row for row in rows if row["taken"]][-1]
                truth = known[:2] + (["--labels", known[3]] if known[2:] else [])
                right = json.loads(tool("eval", "net.vta-model", *truth, "--json").stdout)["top1"]
                self.assertLess(0, right)
                self.assertLess(right, 40)
                for row in rows:  # of so few classes every network gets nearly the same right
                    self.assertAlmostEqual(row["top1"], right, delta=3)
                self.assertIn(f" {last['top1']}/40  ", run.stderr)
                self.assertEqual(run.stderr.split("\n")[0].split()[-2:], ["top-1", "tried"])
            with open(os.path.join(folder, "table.csv"), "a", encoding="utf-8") as table:
                table.write(f"{name},7\n")
            run = tool(*search, "--images", ".", "--truth", "table.csv", code=1)
            self.assertIn("is of class 7; the classes of the network go from 0 to 4", run.stderr)


class Causes(unittest.TestCase):
    def test_compare(self):
        """Shares add up to the noise that is measured; the commands run, and the one that says most is right."""
        with tempfile.TemporaryDirectory() as folder:
            net, data, one = (os.path.join(folder, name) for name in ("net.onnx", "x.npy", "one.npy"))
            with open(net, "wb") as file:
                file.write(NET)
            np.save(data, np.concatenate(given()))
            np.save(one, given(11)[10])
            command = [VTA, "compare", net, one, "--calibrate", data]

            def run(*options):
                return subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout

            found = json.loads(run("--causes", "--json"))
            noise = sum(layer[cause] for layer in found["causes"]["layers"] for cause in ("rounding", "range", "weights"))
            before = found["layers"][-1]["sqnr"]
            self.assertLess(abs(-10 * np.log10(noise) - before), 3)
            helps = {row["option"]: row["decibels"] for row in found["causes"]["help"]}
            self.assertIn("--equalize", helps)
            after = json.loads(run("--equalize", "--json"))["layers"][-1]["sqnr"]
            self.assertGreater(after, before + 3)
            text = run("--causes")
            self.assertIn("100.0%", text)
            words = next(line for line in text.splitlines() if line.endswith("--equalize")).split()
            self.assertEqual(words[2:], ["vta", *command[1:], "--equalize"])
            self.assertNotIn("causes", json.loads(run("--json")))
            more = json.loads(run("--causes", "--equalize", "--json"))["causes"]["help"]
            self.assertNotIn("--equalize", [row["option"] for row in more])


class Weights(unittest.TestCase):
    def test_four_bits(self):
        """The artifact gives what the integers say; 16 levels cost decibels, and rounding by samples wins a little back."""
        new = given(16)[10:]
        floats = [vta.Graph(NET)(x) for x in new]
        ways = [{}, {"weight_bits": 4}, {"weight_bits": 4, "rounding": "adaptive"}]
        networks = [vta.quantize(NET, given(), equalize=True, **way) for way in ways]
        eight, nearest, adaptive = (decibels(floats, [network(x) for x in new]) for network in networks)
        self.assertGreater(eight, nearest + 6)
        self.assertGreater(adaptive, nearest)
        np.testing.assert_array_equal(networks[2].compile()(new[0]), networks[2](new[0]))
        self.assertEqual(str(vta.quantize(NET, given(), weight_bits=8)), str(vta.quantize(NET, given())))
        with self.assertRaisesRegex(ValueError, "weight_bits is 4 or 8, not 5"):
            vta.quantize(NET, given(), weight_bits=5)
        with tempfile.TemporaryDirectory() as folder:
            net = os.path.join(folder, "net.onnx")
            with open(net, "wb") as file:
                file.write(NET)
            np.save(os.path.join(folder, "x.npy"), np.concatenate(given()))
            run = subprocess.run([VTA, "compile", net, "--calibrate", os.path.join(folder, "x.npy"), "--weights", "5"],
                                 capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertIn("weights have 4 or 8 bits", run.stderr)


if __name__ == "__main__":
    unittest.main()
