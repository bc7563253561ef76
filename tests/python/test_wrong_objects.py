"""Objects of wrong kinds, and configurations that there are not, behind the names of TVM: errors that say what was expected."""

import ctypes
import unittest

import common  # noqa: F401
import tvm
import vta
from tvm import te
from vta.ndarray import _DLManagedTensor, _PyCapsule_New, _CapsuleDestructor

A = te.placeholder((4,), name="A")
B = te.compute((4,), lambda i: A[i] + 1, name="B")


def environment_of_another_target():
    cfg = vta.get_env().cfg_dict
    cfg["TARGET"] = "xyz"
    return vta.Environment(cfg)


class OfType:
    """What another library exports by DLPack, of a type that there is not here."""

    def __init__(self, code, bits):
        self.data, self.shape = (ctypes.c_uint16 * 4)(), (ctypes.c_int64 * 1)(4)
        self.managed = _DLManagedTensor()
        tensor = self.managed.dl_tensor
        tensor.data, tensor.ndim, tensor.shape = ctypes.addressof(self.data), 1, self.shape
        tensor.device.device_type, tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = 1, code, bits, 1

    def __dlpack__(self):
        return _PyCapsule_New(ctypes.addressof(self.managed), b"dltensor", _CapsuleDestructor())


ROWS = {
    "vectorize": (TypeError, "an axis of vectorize is of type IterVar, not a value of type Tensor",
                  lambda: te.create_schedule(B.op)[B].vectorize(B)),
    "sum": (TypeError, "an axis of a reduction is of type IterVar, not a value of type Expr",
            lambda: te.compute((4,), lambda i: te.sum(A[i], axis=te.var("k")))),
    "bind": (TypeError, "an axis of bind is of type IterVar, not a value of type Expr",
             lambda: te.create_schedule(B.op)[B].bind(B.op.axis[0], te.var("x"))),
    "create_prim_func": (TypeError, "an argument of create_prim_func is of type Tensor, not a value of type Expr",
                         lambda: te.create_prim_func([te.var("n")])),
    "index_dtype_override": (NotImplementedError, "indices are int32, as the shapes are; index_dtype_override='int64' is not offered",
                             lambda: te.create_prim_func([A, B], "int64")),
    "from_expr": (TypeError, "what a module is made of is of type LoweredFunc or PrimFunc, not a value of type int",
                  lambda: tvm.IRModule.from_expr(3)),
    "from_expr_of_a_tensor": (TypeError, "not a value of type Tensor", lambda: tvm.IRModule.from_expr(A)),
    "target": (ValueError, 'TARGET = "xyz": no such target; one of sim, tsim, rtl', environment_of_another_target),
    "bfloat16": (TypeError, "no array of bfloat of 16 bits", lambda: tvm.nd.from_dlpack(OfType(4, 16))),
    "complex": (TypeError, "no array of complex of 64 bits", lambda: tvm.nd.from_dlpack(OfType(5, 64))),
}


class WrongObjects(unittest.TestCase):
    def test_refused_in_words(self):
        for name, (kind, words, call) in ROWS.items():
            with self.subTest(name=name), self.assertRaises(kind) as seen:
                call()
            self.assertIn(words, str(seen.exception), name)

    def test_right_ones(self):
        self.assertEqual(tvm.nd.from_dlpack(OfType(1, 16)).dtype, "uint16")
        self.assertEqual(list(tvm.IRModule.from_expr(te.create_prim_func([A, B])).keys()), ["main"])
        for same in (None, "int32"):
            self.assertEqual(te.create_prim_func([A, B], index_dtype_override=same).script(), te.create_prim_func([A, B]).script())


if __name__ == "__main__":
    unittest.main()
