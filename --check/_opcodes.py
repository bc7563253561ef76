"""Operations of the accelerator's ALU.

Made by scripts/gen_python_bindings from include/vta/opcode.def; do not edit."""

from . import _bindings as b


class AluOpcodes:
    """A name for each."""

    ALU_OPCODE_MIN = b.VTA_ALU_MIN
    ALU_OPCODE_MAX = b.VTA_ALU_MAX
    ALU_OPCODE_ADD = b.VTA_ALU_ADD
    ALU_OPCODE_SHR = b.VTA_ALU_SHR
    ALU_OPCODE_MUL = b.VTA_ALU_MUL
