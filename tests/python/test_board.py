"""What a machine has of what a board needs, from Python."""

import os
import pathlib
import tempfile
import unittest

import common  # noqa: F401  # pylint: disable=unused-import
import vta


class Boards(unittest.TestCase):
    def test_the_machine_of_a_model(self):
        """A model is two files: the parts of a real machine are not asked for, and the memory is that of its file."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            place.joinpath("registers").write_bytes(bytes(4 * 4096))
            place.joinpath("memory").write_bytes(bytes(2 * 65536))
            os.environ["VTA_BOARD"] = f"model={folder}"
            try:
                answer = vta.board_check("ultra96")
                place.joinpath("memory").unlink()
                without = vta.board_check("ultra96")
            finally:
                del os.environ["VTA_BOARD"]
        self.assertEqual((answer["board"], answer["missing"]), ("ultra96", 0))
        parts = {part["name"]: part for part in answer["parts"]}
        self.assertEqual(parts["manager"]["found"], "a model has none")
        self.assertEqual(parts["memory"]["found"], "the model: 64 KiB at 0x38000000")
        self.assertEqual(without["missing"], 1)
        self.assertIn("No such file", {part["name"]: part for part in without["parts"]}["memory"]["advice"])

    def test_refusals(self):
        with self.assertRaisesRegex(vta.VTAUnsupportedError, "sim needs nothing of this machine"):
            vta.board_check()
        with self.assertRaisesRegex(vta.VTALookupError, "did you mean pynq"):
            vta.board_check("pynk")


if __name__ == "__main__":
    unittest.main()
