"""The C API as ctypes sees it. Made by scripts/gen_python_bindings; do not edit."""
# pylint: skip-file
# fmt: off
from ctypes import *  # noqa: F401,F403

VTA_OK = 0
VTA_INVALID_ARGUMENT = 1
VTA_OUT_OF_RANGE = 2
VTA_NOT_FOUND = 3
VTA_NO_MEMORY = 4
VTA_IO = 5
VTA_PARSE = 6
VTA_CONFIG = 7
VTA_ILLEGAL = 8
VTA_DEADLOCK = 9
VTA_RACE = 10
VTA_TIMEOUT = 11
VTA_UNSUPPORTED = 12
VTA_MISMATCH = 13
VTA_INTERRUPTED = 14
VTA_INTERNAL = 15
VTA_ERROR = 0
VTA_WARNING = 1
VTA_NOTE = 2
VTA_CONFIG_LOG_INP_WIDTH = 0
VTA_CONFIG_LOG_WGT_WIDTH = 1
VTA_CONFIG_LOG_ACC_WIDTH = 2
VTA_CONFIG_LOG_BATCH = 3
VTA_CONFIG_LOG_BLOCK_IN = 4
VTA_CONFIG_LOG_BLOCK_OUT = 5
VTA_CONFIG_LOG_UOP_BUFF_SIZE = 6
VTA_CONFIG_LOG_INP_BUFF_SIZE = 7
VTA_CONFIG_LOG_WGT_BUFF_SIZE = 8
VTA_CONFIG_LOG_ACC_BUFF_SIZE = 9
VTA_CONFIG_FIELD_COUNT = 10
VTA_MEM_UOP = 0
VTA_MEM_WGT = 1
VTA_MEM_INP = 2
VTA_MEM_ACC = 3
VTA_MEM_OUT = 4
VTA_MEM_ACC_8BIT = 5
VTA_MEM_COUNT = 6
VTA_INSN_BYTES = 16
VTA_UOP_BYTES = 4
VTA_OP_LOAD = 0
VTA_OP_STORE = 1
VTA_OP_GEMM = 2
VTA_OP_FINISH = 3
VTA_OP_ALU = 4
VTA_OP_COUNT = 5
VTA_ALU_MIN = 0
VTA_ALU_MAX = 1
VTA_ALU_ADD = 2
VTA_ALU_SHR = 3
VTA_ALU_MUL = 4
VTA_ALU_COUNT = 5
VTA_STAGE_LOAD = 1
VTA_STAGE_COMPUTE = 2
VTA_STAGE_STORE = 3
VTA_PAGE_BYTES = 4096
VTA_MAX_TRANSFER = 33554432
VTA_ORDER_PROGRAM = 0
VTA_ORDER_RANDOM = 1
VTA_ORDER_STORE_LATE = 2
VTA_ENGINE_FAST = 0
VTA_ENGINE_REFERENCE = 1


class vta_allocator(Structure):
    _fields_ = [
        ("resize", c_void_p),
        ("ctx", c_void_p),
    ]


