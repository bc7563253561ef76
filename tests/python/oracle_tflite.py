"""Arm NN as a judge of TFLite models: its parser, and its reference backend in plain C++ (scripts/install_oracle)."""

import contextlib
import os
import unittest

import numpy as np

try:
    with open(os.devnull, "w", encoding="ascii") as nothing, contextlib.redirect_stderr(nothing):
        import pyarmnn  # says which of its parsers are absent
except ImportError:
    pyarmnn = None


class Refused(Exception):
    """Arm NN does not take the model; the text is its own."""


def needed():
    """Skips the test, saying so, where Arm NN is absent."""
    if pyarmnn is None:
        raise unittest.SkipTest("no Arm NN here: scripts/install_oracle")


def _floats(info, array):
    """Integers of a tensor with a scale as what they mean."""
    if array.dtype.kind == "f" or not info.IsQuantized():
        return array
    scale, zero = info.GetQuantizationScale(), info.GetQuantizationOffset()
    return ((array.astype(np.float64) - zero) * scale).astype(np.float32)


def _integers(info, array):
    """What a quantized input takes: the nearest integers, halves away from zero."""
    if not info.IsQuantized():
        return array
    low, high, kind = (0, 255, np.uint8) if info.GetDataType() == pyarmnn.DataType_QAsymmU8 else (-128, 127, np.int8)
    scaled = array.astype(np.float64) / info.GetQuantizationScale()
    whole = np.sign(scaled) * np.floor(np.abs(scaled) + 0.5) + info.GetQuantizationOffset()
    return np.clip(whole, low, high).astype(kind)


def judge(path, inputs):
    """The outputs of the model at `path` in its order, quantized ones as floats. `inputs`: arrays in its order, floats
    for quantized ones too. Raises Refused."""
    try:
        parser = pyarmnn.ITfLiteParser()
        network = parser.CreateNetworkFromBinaryFile(os.fspath(path))
        runtime = pyarmnn.IRuntime(pyarmnn.CreationOptions())
        optimized, _ = pyarmnn.Optimize(network, [pyarmnn.BackendId("CpuRef")], runtime.GetDeviceSpec(),
                                        pyarmnn.OptimizerOptions())
        loaded, _ = runtime.LoadNetwork(optimized)
    except RuntimeError as error:
        raise Refused(str(error)) from None
    last = parser.GetSubgraphCount() - 1
    takes = [parser.GetNetworkInputBindingInfo(last, n) for n in parser.GetSubgraphInputTensorNames(last)]
    gives = [parser.GetNetworkOutputBindingInfo(last, n) for n in parser.GetSubgraphOutputTensorNames(last)]
    given = pyarmnn.make_input_tensors(takes, [_integers(info, x) for (_, info), x in zip(takes, inputs)])
    results = pyarmnn.make_output_tensors(gives)
    runtime.EnqueueWorkload(loaded, given, results)
    arrays = pyarmnn.workload_tensors_to_ndarray(results)
    runtime.UnloadNetwork(loaded)
    return [_floats(info, np.asarray(a)) for (_, info), a in zip(gives, arrays)]
