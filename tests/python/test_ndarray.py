"""Arrays: copies, views, DLPack."""

import gc
import unittest

import common  # noqa: F401
import numpy as np
import vta


class Arrays(unittest.TestCase):
    def test_round_trip_on_both_devices(self):
        for dtype in ("int8", "uint8", "int16", "int32", "int64", "float32", "float64"):
            x = (np.arange(24) - 5).reshape(2, 3, 4).astype(dtype)
            for dev in (vta.cpu(), vta.ext_dev()):
                a = vta.nd.array(x, dev)
                self.assertEqual((a.shape, a.dtype, a.device), ((2, 3, 4), dtype, dev))
                np.testing.assert_array_equal(a.numpy(), x)
                np.testing.assert_array_equal(a.copyto(vta.cpu()).numpy(), x)

    def test_numpy_sees_host_memory_without_a_copy(self):
        a = vta.nd.empty((2, 3), "int32")
        seen = np.from_dlpack(a)  # read-only in numpy 1
        for view in (np.asarray(a), np.frombuffer(a.buffer, "int32").reshape(2, 3)):
            view[:] += 1
            np.testing.assert_array_equal(seen, view)
        np.testing.assert_array_equal(a.numpy(), np.full((2, 3), 2))

    def test_views_outlive_the_array(self):
        a = vta.nd.array(np.arange(1000, dtype="int64"))
        view = np.from_dlpack(a)
        del a
        gc.collect()
        np.testing.assert_array_equal(view, np.arange(1000))

    def test_memory_of_another_library_is_taken_over(self):
        x = np.arange(12, dtype="float32").reshape(3, 4)
        a = vta.nd.from_dlpack(x)
        x[0, 0] = 42
        self.assertEqual(a.numpy()[0, 0], 42)
        with self.assertRaisesRegex(BufferError, "contiguous"):
            vta.nd.from_dlpack(np.arange(12).reshape(3, 4).T)

    def test_device_memory_is_no_host_memory(self):
        with self.assertRaisesRegex(BufferError, "numpy()"):
            np.asarray(vta.nd.empty((4,), "int8", vta.ext_dev()).buffer)

    def test_shapes_must_agree(self):
        with self.assertRaisesRegex(ValueError, "shape"):
            vta.nd.empty((4,)).copyfrom(np.zeros((5,)))
        with self.assertRaises(ValueError):
            vta.nd.empty((4,)).copyto(vta.nd.empty((5,)))

    def test_rank_zero(self):
        for dev in (vta.cpu(), vta.ext_dev()):
            a = vta.nd.array(np.array(2.5, "float32"), dev)
            self.assertEqual((a.shape, a.numpy().shape, float(a.numpy())), ((), (), 2.5))
            a[:] = 3.5
            self.assertEqual(float(a.numpy()), 3.5)
        x = vta.te.placeholder((), "float32", "x")
        y = vta.te.compute((), lambda: x() + 1, "y")
        self.assertEqual(float(vta.te.evaluate(y, {x: np.array(2.0, "float32")})), 3.0)

    def test_whole_arrays_take_numbers_and_rows(self):
        a = vta.nd.empty((2, 3), "int32")
        a[:] = 7
        np.testing.assert_array_equal(a.numpy(), np.full((2, 3), 7))
        a[:] = [1, 2, 3]
        np.testing.assert_array_equal(a.numpy(), [[1, 2, 3]] * 2)

    def test_there_is_one_device_of_a_kind(self):
        for device in (vta.ext_dev(1), vta.cpu(3)):
            self.assertFalse(device.exist)
            for make in (lambda d: vta.nd.empty((4,), "int8", d), lambda d: vta.nd.array(np.zeros(4), d),
                         lambda d: vta.nd.empty((4,)).copyto(d)):
                with self.assertRaisesRegex(ValueError, r"there is no .*\(0\) is the only one"):
                    make(device)

    def test_devices_by_name(self):
        for name, device in (("cpu", vta.cpu()), ("llvm -mtriple=x", vta.cpu()), ("ext_dev", vta.ext_dev()), (12, vta.ext_dev()),
                             (str(vta.get_env().target), vta.ext_dev())):
            self.assertEqual(vta.device(name), device)
        self.assertEqual(vta.device("gpu"), vta.device("cuda"))
        self.assertFalse(vta.device("gpu").exist)
        for name in ("", "abacus -arch=1", 77, None):
            with self.assertRaisesRegex(ValueError, "no device"):
                vta.device(name)

    def test_types_without_an_array(self):
        with self.assertRaisesRegex(TypeError, "complex"):
            vta.nd.array(np.zeros(3, dtype="complex64"))


if __name__ == "__main__":
    unittest.main()