class vta_diag_entry(Structure):
    _fields_ = [
        ("severity", c_int),
        ("status", c_int),
        ("message", c_char_p),
        ("file", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
    ]


class vta_uop(Structure):
    _fields_ = [
        ("dst", c_uint32),
        ("src", c_uint32),
        ("wgt", c_uint32),
    ]


class vta_counters(Structure):
    _fields_ = [
        ("inp_load_nbytes", c_uint64),
        ("wgt_load_nbytes", c_uint64),
        ("acc_load_nbytes", c_uint64),
        ("uop_load_nbytes", c_uint64),
        ("out_store_nbytes", c_uint64),
        ("gemm_counter", c_uint64),
        ("alu_counter", c_uint64),
        ("gemm_reset_counter", c_uint64),
        ("macs", c_uint64),
        ("insn_load", c_uint64),
        ("insn_store", c_uint64),
        ("insn_gemm", c_uint64),
        ("insn_alu", c_uint64),
        ("insn_finish", c_uint64),
        ("insn_nop", c_uint64),
        ("runs", c_uint64),
        ("uop_cache_hits", c_uint64),
        ("uop_cache_misses", c_uint64),
        ("uop_cache_evictions", c_uint64),
        ("cycles", c_uint64),
    ]


class vta_device_options(Structure):
    _fields_ = [
        ("engine", c_uint32),
        ("order", c_uint32),
        ("seed", c_uint64),
        ("check", c_uint32),
        ("skip_execution", c_uint32),
        ("profile", c_char_p),
        ("cpu", c_char_p),
    ]


# name: (library, result, arguments)
FUNCTIONS = {
    "vta_status_text": ("vta", c_char_p, [c_int]),
    "vta_status_meaning": ("vta", c_char_p, [c_int]),
    "vta_status_name": ("vta", c_char_p, [c_int]),
    "vta_version": ("vta", c_char_p, []),
    "vta_diag_create": ("vta", c_void_p, [c_void_p]),
    "vta_diag_destroy": ("vta", None, [c_void_p]),
    "vta_diag_clear": ("vta", None, [c_void_p]),
    "vta_diag_count": ("vta", c_size_t, [c_void_p]),
    "vta_diag_get": ("vta", c_int, [c_void_p, c_size_t, c_void_p]),
    "vta_diag_status": ("vta", c_int, [c_void_p]),
    "vta_diag_text": ("vta", c_char_p, [c_void_p]),
    "vta_diag_add": ("vta", c_int, [c_void_p, c_int, c_int, c_char_p]),
    "vta_config_default": ("vta", c_void_p, []),
    "vta_config_parse": ("vta", c_int, [c_char_p, c_size_t, c_char_p, c_void_p, c_void_p]),
    "vta_config_load": ("vta", c_int, [c_char_p, c_void_p, c_void_p]),
    "vta_config_find": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_config_with": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "vta_config_retain": ("vta", c_void_p, [c_void_p]),
    "vta_config_release": ("vta", None, [c_void_p]),
    "vta_config_get": ("vta", c_int32, [c_void_p, c_int]),
    "vta_config_target": ("vta", c_char_p, [c_void_p]),
    "vta_config_hw_version": ("vta", c_char_p, [c_void_p]),
    "vta_config_bitstream": ("vta", c_char_p, [c_void_p]),
    "vta_config_model": ("vta", c_char_p, [c_void_p]),
    "vta_config_batch": ("vta", c_uint32, [c_void_p]),
    "vta_config_block_in": ("vta", c_uint32, [c_void_p]),
    "vta_config_block_out": ("vta", c_uint32, [c_void_p]),
    "vta_config_width": ("vta", c_uint32, [c_void_p, c_int]),
    "vta_config_elem_bytes": ("vta", c_uint32, [c_void_p, c_int]),
    "vta_config_buffer_bytes": ("vta", c_uint32, [c_void_p, c_int]),
    "vta_config_depth": ("vta", c_uint32, [c_void_p, c_int]),
    "vta_config_to_json": ("vta", c_void_p, [c_void_p]),
    "vta_config_field_name": ("vta", c_char_p, [c_int]),
    "vta_config_field_meaning": ("vta", c_char_p, [c_int]),
    "vta_memory_name": ("vta", c_char_p, [c_int]),
    "vta_string_free": ("vta", None, [c_void_p]),
    "vta_insn_encode": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_insn_decode": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_uop_encode": ("vta", c_int, [c_void_p, vta_uop, c_void_p, c_void_p]),
    "vta_uop_decode": ("vta", vta_uop, [c_void_p, c_uint32]),
    "vta_insn_stage": ("vta", c_int, [c_void_p]),
    "vta_disasm": ("vta", c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "vta_asm": ("vta", c_int, [c_void_p, c_char_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_bytes_free": ("vta", None, [c_void_p, c_size_t]),
    "vta_opcode_name": ("vta", c_char_p, [c_int]),
    "vta_alu_opcode_name": ("vta", c_char_p, [c_int]),
    "vta_stage_name": ("vta", c_char_p, [c_int]),
    "vta_device_create": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_device_destroy": ("vta", None, [c_void_p]),
    "vta_device_config": ("vta", c_void_p, [c_void_p]),
    "vta_device_driver": ("vta", c_char_p, [c_void_p]),
    "vta_device_set_options": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_device_alloc": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "vta_device_alloc_at": ("vta", c_int, [c_void_p, c_uint32, c_size_t, c_void_p]),
    "vta_device_free": ("vta", c_int, [c_void_p, c_uint32, c_void_p]),
    "vta_device_write": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_device_read": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_device_host_ptr": ("vta", c_void_p, [c_void_p, c_uint32, c_size_t]),
    "vta_device_run": ("vta", c_int, [c_void_p, c_uint32, c_uint32, c_uint32, c_void_p]),
    "vta_device_counters": ("vta", vta_counters, [c_void_p]),
    "vta_device_clear_counters": ("vta", None, [c_void_p]),
    "vta_device_peek": ("vta", c_int, [c_void_p, c_int, c_uint32, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_counters_to_json": ("vta", c_void_p, [c_void_p]),
}
