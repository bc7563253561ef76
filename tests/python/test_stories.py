"""The example of a language model: its texts, pieces and tokenizer are what is stored beside it, and what the tool reads."""

import json
import os
import sys
import unittest

import numpy as np

import common
import llama_numpy
import vta

FOLDER = os.path.join(common.ROOT, "examples", "stories")
sys.path.append(FOLDER)
import stories  # noqa: E402


def stored(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


class Stories(unittest.TestCase):
    def test_tokenizer(self):
        """Made anew it is the one that is stored; the library finds the same pieces in a text."""
        rng = np.random.default_rng(1)
        pieces = stories.pieces_of([stories.story(rng) for _ in range(1500)][:300])
        self.assertEqual(stories.tokenizer(pieces), stored("tokenizer.bin"))
        tokenizer = vta.Tokenizer(os.path.join(FOLDER, "tokenizer.bin"))
        rng = np.random.default_rng(99)
        for line in stored("stories.jsonl").decode().splitlines():
            text, tokens = (json.loads(line)[k] for k in ("text", "tokens"))
            self.assertEqual(text, stories.story(rng))
            self.assertEqual(tokens, [stories.BEGIN, *stories.encode(text, pieces)])
            self.assertEqual(tokens, [tokenizer.begin, *tokenizer.encode(text)])
            self.assertEqual(tokenizer.decode(tokens[1:]), " " + text)

    def test_checkpoint(self):
        """By the definition of a Llama it expects the stories that it was trained on."""
        losses = []
        for line in stored("stories.jsonl").decode().splitlines()[:3]:
            model, tokens = llama_numpy.Llama(stored("stories.bin")), json.loads(line)["tokens"]
            for token, following in zip(tokens, tokens[1:]):
                scores = model.feed(token)
                losses.append(np.log(np.exp(scores - scores.max()).sum()) + scores.max() - scores[following])
        self.assertLess(np.mean(losses), 0.3)


if __name__ == "__main__":
    unittest.main()
