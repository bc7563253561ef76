"""What a ``with`` block sets holds for its thread alone."""

import threading
import unittest

import common  # noqa: F401
import vta
from vta.target import Target
from vta.transform import PassContext


def blocks():
    """(how a block is opened, what is current) for every class of blocks."""
    import tvm
    import tvm.relay

    yield vta.build_config, lambda: PassContext.current().for_vta
    yield lambda: Target("ext_dev"), lambda: str(Target.current())
    yield lambda: tvm.relay.quantize.qconfig(global_scale=4.0), lambda: tvm.relay.quantize.current_qconfig().global_scale
    other_machine = vta.Environment({**vta.get_env().cfg_dict, "LOG_BLOCK": 5})
    yield lambda: other_machine, lambda: vta.get_env().BLOCK_OUT


class Threads(unittest.TestCase):
    def test_blocks_of_two_threads(self):
        """One enters, the other enters, the first leaves, the second still has its own: the order that mixes stacks."""
        for enter, current in blocks():
            outside, seen = current(), []
            first, second = threading.Event(), threading.Event()

            def one():
                with enter():
                    first.set()
                    second.wait(60)
                seen.append(current())

            def other():
                first.wait(60)
                seen.append(current())  # outside any block of its own
                with enter():
                    inside = current()
                    second.set()
                    one_thread.join(60)
                    seen.append(current() == inside)
                seen.append(current())

            one_thread, other_thread = threading.Thread(target=one), threading.Thread(target=other)
            one_thread.start()
            other_thread.start()
            other_thread.join(60)
            self.assertEqual(seen, [outside, outside, True, outside])
            self.assertEqual(current(), outside)


if __name__ == "__main__":
    unittest.main()
