"""Modules of PyTorch, exported on the way: vta.compile(module, samples), judged by PyTorch itself."""

import os
import sys
import unittest

import numpy as np

import common
import vta

try:
    import torch
    from torch import nn
except ImportError:  # no python3-torch: nothing else of this project needs it
    torch = None


def image_network():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3),
                         nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.5), nn.Linear(16, 5))


def encoder():
    return nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)


if torch:
    class Tagger(nn.Module):
        """Words, an LSTM in both directions, a score for each step; two inputs by name."""

        def __init__(self):
            super().__init__()
            self.words, self.lstm = nn.Embedding(20, 8), nn.LSTM(8, 6, batch_first=True, bidirectional=True)
            self.end = nn.Linear(12, 4)

        def forward(self, tokens, weight):
            y, _ = self.lstm(self.words(tokens))
            return self.end(y) * weight


@unittest.skipUnless(torch, "no python3-torch here")
class Modules(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.random = np.random.default_rng(1)

    def near(self, module, model, inputs, share):
        """Whether a compiled network is within a share of the largest number that PyTorch computes."""
        module.eval()
        with torch.no_grad():
            expected = module(*[torch.from_numpy(x) for x in inputs]).numpy()
        got = model(*inputs)
        self.assertEqual(got.shape, expected.shape)
        self.assertLess(np.abs(got - expected).max(), share * np.abs(expected).max())

    def test_waves(self):
        """The export that examples/waves keeps is that of its module, with the numbers beside it."""
        sys.path.append(os.path.join(common.ROOT, "examples", "waves"))
        import waves

        module, (pictures, classes) = waves.trained(), waves.pictures(5, 40)
        with torch.no_grad():
            expected = module(torch.from_numpy(pictures)).numpy()
        self.assertTrue((expected.argmax(1) == classes).all())
        kept = vta.Graph(os.path.join(waves.HERE, "waves.onnx"))
        for picture, scores in zip(pictures, expected):
            self.assertLess(np.abs(kept(picture[None]) - scores).max(), 1e-4 * np.abs(scores).max())

    def test_images(self):
        """One array of all samples; a batch goes through in one call; the module stays in training."""
        module, samples = image_network(), self.random.uniform(-1, 1, (8, 3, 16, 16)).astype("float32")
        module(torch.from_numpy(samples))  # statistics of batch normalization
        model = vta.compile(module, samples)
        self.assertTrue(module.training and module[8].training)
        self.assertEqual(model.inputs[0].shape, (1, 3, 16, 16))
        self.near(module, model, (samples,), 0.1)

    def test_tensors(self):
        """Samples that are tensors, in a list."""
        module = encoder()
        samples = [torch.rand(1, 6, 16) for _ in range(4)]
        model = vta.compile(module, samples)
        self.near(module, model, (samples[0].numpy(),), 0.1)

    def test_names(self):
        """A sample by the names of forward's parameters, in any order."""
        module = Tagger()
        tokens = self.random.integers(0, 20, (1, 7))
        weight = self.random.uniform(0.5, 1, (1, 7, 4)).astype("float32")
        model = vta.compile(module, [{"weight": weight, "tokens": tokens}])
        self.assertEqual([p.name for p in model.inputs], ["tokens", "weight"])
        self.near(module, model, (tokens, weight), 0.1)
        quantized = vta.quantize(module, [(tokens, weight)])
        np.testing.assert_array_equal(quantized(tokens, weight), model(tokens=tokens, weight=weight))

    def test_no_samples(self):
        with self.assertRaisesRegex(ValueError, "give samples"):
            vta.compile(image_network())

    def test_what_cannot_be_exported(self):
        class Complex(nn.Module):
            def forward(self, x):
                return torch.linalg.svd(x)[0]

        with self.assertRaisesRegex(Exception, "svd"):
            vta.compile(Complex(), [np.zeros((3, 3), "float32")])


if __name__ == "__main__":
    unittest.main()
