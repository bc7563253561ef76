"""What to do instead of names that other stacks have and this one does not.

Keys are full names (``tvm.te.hybrid``), of objects' methods with the class's name (``Stage.prefetch``), of parameters after
the function (``tvm.build.runtime``). A key also stands for all names that begin with it and a dot."""

from __future__ import annotations

_DETECT = "vta.detect finds and suppresses the boxes of a detector from ONNX or TFLite, `vta detect --draw` draws them (docs/detect.md)"
INSTEAD = {
    "Stage.double_buffer": 'bind an axis to "cthread": virtual threads overlap transfers with computation',
    "Stage.env_threads": "bind axes to threads with Stage.bind",
    "Stage.prefetch": 'read into a cache with cache_read and overlap with "cthread"',
    "Stage.rolling_buffer": "compute_at inside the loop computes what that iteration needs",
    "Stage.transform_layout": "write the layout as a computation of its own, or use vta.pack",
    "Stage.set_store_predicate": "put the condition into the computation with te.if_then_else",
    "Expr": "str(...) shows an expression; Expr.kind says what node it is",
    "Buffer": "it has shape, dtype, name, scope, strides, data, elem_offset, vload, vstore, access_ptr, and elements by index",
    "IRBuilder.while_loop": "loops have a number of steps: for_range, with if_scope inside",
    "IRBuilder": "statements are emitted in their order; get() gives them as one",
    "PrimFunc": "print it, .script() and .astext() are its text; `vta lower --after PASS` shows the IR between passes",
    "LoweredFunc": "print it, .script() and .astext() are its text; `vta lower --after PASS` shows the IR between passes",
    "IRModule": "a module is a dictionary of functions by name",
    "Module": "a module is saved with .save and .export_library, and loaded with load_module",
    "Device": "the accelerator's shape is vta.get_env(); arrays are on cpu(0) or ext_dev(0)",
    "NDArray": "numpy(), copyfrom and copyto move the elements",
    "Target": "a target has kind, keys, attrs, host, model, device_name and triple",
    "PassContext": "options are opt_level, disabled_pass and config; `vta lower --after PASS` shows the IR between passes",
    "tvm.te.autodiff": "te.gradient differentiates",
    "tvm.te.hybrid": "it has script, build and HybridModule",
    "tvm.te.schedule.SchedulePostProcRewriteForTensorCore": "there is no GPU target; the accelerator's GEMM is env.gemm",
    "tvm.tir.Schedule": "schedule tensor expressions: te.create_schedule",
    "tvm.tir.schedule": "schedule tensor expressions: te.create_schedule",
    "tvm.tir.transform": "passes run in their order inside lower; leave some out with PassContext(disabled_pass=[...]), list "
                         "them with `vta lower --list-passes`",
    "tvm.tir.analysis": "lowering checks the IR itself; `vta prove` proves a kernel",
    "tvm.tir.stmt_functor": "`vta lower --after PASS` shows the IR; passes are written in C (docs/extending.md)",
    "tvm.tir.usmp": "lowering plans memory itself (tir.StorageRewrite)",
    "tvm.tir": "describe computations with te.compute: this part of the IR is not made by hand",
    "tvm.arith": "lowering simplifies and infers bounds itself; te.schedule.InferBound shows bounds",
    "tvm.script": "TVMScript is printed, not read; kernels as text are kernel files (docs/kernel-files.md)",
    "tvm.parser": "networks are read from ONNX files: vta.compile",
    "tvm.relay.frontend.from_darknet": _DETECT,
    "tvm.relay.testing": f"networks are read from ONNX files: vta.compile; {_DETECT}",
    "tvm.relay": "networks are read from ONNX files: vta.compile, vta.load_model",
    "tvm.auto_scheduler": "vta.build(..., auto=True) chooses the schedule; vta.tune searches (docs/tuning.md)",
    "tvm.meta_schedule": "vta.build(..., auto=True) chooses the schedule; vta.tune searches (docs/tuning.md)",
    "tvm.autotvm": "vta.build(..., auto=True) chooses the schedule; vta.tune searches (docs/tuning.md)",
    "tvm.micro": "kernels are saved as objects with Module.save and linked with libvta",
    "tvm.driver.tvmc": "the command is `vta` (vta --help)",
    "tvm.target": 'targets are "ext_dev", "llvm" and "llvm -mtriple=TRIPLE"',
    "tvm.instrument": "`vta lower --after PASS` shows the IR, `vta lower --timing` the time of passes",
    "tvm.ir.instrument": "`vta lower --after PASS` shows the IR, `vta lower --timing` the time of passes",
    "tvm.transform": "passes are listed by `vta lower --list-passes` and written in C (docs/extending.md)",
    "tvm.ir.transform": "passes are listed by `vta lower --list-passes` and written in C (docs/extending.md)",
    "tvm.topi": "write it with te.compute; operators that schedule themselves are in vta.topi (docs/operators.md)",
    "tvm.testing": "conditions of tests are in vta.testing",
    "tvm.contrib.tedd": "`vta lower` shows the loops, `vta profile` where time goes",
    "tvm.contrib": "this library is not used; kernels are compiled for \"ext_dev\" and \"llvm\"",
    "tvm.cuda": "devices are cpu(0) and ext_dev(0)",
    "tvm.support": "`vta --version` says what was built",
}
_TYPES = 'types are names such as "int32"; objects are ordinary objects of Python'
INSTEAD.update({f"tvm.{part}{name}": _TYPES for part in ("", "ir.", "runtime.", "nd.", "runtime.ndarray.") for name in (
    "DataType", "DataTypeCode", "Object", "ObjectGeneric", "ObjectTypes", "register_object", "register_extension", "get_object", "Node",
    "make_node", "Attrs", "DictAttrs", "convert_to_object", "String", "ShapeTuple", "ADT", "Type", "TypeKind", "TypeVar",
    "GlobalTypeVar", "TupleType", "TypeConstraint", "FuncType", "IncompleteType", "RelayRefType", "PrimType", "PointerType", "TensorType",
    "TensorAffineType", "TupleAffineType", "SourceName", "Span", "SequentialSpan", "BaseExpr", "RelayExpr", "BaseFunc", "type")})
INSTEAD.update({f"tvm.rpc.{name}": "servers are the command `vta rpc-server`" for name in (
    "Server", "server", "with_minrpc", "PopenSession", "proxy", "tracker")})
INSTEAD.update({f"tvm.{part}{name}": INSTEAD["tvm.cuda"] for part in ("", "nd.", "runtime.", "runtime.ndarray.") for name in (
    "cuda", "gpu", "opencl", "cl", "vulkan", "metal", "mtl", "vpi", "rocm", "hexagon", "webgpu", "micro_dev")})


def instead(name: str) -> str:
    """``": what to do"`` for a full name, "" where nothing is written.

    Parameters
    ----------
    name : str
    """
    while name:
        if name in INSTEAD:
            return f": {INSTEAD[name]}"
        name = name.rpartition(".")[0]
    return ""
