"""Names of TVM's VTA for packing a network. Here the compiler packs by itself (docs/models.md)."""

from __future__ import annotations

from typing import TypeVar

from vta._check import need
from vta.environment import get_env
from vta.passes import Pass, Sequential

__all__ = ["graph_pack", "run_opt_pass"]

Network = TypeVar("Network")


def graph_pack(expr: Network, bfactor: int, cfactor: int, weight_bits: int, start_name: str = "nn.max_pool2d",
               stop_name: str = "nn.global_avg_pool2d", start_name_idx: int | None = None,
               stop_name_idx: int | None = None, count_meta: bool = False, device_annot: bool = False,
               annot_start_name: str = "nn.conv2d", annot_end_name: str = "annotation.stop_fusion") -> Network:
    """Gives the network back as it is: what runs on the accelerator, and its layout there, is found when it is built.

    Parameters
    ----------
    expr : object
        The network.
    bfactor, cfactor, weight_bits : int
        The environment's BATCH, BLOCK_OUT and WGT_WIDTH; others are refused.
    start_name, stop_name : str, optional
    start_name_idx, stop_name_idx : int, optional
    count_meta, device_annot : bool, optional
    annot_start_name, annot_end_name : str, optional
        Accepted, without effect.

    Returns
    -------
    expr : object
    """
    env = get_env()
    for name, given, wanted in (("bfactor", bfactor, env.BATCH), ("cfactor", cfactor, env.BLOCK_OUT),
                                ("weight_bits", weight_bits, env.WGT_WIDTH)):
        if given != wanted:
            raise ValueError(f"graph_pack: {name} is {given}, that of the environment {wanted}")
    return expr


def run_opt_pass(expr: Network, opt_pass: Pass | Sequential) -> Network:
    """Runs a pass on a network.

    Parameters
    ----------
    expr : object
        The network.
    opt_pass : Pass or Sequential
        One of ``relay.transform``.

    Returns
    -------
    expr : object
    """
    return need(opt_pass, (Pass, Sequential), "the pass")(expr)
