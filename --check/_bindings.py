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
VTA_DETAIL = 3
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
VTA_TOKEN_LOAD_COMPUTE = 0
VTA_TOKEN_COMPUTE_LOAD = 1
VTA_TOKEN_STORE_COMPUTE = 3
VTA_TOKEN_COMPUTE_STORE = 2
VTA_TOKEN_QUEUES = 4
VTA_PAGE_BYTES = 4096
VTA_MAX_TRANSFER = 33554432
VTA_ORDER_PROGRAM = 0
VTA_ORDER_RANDOM = 1
VTA_ORDER_STORE_LATE = 2
VTA_ENGINE_FAST = 0
VTA_ENGINE_REFERENCE = 1
VTA_FIELD_ADD = 0
VTA_FIELD_SUB = 1
VTA_FIELD_MUL = 2
VTA_FIELD_MIN = 3
VTA_FIELD_MAX = 4
VTA_FIELD_SHL = 5
VTA_FIELD_SHR = 6
VTA_FIELD_OP_COUNT = 7
VTA_UNIT_FETCH = 0
VTA_UNIT_LOAD = 1
VTA_UNIT_COMPUTE = 2
VTA_UNIT_STORE = 3
VTA_UNIT_COUNT = 4
VTA_STATE_BUSY = 0
VTA_STATE_WAIT_MEMORY = 1
VTA_STATE_WAIT_PREV = 2
VTA_STATE_WAIT_NEXT = 3
VTA_STATE_WAIT_FULL = 4
VTA_STATE_WAIT_FETCH = 5
VTA_STATE_IDLE = 6
VTA_STATE_COUNT = 7
VTA_KIND_LOAD_INP = 0
VTA_KIND_LOAD_WGT = 1
VTA_KIND_LOAD_ACC = 2
VTA_KIND_LOAD_UOP = 3
VTA_KIND_GEMM = 4
VTA_KIND_RESET = 5
VTA_KIND_ALU_IMM = 6
VTA_KIND_ALU = 7
VTA_KIND_STORE = 8
VTA_KIND_NOP = 9
VTA_KIND_FINISH = 10
VTA_KIND_COUNT = 11
VTA_DEBUG_DUMP_INSN = 2
VTA_DEBUG_DUMP_UOP = 4
VTA_DEBUG_SKIP_READ_BARRIER = 8
VTA_DEBUG_SKIP_WRITE_BARRIER = 16
VTA_DEBUG_FORCE_SERIAL = 32
VTA_SHARE_UOPS_OFF = 0
VTA_SHARE_UOPS_ON = 1
VTA_SHARE_UOPS_LATE = 2
VTA_ARG_INT = 0
VTA_ARG_FLOAT = 2
VTA_ARG_HANDLE = 3
VTA_ARG_NULL = 4
VTA_ARG_DATA_TYPE = 5
VTA_ARG_DEVICE = 6
VTA_ARG_TENSOR = 7
VTA_ARG_OBJECT = 8
VTA_ARG_MODULE = 9
VTA_ARG_FUNCTION = 10
VTA_ARG_STRING = 11
VTA_ARG_BYTES = 12
VTA_ARG_NDARRAY = 13
VTA_SIGNATURE_VERSION = 1
VTA_ARRAY_MAX_DIMS = 16
VTA_NCHW = 0
VTA_NHWC = 1
VTA_RPC_PORT = 9091
VTA_RPC_TRACKER_PORT = 9190
VTAC_STYLE_PRIMFN = 0
VTAC_STYLE_TVMSCRIPT = 1
VTAC_FIELD_OTHER = 0
VTAC_FIELD_EXPR = 1
VTAC_FIELD_STMT = 2
VTAC_FIELD_AXIS = 3
VTAC_FIELD_TENSOR = 4
VTAC_FIELD_TEXT = 5
VTAC_FIELD_BUFFER = 6
TE_ADD = 0
TE_SUB = 1
TE_MUL = 2
TE_DIV = 3
TE_FLOORDIV = 4
TE_FLOORMOD = 5
TE_SHL = 6
TE_SHR = 7
TE_BITAND = 8
TE_BITOR = 9
TE_BITXOR = 10
TE_EQ = 11
TE_NE = 12
TE_LT = 13
TE_LE = 14
TE_GT = 15
TE_GE = 16
TE_AND = 17
TE_OR = 18
TE_NOT = 19
TE_NEG = 20
TE_BITNOT = 21
TE_MIN = 22
TE_MAX = 23
TE_TRUNCDIV = 24
TE_TRUNCMOD = 25
TE_SELECT = 26
TE_IF_THEN_ELSE = 27
TE_ABS = 28
TE_LIKELY = 29
TE_EXP = 30
TE_LOG = 31
TE_SQRT = 32
TE_TANH = 33
TE_FLOOR = 34
TE_CEIL = 35
TE_ROUND = 36
TE_POW = 37
TE_TRUNC = 38
TE_NEARBYINT = 39
TE_FABS = 40
TE_FMOD = 41
TE_EXP2 = 42
TE_LOG2 = 43
TE_LOG10 = 44
TE_LOG1P = 45
TE_SIN = 46
TE_COS = 47
TE_TAN = 48
TE_SINH = 49
TE_COSH = 50
TE_ASIN = 51
TE_ACOS = 52
TE_ATAN = 53
TE_ASINH = 54
TE_ACOSH = 55
TE_ATANH = 56
TE_ATAN2 = 57
TE_HYPOT = 58
TE_COPYSIGN = 59
TE_ERF = 60
TE_OP_COUNT = 61
TE_SUM = 0
TE_MIN_OF = 1
TE_MAX_OF = 2
TE_AXIS_DATA = 0
TE_AXIS_THREAD = 1
TE_AXIS_REDUCE = 2
TE_RELATION_SPLIT = 0
TE_RELATION_SIZES = 1
TE_RELATION_FUSE = 2
TE_RELATION_SINGLETON = 3
TE_COMPUTED_AT_ROOT = 0
TE_COMPUTED_INLINE = 1
TE_COMPUTED_AT_LOOP = 2
TE_INTRIN_BODY = 0
TE_INTRIN_RESET = 1
TE_INTRIN_UPDATE = 2
TE_LOOP_SERIAL = 0
TE_LOOP_PARALLEL = 1
TE_LOOP_VECTORIZED = 2
TE_LOOP_UNROLLED = 3
VTAC_EMIT_OBJECT = 0
VTAC_EMIT_ASM = 1
VTAC_EMIT_LLVM = 2
VTAC_EMIT_C = 3
VTAC_PROVEN = 0
VTAC_WRONG = 1
VTAC_UNPROVEN = 2
VTA_FOLD_NONE = 0
VTA_FOLD_COLUMNS = 1
VTA_FOLD_KERNEL = 2
VTAC_OP_ESTIMATED = 0
VTAC_OP_FROM_DATABASE = 1
VTAC_OP_TUNED = 2
VTAC_RANGE_PERCENTILE = 0
VTAC_RANGE_MAX = 1
VTAC_RANGE_KL = 2
VTAC_RANGE_SQUARES = 3
VTAC_REQUANTIZE_AUTO = 0
VTAC_REQUANTIZE_SHIFT = 1
VTAC_REQUANTIZE_MULTIPLY = 2
VTAC_ON_ACCELERATOR = 0
VTAC_ON_HOST = 1


class DLDataType(Structure):
    _fields_ = [
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
    ]


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
        ("size", c_size_t),
        ("engine", c_uint32),
        ("order", c_uint32),
        ("seed", c_uint64),
        ("check", c_bool),
        ("skip_execution", c_bool),
        ("profile", c_char_p),
        ("cpu", c_char_p),
        ("stall_percent", c_uint32),
        ("assertions", c_bool),
        ("wave", c_char_p),
        ("board", c_char_p),
        ("pack", c_bool),
        ("netlist", c_bool),
        ("small", c_bool),
        ("address_bits", c_uint32),
    ]


class vta_program_run_info(Structure):
    _fields_ = [
        ("insn_addr", c_uint32),
        ("insn_count", c_uint32),
        ("segment_count", c_uint32),
        ("insns", c_void_p),
    ]


class vta_program_segment(Structure):
    _fields_ = [
        ("addr", c_uint32),
        ("size", c_uint32),
        ("has_after", c_bool),
        ("before", c_void_p),
        ("before_size", c_size_t),
        ("after", c_void_p),
        ("after_size", c_size_t),
    ]


class vta_program_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("expect", c_bool),
        ("wait_cycles", c_uint32),
        ("progress", c_void_p),
        ("ctx", c_void_p),
    ]


class vta_field_array(Structure):
    _fields_ = [
        ("addr", c_uint32),
        ("bits", c_uint32),
        ("count", c_uint64),
        ("values", c_void_p),
        ("is_output", c_bool),
    ]


class vta_field_writer(Structure):
    _fields_ = [
        ("known", c_bool),
        ("run", c_uint32),
        ("store", c_uint32),
        ("has_alu", c_bool),
        ("insn", c_uint32),
    ]


class vta_field_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("order", c_uint32),
        ("seed", c_uint64),
        ("stale", c_uint64),
        ("most_work", c_uint64),
        ("every_order", c_bool),
        ("stop", c_void_p),
        ("ctx", c_void_p),
        ("constant_count", c_size_t),
        ("constants", c_void_p),
        ("unknown_count", c_size_t),
        ("unknown", c_void_p),
        ("watch", c_size_t),
        ("watch_index", c_uint64),
        ("out_writer", c_void_p),
    ]


class vta_timing_profile(Structure):
    _fields_ = [
        ("name", c_char * 32),
        ("bus_bits", c_uint32),
        ("len_bits", c_uint32),
        ("delay", c_uint32),
        ("port_overhead", c_uint32),
        ("serial_reads", c_uint32),
        ("outstanding", c_uint32),
        ("queue_depth", c_uint32),
        ("token_limit", c_uint32),
        ("token_stall", c_uint32),
        ("fetch_after", c_uint32),
        ("nop_cost", c_uint32),
        ("finish_cost", c_uint32),
        ("gemm_fill", c_uint32),
        ("gemm_step", c_uint32),
        ("alu_fill", c_uint32),
        ("alu_imm_step", c_uint32),
        ("alu_step", c_uint32),
        ("load_tail_narrow", c_uint32),
        ("load_tail_wide", c_uint32),
        ("store_start", c_uint32),
        ("store_narrow_fill", c_uint32),
        ("store_wide_fill", c_uint32),
        ("pad_serial", c_uint32),
        ("overlapped", c_uint32),
        ("frequency_khz", c_uint32),
    ]


class vta_insn_time(Structure):
    _fields_ = [
        ("ready", c_uint64),
        ("arrived", c_uint64),
        ("start", c_uint64),
        ("end", c_uint64),
        ("wait_prev", c_uint64),
        ("wait_next", c_uint64),
        ("wait_memory", c_uint64),
        ("beats", c_uint32),
        ("token_prev", c_uint32),
        ("token_next", c_uint32),
        ("kind", c_uint8),
        ("unit", c_uint8),
    ]


class vta_timing_summary(Structure):
    _fields_ = [
        ("seconds", c_double),
        ("gemm_utilization", c_double),
        ("bus_utilization", c_double),
        ("bytes_per_cycle", c_double),
        ("macs_per_byte", c_double),
        ("macs_per_cycle", c_double),
        ("peak_macs_per_cycle", c_double),
        ("roof_macs_per_cycle", c_double),
        ("roofline_fraction", c_double),
        ("macs", c_uint64),
        ("bytes", c_uint64),
        ("alu_ops", c_uint64),
        ("alu_utilization", c_double),
        ("of_alu", c_bool),
        ("operations_per_byte", c_double),
        ("operations_per_cycle", c_double),
        ("peak_operations_per_cycle", c_double),
        ("roof_operations_per_cycle", c_double),
    ]


class vta_profile_layer(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("kind", c_char_p),
        ("begin", c_uint64),
        ("end", c_uint64),
        ("compute_cycles", c_uint64),
        ("memory_cycles", c_uint64),
        ("bytes", c_uint64),
        ("seconds", c_double),
        ("inputs", c_void_p),
        ("input_count", c_size_t),
    ]


class vta_sink(Structure):
    _fields_ = [
        ("write", c_void_p),
        ("ctx", c_void_p),
    ]


class vta_runtime_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("device", c_void_p),
        ("max_transfer", c_uint32),
        ("reserve_bytes", c_uint32),
        ("debug", c_uint32),
        ("sink", vta_sink),
        ("max_work", c_uint32),
        ("capture", c_char_p),
    ]


class TVMParallelGroupEnv(Structure):
    _fields_ = [
        ("sync_handle", c_void_p),
        ("num_task", c_int32),
    ]


class vta_signature_arg(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("dtype", DLDataType),
        ("is_tensor", c_bool),
        ("is_output", c_bool),
        ("device_type", c_int32),
        ("ndim", c_int32),
        ("shape", c_void_p),
    ]


class vta_pack_shape(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("n", c_int64),
        ("c", c_int64),
        ("h", c_int64),
        ("w", c_int64),
        ("rows", c_int64),
        ("lanes", c_int64),
        ("element_bytes", c_uint32),
        ("layout", c_int),
    ]


class vta_preprocess(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("resize", c_uint32),
        ("crop", c_uint32),
        ("scale", c_double),
        ("mean", c_double * 3),
        ("std", c_double * 3),
        ("bgr", c_bool),
    ]


class vta_model_tensor(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("type", DLDataType),
        ("ndim", c_int32),
        ("shape", c_void_p),
        ("bytes", c_size_t),
    ]


class vta_model_memory(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("device_bytes", c_uint64),
        ("params_bytes", c_uint64),
        ("stream_bytes", c_uint64),
        ("work_bytes", c_uint64),
        ("host_bytes", c_uint64),
        ("file_bytes", c_uint64),
    ]


class vta_model_step(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("kind", c_char_p),
        ("step", c_uint32),
        ("layer", c_uint32),
        ("insn_count", c_uint32),
    ]


class vta_instance_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("driver", c_char_p),
        ("device", c_void_p),
        ("wait_cycles", c_uint32),
        ("no_host_view", c_bool),
        ("timing", c_void_p),
    ]


class vta_step_profile(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("seconds", c_double),
        ("cycles", c_uint64),
        ("counters", vta_counters),
        ("compute_cycles", c_uint64),
        ("memory_cycles", c_uint64),
        ("bound_cycles", c_uint64),
    ]


class vta_batch_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("instance", vta_instance_options),
        ("threads", c_uint32),
        ("progress", c_void_p),
        ("ctx", c_void_p),
    ]


class vta_rpc_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("key_file", c_char_p),
        ("timeout_ms", c_uint32),
        ("answer_ms", c_uint32),
        ("tracker", c_char_p),
        ("key", c_char_p),
        ("priority", c_uint32),
        ("lease_seconds", c_uint32),
        ("wait_ms", c_uint32),
    ]


class vta_rpc_server_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("host", c_char_p),
        ("port", c_uint32),
        ("key_file", c_char_p),
        ("name", c_char_p),
        ("config", c_char_p),
        ("driver", c_char_p),
        ("bitstreams", c_char_p),
        ("session_program", c_char_p),
        ("user", c_char_p),
        ("most_sessions", c_uint32),
        ("call_seconds", c_uint32),
        ("idle_seconds", c_uint32),
        ("patience_ms", c_uint32),
        ("memory_bytes", c_uint64),
        ("file_bytes", c_uint64),
        ("allow_shutdown", c_bool),
        ("tracker", c_char_p),
        ("public_host", c_char_p),
        ("log", vta_sink),
        ("ready", c_void_p),
        ("ready_ctx", c_void_p),
        ("most_processes", c_uint32),
        ("unprotected", c_bool),
        ("cgroup", c_char_p),
    ]


class vta_rpc_tracker_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("host", c_char_p),
        ("port", c_uint32),
        ("key_file", c_char_p),
        ("lease_seconds", c_uint32),
        ("log", vta_sink),
        ("ready", c_void_p),
        ("ready_ctx", c_void_p),
    ]


class vtac_field(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("type", c_int),
        ("count", c_size_t),
        ("items", c_void_p),
        ("text", c_char_p),
    ]


class te_relation(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("parent", c_void_p),
        ("outer", c_void_p),
        ("inner", c_void_p),
        ("factor", c_void_p),
        ("nparts", c_void_p),
    ]


class te_axis_marks(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("type", c_char_p),
        ("thread", c_void_p),
        ("intrin", c_void_p),
        ("pragma_count", c_size_t),
    ]


class te_buffer_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("scope", c_char_p),
        ("data", c_void_p),
        ("elem_offset", c_void_p),
        ("stride_count", c_size_t),
        ("strides", c_void_p),
        ("offset_factor", c_int64),
    ]


class te_region(Structure):
    _fields_ = [
        ("tensor", c_void_p),
        ("mins", c_void_p),
        ("extents", c_void_p),
    ]


class te_intrin_call(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("intrin", c_void_p),
        ("tag", c_char_p),
        ("axis_count", c_size_t),
        ("axes", c_void_p),
        ("inner_count", c_size_t),
        ("inner", c_void_p),
        ("reduce_axis_count", c_size_t),
        ("reduce_axes", c_void_p),
        ("region_count", c_size_t),
        ("regions", c_void_p),
        ("scalar_count", c_size_t),
        ("scalars", c_void_p),
        ("values", c_void_p),
    ]


class vtac_pass_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("does", c_char_p),
        ("reason", c_char_p),
        ("vta", c_bool),
    ]


class vtac_pass_event(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("index", c_size_t),
        ("name", c_char_p),
        ("changed", c_bool),
        ("skipped", c_bool),
        ("nanoseconds", c_uint64),
        ("text", c_char_p),
    ]


class vtac_lower_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("config", c_void_p),
        ("disabled", c_void_p),
        ("disabled_count", c_size_t),
        ("simple", c_bool),
        ("debug_flag", c_int32),
        ("verify", c_bool),
        ("mock", c_bool),
        ("unroll_max_step", c_int32),
        ("annotate", c_bool),
        ("print", c_bool),
        ("style", c_int),
        ("after", c_void_p),
        ("user", c_void_p),
        ("partition_const_loops", c_bool),
        ("some_outputs", c_bool),
    ]


class vtac_arg(Structure):
    _fields_ = [
        ("tensor", c_void_p),
        ("scalar", c_void_p),
    ]


class vtac_param(Structure):
    _fields_ = [
        ("buffer", c_void_p),
        ("scalar", c_void_p),
    ]


class vtac_build_func(Structure):
    _fields_ = [
        ("func", c_void_p),
        ("name", c_char_p),
        ("device_type", c_int32),
    ]


class vtac_build_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("target", c_char_p),
        ("triple", c_char_p),
        ("cpu", c_char_p),
        ("features", c_char_p),
        ("opt_level", c_int32),
        ("interruptible", c_bool),
        ("trace", c_bool),
        ("allocator", c_void_p),
        ("linker", c_char_p),
    ]


class vtac_check_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("seed", c_uint64),
        ("interpret", c_bool),
        ("allocator", c_void_p),
    ]


class vtac_check_result(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("elements", c_uint64),
        ("different", c_uint64),
        ("arg", c_size_t),
        ("index", c_uint64),
        ("expected", c_char * 32),
        ("got", c_char * 32),
        ("run_seconds", c_double),
        ("reference_seconds", c_double),
        ("interpreted", c_bool),
    ]


class vtac_prove_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("seed", c_uint64),
        ("draws", c_uint32),
        ("tries", c_uint32),
        ("most_work", c_uint64),
        ("allocator", c_void_p),
    ]


class vtac_prove_result(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("verdict", c_int),
        ("reason", c_char * 512),
        ("draws", c_uint32),
        ("elements", c_uint64),
        ("covered", c_uint64),
        ("terms", c_uint64),
        ("degree", c_double),
        ("magnitude_bound", c_double),
        ("log2_error", c_double),
        ("seconds", c_double),
        ("order", c_uint32),
        ("order_seed", c_uint64),
        ("different", c_uint64),
        ("arg", c_size_t),
        ("index", c_uint64),
        ("writer", vta_field_writer),
        ("store_text", c_char * 96),
        ("insn_text", c_char * 96),
        ("has_example", c_bool),
        ("magnitude", c_int32),
        ("example_seed", c_uint64),
        ("example_arg", c_size_t),
        ("example_index", c_uint64),
        ("expected", c_char * 32),
        ("got", c_char * 32),
    ]


class vta_conv(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("batch", c_int64),
        ("in_channels", c_int64),
        ("out_channels", c_int64),
        ("groups", c_int64),
        ("height", c_int64),
        ("width", c_int64),
        ("kernel_h", c_int64),
        ("kernel_w", c_int64),
        ("stride_h", c_int64),
        ("stride_w", c_int64),
        ("dilation_h", c_int64),
        ("dilation_w", c_int64),
        ("pad_top", c_int64),
        ("pad_bottom", c_int64),
        ("pad_left", c_int64),
        ("pad_right", c_int64),
        ("fold", c_int),
    ]


class vta_conv_layout(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("images", c_int64),
        ("in_blocks", c_int64),
        ("out_blocks", c_int64),
        ("height", c_int64),
        ("width", c_int64),
        ("out_height", c_int64),
        ("out_width", c_int64),
        ("kernel_h", c_int64),
        ("kernel_w", c_int64),
        ("group_in", c_int64),
        ("group_out", c_int64),
        ("data_bytes", c_uint64),
        ("weight_bytes", c_uint64),
    ]


class vtac_op_attribute(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("help", c_char_p),
        ("value", c_int64),
        ("least", c_int64),
        ("most", c_int64),
    ]


class vtac_op_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("profile", c_void_p),
        ("tries", c_uint32),
        ("without_database", c_bool),
        ("database", c_char_p),
        ("without_code", c_bool),
    ]


class vtac_op_result(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("macs", c_uint64),
        ("bound", c_uint64),
        ("cycles", c_uint64),
        ("considered", c_uint64),
        ("timed", c_uint32),
        ("refused", c_uint32),
        ("schedule_ms", c_double),
        ("compile_ms", c_double),
        ("origin", c_int),
    ]


class vtac_tune_record(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("line", c_uint32),
        ("target", c_char_p),
        ("task", c_char_p),
        ("workload", c_char_p),
        ("machine", c_char_p),
        ("message", c_char_p),
        ("cycles", c_uint64),
        ("seconds", c_double),
        ("all_seconds", c_double),
        ("timestamp", c_double),
        ("error", c_uint32),
        ("index", c_uint64),
    ]


class vtac_tune_progress(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("trial", c_uint32),
        ("trials", c_uint32),
        ("failed", c_uint32),
        ("cycles", c_uint64),
        ("best", c_uint64),
        ("bound", c_uint64),
        ("seconds", c_double),
    ]


class vtac_tune_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("profile", c_void_p),
        ("trials", c_uint32),
        ("jobs", c_uint32),
        ("early_stop", c_uint32),
        ("seconds", c_double),
        ("trial_seconds", c_double),
        ("seed", c_uint64),
        ("log", c_char_p),
        ("resume", c_bool),
        ("start", c_void_p),
        ("without_database", c_bool),
        ("progress", c_void_p),
        ("user", c_void_p),
    ]


class vtac_tune_result(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("op", vtac_op_result),
        ("untuned", c_uint64),
        ("trials", c_uint32),
        ("failed", c_uint32),
        ("reused", c_uint32),
        ("interrupted", c_bool),
        ("seconds", c_double),
    ]


class vtac_graph_event(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("changed", c_bool),
        ("nanoseconds", c_uint64),
        ("text", c_char_p),
    ]


class vtac_graph_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("batch", c_int64),
        ("shapes", c_void_p),
        ("shape_count", c_size_t),
        ("as_read", c_bool),
        ("after", c_void_p),
        ("user", c_void_p),
    ]


class vtac_graph_pass(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("does", c_char_p),
        ("reason", c_char_p),
    ]


class vtac_graph_tensor(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("type", DLDataType),
        ("ndim", c_int32),
        ("shape", c_void_p),
        ("bytes", c_size_t),
    ]


class vtac_graph_node(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("op", c_char_p),
        ("macs", c_uint64),
        ("output", vtac_graph_tensor),
    ]


class vtac_evaluator_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("keep", c_bool),
    ]


class vtac_quantize_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("method", c_int),
        ("percentile", c_double),
        ("requantize", c_int),
        ("result_bits", c_uint32),
        ("keep_bias", c_bool),
    ]


class vtac_quantized_layer(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("index", c_size_t),
        ("kind", c_char_p),
        ("value", c_char_p),
        ("type", DLDataType),
        ("ndim", c_int32),
        ("shape", c_void_p),
        ("scale", c_double),
        ("data", c_void_p),
    ]


class vtac_quantized_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("after", c_void_p),
        ("user", c_void_p),
    ]


class vtac_section(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("bytes", c_void_p),
        ("size", c_size_t),
    ]


class vtac_compile_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("schedule", c_void_p),
        ("triple", c_char_p),
        ("cpu", c_char_p),
        ("features", c_char_p),
        ("linker", c_char_p),
        ("processor_only", c_bool),
        ("progress", c_void_p),
        ("user", c_void_p),
        ("scheduled", c_void_p),
        ("sections", c_void_p),
        ("section_count", c_size_t),
    ]


class vtac_compiled_layer(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("kind", c_char_p),
        ("place", c_int),
        ("why", c_char_p),
    ]


# name: (library, result, arguments)
FUNCTIONS = {
    "vta_status_text": ("vta", c_char_p, [c_int]),
    "vta_status_meaning": ("vta", c_char_p, [c_int]),
    "vta_status_name": ("vta", c_char_p, [c_int]),
    "vta_version": ("vta", c_char_p, []),
    "vta_build_id": ("vta", c_char_p, []),
    "vta_string_free": ("vta", None, [c_void_p]),
    "vta_diag_create": ("vta", c_void_p, [c_void_p]),
    "vta_diag_destroy": ("vta", None, [c_void_p]),
    "vta_diag_clear": ("vta", None, [c_void_p]),
    "vta_diag_count": ("vta", c_size_t, [c_void_p]),
    "vta_diag_get": ("vta", c_int, [c_void_p, c_size_t, c_void_p]),
    "vta_diag_status": ("vta", c_int, [c_void_p]),
    "vta_diag_text": ("vta", c_char_p, [c_void_p]),
    "vta_diag_details": ("vta", c_char_p, [c_void_p]),
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
    "vta_config_source": ("vta", c_char_p, [c_void_p]),
    "vta_config_timing": ("vta", c_char_p, [c_void_p]),
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
    "vta_insn_encode": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_insn_decode": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_uop_encode": ("vta", c_int, [c_void_p, vta_uop, c_void_p, c_void_p]),
    "vta_uop_decode": ("vta", vta_uop, [c_void_p, c_uint32]),
    "vta_insn_stage": ("vta", c_int, [c_void_p]),
    "vta_disasm": ("vta", c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "vta_asm": ("vta", c_int, [c_void_p, c_char_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_opcode_name": ("vta", c_char_p, [c_int]),
    "vta_alu_opcode_name": ("vta", c_char_p, [c_int]),
    "vta_stage_name": ("vta", c_char_p, [c_int]),
    "vta_token_queue_name": ("vta", c_char_p, [c_int]),
    "vta_device_create": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_device_destroy": ("vta", None, [c_void_p]),
    "vta_device_config": ("vta", c_void_p, [c_void_p]),
    "vta_device_driver": ("vta", c_char_p, [c_void_p]),
    "vta_device_set_options": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_device_idle": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_device_check": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_device_alloc": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "vta_device_alloc_at": ("vta", c_int, [c_void_p, c_uint32, c_size_t, c_void_p]),
    "vta_device_free": ("vta", c_int, [c_void_p, c_uint32, c_void_p]),
    "vta_device_write": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_device_read": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_device_host_ptr": ("vta", c_void_p, [c_void_p, c_uint32, c_size_t]),
    "vta_device_flush": ("vta", c_int, [c_void_p, c_uint32, c_size_t, c_void_p]),
    "vta_device_invalidate": ("vta", c_int, [c_void_p, c_uint32, c_size_t, c_void_p]),
    "vta_device_run": ("vta", c_int, [c_void_p, c_uint32, c_uint32, c_uint32, c_void_p]),
    "vta_device_interrupt": ("vta", None, [c_void_p]),
    "vta_device_program": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_device_counters": ("vta", vta_counters, [c_void_p]),
    "vta_device_clear_counters": ("vta", None, [c_void_p]),
    "vta_device_findings_to_json": ("vta", c_void_p, [c_void_p]),
    "vta_device_peek": ("vta", c_int, [c_void_p, c_int, c_uint32, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_counters_to_json": ("vta", c_void_p, [c_void_p]),
    "vta_target_has_alu": ("vta", c_bool, [c_void_p, c_uint32]),
    "vta_target_fits": ("vta", c_bool, [c_void_p, c_char_p]),
    "vta_board_model": ("vta", c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "vta_program_create": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_program_destroy": ("vta", None, [c_void_p]),
    "vta_program_begin_run": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_uint32, c_void_p]),
    "vta_program_add_segment": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_program_add_after": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_size_t, c_void_p]),
    "vta_program_add_note": ("vta", c_int, [c_void_p, c_uint32, c_char_p, c_void_p]),
    "vta_program_end_run": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_program_drop_run": ("vta", None, [c_void_p]),
    "vta_program_set_insns": ("vta", c_int, [c_void_p, c_uint32, c_void_p, c_uint32, c_void_p]),
    "vta_program_set_stats": ("vta", None, [c_void_p, c_void_p, c_uint32]),
    "vta_program_config": ("vta", c_void_p, [c_void_p]),
    "vta_program_run_count": ("vta", c_uint32, [c_void_p]),
    "vta_program_get_run": ("vta", c_int, [c_void_p, c_uint32, c_void_p]),
    "vta_program_get_segment": ("vta", c_int, [c_void_p, c_uint32, c_uint32, c_void_p]),
    "vta_program_note": ("vta", c_char_p, [c_void_p, c_uint32, c_uint32]),
    "vta_program_get_stats": ("vta", c_uint32, [c_void_p, c_void_p]),
    "vta_program_load": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_program_parse": ("vta", c_int, [c_void_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_program_save": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_program_serialize": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_replay_create": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_replay_destroy": ("vta", None, [c_void_p]),
    "vta_replay_load": ("vta", c_int, [c_void_p, c_uint32, c_void_p]),
    "vta_replay_check": ("vta", c_int, [c_void_p, c_uint32, c_void_p]),
    "vta_program_run": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_field_create": ("vta", c_int, [c_uint64, c_void_p, c_void_p, c_void_p]),
    "vta_field_destroy": ("vta", None, [c_void_p]),
    "vta_field_status": ("vta", c_int, [c_void_p]),
    "vta_field_variable": ("vta", None, [c_void_p, c_uint64, c_uint64]),
    "vta_field_int": ("vta", None, [c_void_p, c_int64]),
    "vta_field_opaque": ("vta", None, [c_void_p, c_uint64, c_size_t, c_void_p]),
    "vta_field_products": ("vta", None, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_int64, c_int64]),
    "vta_field_terms": ("vta", c_uint64, [c_void_p]),
    "vta_field_seen": ("vta", None, [c_void_p, c_double, c_double]),
    "vta_field_degree": ("vta", c_double, [c_void_p]),
    "vta_field_magnitude": ("vta", c_double, [c_void_p]),
    "vta_field_log2_chance": ("vta", c_double, [c_uint64, c_double, c_double]),
    "vta_field_run": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "vta_timing_profile_get": ("vta", c_int, [c_char_p, c_void_p, c_void_p]),
    "vta_timing_profile_for": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_timing_profile_parse": ("vta", c_int, [c_char_p, c_size_t, c_char_p, c_void_p, c_void_p]),
    "vta_timing_profile_set": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_timing_profile_to_json": ("vta", c_void_p, [c_void_p]),
    "vta_timing_profile_name": ("vta", c_char_p, [c_size_t]),
    "vta_timing_profile_text": ("vta", c_char_p, [c_size_t]),
    "vta_timing_run": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_uint32, c_uint64, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_timing_fetch_batch": ("vta", c_uint32, [c_void_p]),
    "vta_timing_add": ("vta", None, [c_void_p, c_void_p]),
    "vta_device_timing": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_runtime_timing": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_timing_summarize": ("vta", vta_timing_summary, [c_void_p, c_void_p, c_void_p]),
    "vta_timing_to_text": ("vta", c_void_p, [c_void_p, c_void_p, c_void_p]),
    "vta_timing_to_json": ("vta", c_void_p, [c_void_p, c_void_p, c_void_p]),
    "vta_unit_name": ("vta", c_char_p, [c_int]),
    "vta_unit_state_name": ("vta", c_char_p, [c_int]),
    "vta_unit_state_text": ("vta", c_char_p, [c_int]),
    "vta_insn_kind_name": ("vta", c_char_p, [c_int]),
    "vta_profile_create": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_profile_destroy": ("vta", None, [c_void_p]),
    "vta_profile_set_source": ("vta", None, [c_void_p, c_void_p, c_void_p]),
    "vta_profile_set_reader": ("vta", None, [c_void_p, c_void_p, c_void_p]),
    "vta_profile_add_segment": ("vta", c_int, [c_void_p, c_uint32, c_uint32, c_char_p, c_void_p]),
    "vta_profile_add_run": ("vta", c_int, [c_void_p, c_void_p, c_size_t, c_uint32, c_void_p]),
    "vta_profile_add_layer": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_profile_timing": ("vta", None, [c_void_p]),
    "vta_profile_run_count": ("vta", c_size_t, [c_void_p]),
    "vta_profile_run": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "vta_profile_text": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_profile_json": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_profile_trace": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_profile_html": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "vta_profile_html_against": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_char_p, c_void_p, c_void_p]),
    "vta_profile_compare": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_char_p, c_void_p, c_void_p]),
    "vta_profile_svg": ("vta", c_int, [c_void_p, c_char_p, c_uint32, c_uint64, c_uint64, c_void_p, c_void_p]),
    "VTABufferAlloc": ("vta", c_void_p, [c_size_t]),
    "VTABufferFree": ("vta", None, [c_void_p]),
    "VTABufferCopy": ("vta", None, [c_void_p, c_size_t, c_void_p, c_size_t, c_size_t, c_int]),
    "VTATLSCommandHandle": ("vta", c_void_p, []),
    "VTARuntimeShutdown": ("vta", None, []),
    "VTABufferCPUPtr": ("vta", c_void_p, [c_void_p, c_void_p]),
    "VTAWriteBarrier": ("vta", None, [c_void_p, c_void_p, c_uint32, c_uint32, c_uint32]),
    "VTAReadBarrier": ("vta", None, [c_void_p, c_void_p, c_uint32, c_uint32, c_uint32]),
    "VTASetDebugMode": ("vta", None, [c_void_p, c_int]),
    "VTALoadBuffer2D": ("vta", None, [c_void_p, c_void_p, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32]),
    "VTAStoreBuffer2D": ("vta", None, [c_void_p, c_uint32, c_uint32, c_void_p, c_uint32, c_uint32, c_uint32, c_uint32]),
    "VTAUopPush": ("vta", None, [c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_uint32, c_int32]),
    "VTAUopLoopBegin": ("vta", None, [c_uint32, c_uint32, c_uint32, c_uint32]),
    "VTAUopLoopEnd": ("vta", None, []),
    "VTAPushGEMMOp": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_int]),
    "VTAPushALUOp": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_int]),
    "VTADepPush": ("vta", c_int, [c_void_p, c_int, c_int]),
    "VTADepPop": ("vta", c_int, [c_void_p, c_int, c_int]),
    "VTASynchronize": ("vta", None, [c_void_p, c_uint32]),
    "vta_last_error": ("vta", c_char_p, [c_void_p]),
    "vta_last_status": ("vta", c_int, [c_void_p]),
    "vta_clear_error": ("vta", None, [c_void_p]),
    "VTAShareUops": ("vta", None, [c_void_p, c_int32]),
    "VTAAnnotate": ("vta", None, [c_void_p, c_char_p, c_uint32, c_int32, c_int32, c_int32, c_int32]),
    "VTADeviceAlloc": ("vta", c_void_p, []),
    "VTADeviceFree": ("vta", None, [c_void_p]),
    "VTAMemAlloc": ("vta", c_void_p, [c_size_t, c_int]),
    "VTAMemFree": ("vta", None, [c_void_p]),
    "VTAMemGetPhyAddr": ("vta", None, [c_void_p]),
    "VTAMemCopyFromHost": ("vta", None, [c_void_p, c_void_p, c_size_t]),
    "VTAMemCopyToHost": ("vta", None, [c_void_p, c_void_p, c_size_t]),
    "VTAProgram": ("vta", None, [c_char_p]),
    "vta_runtime_create": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_runtime_destroy": ("vta", None, [c_void_p]),
    "vta_runtime_use": ("vta", None, [c_void_p]),
    "vta_runtime_current": ("vta", c_void_p, []),
    "vta_runtime_reconfigure": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "vta_runtime_config": ("vta", c_void_p, [c_void_p]),
    "vta_runtime_driver": ("vta", c_char_p, [c_void_p]),
    "vta_runtime_counters": ("vta", vta_counters, [c_void_p]),
    "vta_runtime_clear_counters": ("vta", None, [c_void_p]),
    "vta_runtime_findings_to_json": ("vta", c_void_p, [c_void_p]),
    "vta_counters_to_text": ("vta", c_void_p, [c_void_p]),
    "vta_runtime_set_device_options": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_runtime_program": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "vta_runtime_interrupt": ("vta", None, [c_void_p]),
    "vta_runtime_set_sink": ("vta", None, [c_void_p, vta_sink]),
    "vta_runtime_capture": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_runtime_record": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_runtime_recorded": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_buffer_info": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "TVMAPISetLastError": ("vta", None, [c_char_p]),
    "TVMGetLastError": ("vta", c_char_p, []),
    "TVMBackendGetFuncFromEnv": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "TVMFuncCall": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p]),
    "TVMBackendParallelLaunch": ("vta", c_int, [c_void_p, c_void_p, c_int]),
    "TVMBackendParallelBarrier": ("vta", c_int, [c_int, c_void_p]),
    "TVMBackendAllocWorkspace": ("vta", c_void_p, [c_int, c_int, c_uint64, c_int, c_int]),
    "TVMBackendFreeWorkspace": ("vta", c_int, [c_int, c_int, c_void_p]),
    "vta_module_load": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_module_wrap": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_module_destroy": ("vta", None, [c_void_p]),
    "vta_module_function": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "vta_module_function_names": ("vta", c_char_p, [c_void_p]),
    "vta_module_signature": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_signature_parse": ("vta", c_int, [c_char_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_signature_destroy": ("vta", None, [c_void_p]),
    "vta_signature_name": ("vta", c_char_p, [c_void_p]),
    "vta_signature_computes": ("vta", c_char_p, [c_void_p]),
    "vta_signature_arg_count": ("vta", c_size_t, [c_void_p]),
    "vta_signature_get_arg": ("vta", c_void_p, [c_void_p, c_size_t]),
    "vta_signature_config": ("vta", c_void_p, [c_void_p]),
    "vta_function_call": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p]),
    "vta_function_call_tensors": ("vta", c_int, [c_void_p, c_void_p, c_int, c_void_p]),
    "vta_function_register": ("vta", c_int, [c_char_p, c_void_p, c_void_p]),
    "vta_function_time": ("vta", c_int, [c_void_p, c_void_p, c_int, c_uint32, c_uint32, c_uint32, c_void_p, c_void_p]),
    "vta_host_interrupt": ("vta", None, [c_bool]),
    "vta_array_create": ("vta", c_int, [c_int32, c_int32, c_void_p, DLDataType, c_void_p, c_void_p, c_void_p]),
    "vta_array_borrow": ("vta", c_int, [c_void_p, c_int32, c_void_p, DLDataType, c_void_p, c_void_p, c_void_p]),
    "vta_array_free": ("vta", None, [c_void_p]),
    "vta_array_tensor": ("vta", c_void_p, [c_void_p]),
    "vta_array_bytes": ("vta", c_size_t, [c_void_p]),
    "vta_array_copy": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_tensor_copy": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_array_write": ("vta", c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "vta_array_read": ("vta", c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "vta_array_load_npy": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_array_parse_npy": ("vta", c_int, [c_void_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_tensor_save_npy": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_tensor_bytes": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_pack_bytes": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_pack": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_unpack": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_image_load": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_image_decode": ("vta", c_int, [c_void_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_image_create": ("vta", c_int, [c_uint32, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_image_destroy": ("vta", None, [c_void_p]),
    "vta_image_width": ("vta", c_uint32, [c_void_p]),
    "vta_image_height": ("vta", c_uint32, [c_void_p]),
    "vta_image_pixels": ("vta", c_void_p, [c_void_p]),
    "vta_image_resize": ("vta", c_int, [c_void_p, c_uint32, c_uint32, c_void_p, c_void_p]),
    "vta_preprocess_preset": ("vta", c_int, [c_char_p, c_void_p, c_void_p]),
    "vta_preprocess_preset_name": ("vta", c_char_p, [c_size_t]),
    "vta_preprocess_preset_text": ("vta", c_char_p, [c_size_t]),
    "vta_preprocess_run": ("vta", c_int, [c_void_p, c_void_p, c_uint32, c_uint32, c_uint32, c_int, c_void_p, c_void_p]),
    "vta_model_load": ("vta", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_model_parse": ("vta", c_int, [c_void_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_model_release": ("vta", None, [c_void_p]),
    "vta_model_name": ("vta", c_char_p, [c_void_p]),
    "vta_model_config": ("vta", c_void_p, [c_void_p]),
    "vta_model_triple": ("vta", c_char_p, [c_void_p]),
    "vta_model_input_count": ("vta", c_size_t, [c_void_p]),
    "vta_model_output_count": ("vta", c_size_t, [c_void_p]),
    "vta_model_input": ("vta", c_int, [c_void_p, c_size_t, c_void_p]),
    "vta_model_output": ("vta", c_int, [c_void_p, c_size_t, c_void_p]),
    "vta_model_find_input": ("vta", c_size_t, [c_void_p, c_char_p]),
    "vta_model_find_output": ("vta", c_size_t, [c_void_p, c_char_p]),
    "vta_model_get_memory": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_model_step_count": ("vta", c_size_t, [c_void_p]),
    "vta_model_get_step": ("vta", c_int, [c_void_p, c_size_t, c_void_p]),
    "vta_model_step_inputs": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "vta_model_program": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_model_section": ("vta", c_void_p, [c_void_p, c_char_p, c_void_p]),
    "vta_instance_create": ("vta", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_instance_destroy": ("vta", None, [c_void_p]),
    "vta_instance_model": ("vta", c_void_p, [c_void_p]),
    "vta_instance_device": ("vta", c_void_p, [c_void_p]),
    "vta_instance_set_input": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "vta_instance_run": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_instance_get_output": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "vta_instance_interrupt": ("vta", None, [c_void_p]),
    "vta_instance_profile": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "vta_instance_profile_json": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_model_run_batch": ("vta", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_place": ("vta", c_int, [c_char_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_connect": ("vta", c_int, [c_char_p, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_close": ("vta", None, [c_void_p]),
    "vta_rpc_machine": ("vta", c_char_p, [c_void_p]),
    "vta_rpc_library": ("vta", c_char_p, [c_void_p]),
    "vta_rpc_driver": ("vta", c_char_p, [c_void_p]),
    "vta_rpc_ping": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_rpc_upload": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_size_t, c_void_p]),
    "vta_rpc_download": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_remove": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_rpc_load_module": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_function": ("vta", c_int, [c_void_p, c_uint64, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_call": ("vta", c_int, [c_void_p, c_uint64, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_time": ("vta", c_int, [c_void_p, c_uint64, c_void_p, c_void_p, c_int, c_uint32, c_uint32, c_uint32, c_void_p, c_void_p]),
    "vta_rpc_array": ("vta", c_int, [c_void_p, c_int32, c_int32, c_void_p, DLDataType, c_void_p, c_void_p]),
    "vta_rpc_write": ("vta", c_int, [c_void_p, c_uint64, c_uint64, c_void_p, c_size_t, c_void_p]),
    "vta_rpc_read": ("vta", c_int, [c_void_p, c_uint64, c_uint64, c_void_p, c_size_t, c_void_p]),
    "vta_rpc_copy": ("vta", c_int, [c_void_p, c_uint64, c_uint64, c_void_p]),
    "vta_rpc_free": ("vta", c_int, [c_void_p, c_uint64, c_void_p]),
    "vta_rpc_load_model": ("vta", c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_run_model": ("vta", c_int, [c_void_p, c_uint64, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_profile_model": ("vta", c_int, [c_void_p, c_uint64, c_void_p, c_void_p]),
    "vta_rpc_statistics": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_rpc_clear_statistics": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_rpc_configure": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_rpc_program": ("vta", c_int, [c_void_p, c_char_p, c_void_p]),
    "vta_rpc_sessions": ("vta", c_int, [c_void_p, c_void_p, c_void_p]),
    "vta_rpc_shutdown": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_rpc_serve": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_rpc_session_main": ("vta", c_int, []),
    "vta_rpc_track": ("vta", c_int, [c_void_p, c_void_p]),
    "vta_rpc_tracker_summary": ("vta", c_int, [c_char_p, c_uint32, c_void_p, c_void_p, c_void_p]),
    "vta_rpc_new_key": ("vta", c_int, [c_char_p, c_void_p]),
    "vtac_func_release": ("vtac", None, [c_void_p]),
    "vtac_func_name": ("vtac", c_char_p, [c_void_p]),
    "vtac_func_param_count": ("vtac", c_uint32, [c_void_p]),
    "vtac_func_print": ("vtac", c_int, [c_void_p, c_int, c_void_p, c_void_p]),
    "vtac_func_verify": ("vtac", c_int, [c_void_p, c_void_p]),
    "vtac_func_body": ("vtac", c_void_p, [c_void_p]),
    "vtac_func_param": ("vtac", c_void_p, [c_void_p, c_uint32]),
    "vtac_stmt_kind": ("vtac", c_char_p, [c_void_p]),
    "vtac_stmt_fields": ("vtac", c_size_t, [c_void_p]),
    "vtac_stmt_field": ("vtac", c_int, [c_void_p, c_size_t, c_void_p]),
    "vtac_func_equal": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_context_create": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "te_context_destroy": ("vtac", None, [c_void_p]),
    "te_context_config": ("vtac", c_void_p, [c_void_p]),
    "te_context_diag": ("vtac", c_void_p, [c_void_p]),
    "te_context_status": ("vtac", c_int, [c_void_p]),
    "te_context_at": ("vtac", None, [c_void_p, c_char_p, c_uint32, c_uint32]),
    "te_context_bytes": ("vtac", c_size_t, [c_void_p]),
    "te_context_use": ("vtac", c_int, [c_void_p, c_void_p]),
    "te_context_interrupt": ("vtac", None, [c_void_p, c_bool]),
    "te_constant": ("vtac", c_int, [c_void_p, c_char_p, c_int64]),
    "te_scalar": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p]),
    "te_int": ("vtac", c_void_p, [c_void_p, c_char_p, c_int64]),
    "te_float": ("vtac", c_void_p, [c_void_p, c_char_p, c_double]),
    "te_string": ("vtac", c_void_p, [c_void_p, c_char_p]),
    "te_axis_value": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "te_apply": ("vtac", c_void_p, [c_void_p, c_int, c_size_t, c_void_p]),
    "te_add": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p]),
    "te_sub": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p]),
    "te_mul": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p]),
    "te_cast": ("vtac", c_void_p, [c_void_p, c_char_p, c_void_p]),
    "te_load": ("vtac", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "te_reduce": ("vtac", c_void_p, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
    "te_reduce_from": ("vtac", c_void_p, [c_void_p, c_int, c_void_p, c_void_p, c_size_t, c_void_p]),
    "te_operand": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p]),
    "te_reducer_create": ("vtac", c_void_p, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_reduce_with": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "te_call": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p]),
    "te_parse": ("vtac", c_void_p, [c_void_p, c_char_p]),
    "te_expr_dtype": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_expr_kind": ("vtac", c_char_p, [c_void_p]),
    "te_expr_text": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_expr_int": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_expr_operands": ("vtac", c_size_t, [c_void_p]),
    "te_expr_operand": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_expr_tensor": ("vtac", c_void_p, [c_void_p]),
    "te_expr_axes": ("vtac", c_size_t, [c_void_p]),
    "te_expr_axis": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_expr_float": ("vtac", c_double, [c_void_p]),
    "te_expr_name": ("vtac", c_char_p, [c_void_p]),
    "te_expr_equal": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_bool, c_void_p]),
    "te_simplify": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "te_substitute": ("vtac", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "te_op_name": ("vtac", c_char_p, [c_int]),
    "te_op_text": ("vtac", c_char_p, [c_int]),
    "te_op_operands": ("vtac", c_size_t, [c_int]),
    "te_axis_create": ("vtac", c_void_p, [c_void_p, c_char_p, c_int64]),
    "te_axis_create_expr": ("vtac", c_void_p, [c_void_p, c_char_p, c_void_p]),
    "te_reduce_axis": ("vtac", c_void_p, [c_void_p, c_char_p, c_int64, c_int64]),
    "te_reduce_axis_expr": ("vtac", c_void_p, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "te_thread_axis": ("vtac", c_void_p, [c_void_p, c_char_p]),
    "te_axis_name": ("vtac", c_char_p, [c_void_p]),
    "te_axis_kind_of": ("vtac", c_int, [c_void_p]),
    "te_axis_extent": ("vtac", c_int64, [c_void_p]),
    "te_axis_range": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_axis_text": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_placeholder": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p]),
    "te_placeholder_expr": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p]),
    "te_compute": ("vtac", c_void_p, [c_void_p, c_char_p, c_size_t, c_void_p, c_char_p, c_char_p]),
    "te_define": ("vtac", c_void_p, [c_void_p, c_char_p]),
    "te_compute_axes": ("vtac", c_int, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]),
    "te_scan": ("vtac", c_int, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_tensor_is_scan": ("vtac", c_bool, [c_void_p]),
    "te_scan_body": ("vtac", c_size_t, [c_void_p]),
    "te_scan_body_tensor": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_scan_columns": ("vtac", c_size_t, [c_void_p]),
    "te_scan_column": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_scan_column_apart": ("vtac", c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "te_gradient": ("vtac", c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "te_pad": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p, c_void_p, c_void_p, c_double]),
    "te_relu": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p]),
    "te_clip": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p, c_double, c_double]),
    "te_tensor_name": ("vtac", c_char_p, [c_void_p]),
    "te_tensor_dtype": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_tensor_ndim": ("vtac", c_size_t, [c_void_p]),
    "te_tensor_dim": ("vtac", c_int64, [c_void_p, c_size_t]),
    "te_tensor_dim_expr": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_tensor_is_placeholder": ("vtac", c_bool, [c_void_p]),
    "te_tensor_index": ("vtac", c_size_t, [c_void_p]),
    "te_tensor_outputs": ("vtac", c_size_t, [c_void_p]),
    "te_tensor_output": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_tensor_tag": ("vtac", c_char_p, [c_void_p]),
    "te_tensor_axes": ("vtac", c_size_t, [c_void_p]),
    "te_tensor_axis": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_tensor_reduce_axes": ("vtac", c_size_t, [c_void_p]),
    "te_tensor_reduce_axis": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_tensor_inputs": ("vtac", c_size_t, [c_void_p, c_void_p]),
    "te_tensor_input": ("vtac", c_void_p, [c_void_p, c_void_p, c_size_t]),
    "te_tensor_body": ("vtac", c_void_p, [c_void_p]),
    "te_tensor_text": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_op_of_tensor_text": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_find_tensor": ("vtac", c_void_p, [c_void_p, c_char_p]),
    "te_find_reduce_axis": ("vtac", c_void_p, [c_void_p, c_char_p]),
    "te_prim_func_text": ("vtac", c_char_p, [c_void_p, c_size_t, c_void_p, c_char_p]),
    "te_evaluate": ("vtac", c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "te_evaluate_field": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "te_schedule_create": ("vtac", c_void_p, [c_void_p, c_size_t, c_void_p]),
    "te_schedule_copy": ("vtac", c_void_p, [c_void_p]),
    "te_schedule_stage": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "te_schedule_stages": ("vtac", c_size_t, [c_void_p]),
    "te_schedule_stage_at": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_schedule_context": ("vtac", c_void_p, [c_void_p]),
    "te_stage_tensor": ("vtac", c_void_p, [c_void_p]),
    "te_stage_name": ("vtac", c_char_p, [c_void_p]),
    "te_stage_axis": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_stage_axes": ("vtac", c_size_t, [c_void_p]),
    "te_stage_axis_named": ("vtac", c_void_p, [c_void_p, c_char_p]),
    "te_stage_leaves": ("vtac", c_size_t, [c_void_p]),
    "te_stage_leaf": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_stage_all": ("vtac", c_size_t, [c_void_p]),
    "te_stage_all_axis": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_stage_relations": ("vtac", c_size_t, [c_void_p]),
    "te_stage_relation": ("vtac", c_int, [c_void_p, c_size_t, c_void_p]),
    "te_stage_marks": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_stage_pragma": ("vtac", c_char_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "te_stage_attachment": ("vtac", c_int, [c_void_p]),
    "te_stage_attached_to": ("vtac", c_void_p, [c_void_p]),
    "te_stage_attached_at": ("vtac", c_void_p, [c_void_p]),
    "te_stage_scope": ("vtac", c_char_p, [c_void_p]),
    "te_stage_is_output": ("vtac", c_bool, [c_void_p]),
    "te_stage_text": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_split": ("vtac", c_int, [c_void_p, c_void_p, c_int64, c_void_p, c_void_p]),
    "te_split_nparts": ("vtac", c_int, [c_void_p, c_void_p, c_int64, c_void_p, c_void_p]),
    "te_split_sizes": ("vtac", c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "te_split_expr": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_split_nparts_expr": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_fuse": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "te_reorder": ("vtac", c_int, [c_void_p, c_size_t, c_void_p]),
    "te_tile": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_int64, c_int64, c_void_p]),
    "te_compute_at": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_compute_inline": ("vtac", c_int, [c_void_p]),
    "te_compute_root": ("vtac", c_int, [c_void_p]),
    "te_set_scope": ("vtac", c_int, [c_void_p, c_char_p]),
    "te_pragma": ("vtac", c_int, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "te_bind": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_vectorize": ("vtac", c_int, [c_void_p, c_void_p]),
    "te_parallel": ("vtac", c_int, [c_void_p, c_void_p]),
    "te_unroll": ("vtac", c_int, [c_void_p, c_void_p]),
    "te_storage_align": ("vtac", c_int, [c_void_p, c_void_p, c_int64, c_int64]),
    "te_tensorize": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_cache_read": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p, c_size_t, c_void_p]),
    "te_cache_write": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p]),
    "te_rfactor": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p, c_int64]),
    "te_group_create": ("vtac", c_void_p, [c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_bool]),
    "te_schedule_groups": ("vtac", c_size_t, [c_void_p]),
    "te_schedule_group_at": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_stage_group": ("vtac", c_void_p, [c_void_p]),
    "te_group_around": ("vtac", c_void_p, [c_void_p]),
    "te_group_children": ("vtac", c_size_t, [c_void_p]),
    "te_group_compute_at": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_group_compute_root": ("vtac", c_int, [c_void_p]),
    "te_group_attachment": ("vtac", c_int, [c_void_p]),
    "te_group_attached_to": ("vtac", c_void_p, [c_void_p]),
    "te_group_attached_at": ("vtac", c_void_p, [c_void_p]),
    "te_infer_bounds": ("vtac", c_void_p, [c_void_p]),
    "te_bounds_count": ("vtac", c_size_t, [c_void_p]),
    "te_bounds_axis": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_bounds_range": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_tensorized": ("vtac", c_void_p, [c_void_p]),
    "te_tensorized_axis": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "te_tensorized_input": ("vtac", c_int, [c_void_p, c_size_t, c_size_t, c_void_p, c_void_p]),
    "te_tensorized_body": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_gemm": ("vtac", c_void_p, [c_void_p]),
    "te_intrin_create": ("vtac", c_void_p, [c_void_p, c_char_p, c_void_p]),
    "te_intrin_buffer": ("vtac", c_int, [c_void_p, c_void_p, c_char_p, c_int64]),
    "te_intrin_strides": ("vtac", c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "te_intrin_attr": ("vtac", c_int, [c_void_p, c_int, c_void_p, c_char_p, c_void_p]),
    "te_intrin_access": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p]),
    "te_intrin_emit": ("vtac", c_int, [c_void_p, c_int, c_void_p]),
    "te_variable": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p]),
    "te_ramp": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p, c_uint32]),
    "te_broadcast": ("vtac", c_void_p, [c_void_p, c_void_p, c_uint32]),
    "te_buffer_create": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p, c_void_p]),
    "te_buffer_flat": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "te_buffer_name": ("vtac", c_char_p, [c_void_p]),
    "te_buffer_dtype": ("vtac", c_char_p, [c_void_p, c_void_p]),
    "te_buffer_ndim": ("vtac", c_size_t, [c_void_p]),
    "te_buffer_dim": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_buffer_stride": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "te_buffer_data": ("vtac", c_void_p, [c_void_p]),
    "te_buffer_offset": ("vtac", c_void_p, [c_void_p]),
    "te_buffer_load": ("vtac", c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "te_buffer_access": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "te_buffer_tensor": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "te_call_packed": ("vtac", c_void_p, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p]),
    "te_stmt_evaluate": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "te_stmt_store": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "te_stmt_seq": ("vtac", c_void_p, [c_void_p, c_size_t, c_void_p]),
    "te_stmt_for": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p]),
    "te_stmt_if": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_stmt_let": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_stmt_allocate": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p]),
    "te_stmt_assert": ("vtac", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "te_stmt_attr": ("vtac", c_void_p, [c_void_p, c_void_p, c_char_p, c_void_p, c_void_p]),
    "te_extern": ("vtac", c_int, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "te_tensor_is_extern": ("vtac", c_bool, [c_void_p]),
    "te_tensor_stmt": ("vtac", c_void_p, [c_void_p]),
    "te_compute_intrin": ("vtac", c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "te_intrin_emit_stmt": ("vtac", c_int, [c_void_p, c_int, c_void_p]),
    "te_intrin_bind": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "te_intrin_operand": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "vtac_kernel_parse": ("vtac", c_int, [c_char_p, c_size_t, c_char_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_kernel_load": ("vtac", c_int, [c_char_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_kernel_destroy": ("vtac", None, [c_void_p]),
    "vtac_kernel_name": ("vtac", c_char_p, [c_void_p]),
    "vtac_kernel_context": ("vtac", c_void_p, [c_void_p]),
    "vtac_kernel_schedule": ("vtac", c_void_p, [c_void_p]),
    "vtac_kernel_arg_count": ("vtac", c_size_t, [c_void_p]),
    "vtac_kernel_arg": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "vtac_kernel_arg_is_output": ("vtac", c_bool, [c_void_p, c_size_t]),
    "vtac_kernel_is_scheduled": ("vtac", c_bool, [c_void_p]),
    "vtac_kernel_target": ("vtac", c_char_p, [c_void_p]),
    "vtac_kernel_disabled_passes": ("vtac", c_char_p, [c_void_p]),
    "vtac_pass_count": ("vtac", c_size_t, []),
    "vtac_pass_get": ("vtac", c_int, [c_size_t, c_void_p]),
    "vtac_lower": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_char_p, c_void_p, c_void_p]),
    "vtac_kernel_lower": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "vtac_func_lower": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_func_create": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_char_p, c_void_p, c_void_p]),
    "vtac_emit": ("vtac", c_int, [c_size_t, c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p]),
    "vtac_build": ("vtac", c_int, [c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_module_destroy": ("vtac", None, [c_void_p]),
    "vtac_module_save": ("vtac", c_int, [c_void_p, c_char_p, c_void_p]),
    "vtac_module_object": ("vtac", c_void_p, [c_void_p, c_void_p]),
    "vtac_module_triple": ("vtac", c_char_p, [c_void_p]),
    "vtac_module_function": ("vtac", c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "vtac_trace_begin": ("vtac", c_int, [c_void_p, c_void_p]),
    "vtac_trace_end": ("vtac", None, []),
    "vtac_check": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_int32, c_void_p, c_void_p, c_void_p]),
    "vtac_prove": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_prove_program": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_verdict_name": ("vtac", c_char_p, [c_int]),
    "vta_conv_layout_of": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vta_conv_pack_data": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t]),
    "vta_conv_pack_weight": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t]),
    "vta_conv_pack_weight_transposed": ("vtac", c_int, [c_void_p, c_int64, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_void_p, c_size_t]),
    "vta_conv_pack_bias": ("vtac", c_int, [c_void_p, c_void_p, c_size_t, c_uint32, c_void_p, c_void_p, c_size_t]),
    "vta_conv_bias_most": ("vtac", c_int64, [c_void_p, c_uint32]),
    "vtac_operator_name": ("vtac", c_char_p, [c_size_t]),
    "vtac_operator_text": ("vtac", c_char_p, [c_size_t]),
    "vtac_operator_attribute": ("vtac", c_void_p, [c_size_t, c_size_t]),
    "vtac_epilogue_name": ("vtac", c_char_p, [c_size_t]),
    "vtac_epilogue_form": ("vtac", c_char_p, [c_size_t]),
    "vtac_epilogue_text": ("vtac", c_char_p, [c_size_t]),
    "vtac_narrow_name": ("vtac", c_char_p, [c_size_t]),
    "vtac_narrow_text": ("vtac", c_char_p, [c_size_t]),
    "vtac_op_create": ("vtac", c_int, [c_char_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_op_destroy": ("vtac", None, [c_void_p]),
    "vtac_op_name": ("vtac", c_char_p, [c_void_p]),
    "vtac_op_attributes": ("vtac", c_char_p, [c_void_p]),
    "vtac_op_may_wrap": ("vtac", c_char_p, [c_void_p]),
    "vtac_op_match": ("vtac", c_int, [c_void_p, c_size_t, c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vtac_op_match_kernel": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_op_conv": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "vtac_op_schedule": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_op_text": ("vtac", c_char_p, [c_void_p]),
    "vtac_op_report": ("vtac", c_char_p, [c_void_p]),
    "vtac_op_kernel": ("vtac", c_void_p, [c_void_p]),
    "vtac_op_module": ("vtac", c_void_p, [c_void_p]),
    "vtac_op_check": ("vtac", c_int, [c_void_p, c_int32, c_void_p, c_void_p, c_void_p]),
    "vtac_op_prove": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_tune_log_load": ("vtac", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "vtac_tune_log_parse": ("vtac", c_int, [c_char_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p]),
    "vtac_tune_log_destroy": ("vtac", None, [c_void_p]),
    "vtac_tune_log_count": ("vtac", c_size_t, [c_void_p]),
    "vtac_tune_log_refused": ("vtac", c_size_t, [c_void_p]),
    "vtac_tune_log_get": ("vtac", c_int, [c_void_p, c_size_t, c_void_p]),
    "vtac_tune_log_why_not": ("vtac", c_char_p, [c_void_p, c_size_t, c_void_p, c_void_p, c_size_t]),
    "vtac_tune_log_apply": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_tune_log_best": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "vtac_tune": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_graph_load": ("vtac", c_int, [c_char_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_graph_parse": ("vtac", c_int, [c_void_p, c_size_t, c_char_p, c_char_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_graph_destroy": ("vtac", None, [c_void_p]),
    "vtac_graph_pass_get": ("vtac", c_int, [c_size_t, c_void_p]),
    "vtac_graph_name": ("vtac", c_char_p, [c_void_p]),
    "vtac_graph_input_count": ("vtac", c_size_t, [c_void_p]),
    "vtac_graph_output_count": ("vtac", c_size_t, [c_void_p]),
    "vtac_graph_input": ("vtac", c_int, [c_void_p, c_size_t, c_void_p]),
    "vtac_graph_output": ("vtac", c_int, [c_void_p, c_size_t, c_void_p]),
    "vtac_graph_find_input": ("vtac", c_size_t, [c_void_p, c_char_p]),
    "vtac_graph_find_output": ("vtac", c_size_t, [c_void_p, c_char_p]),
    "vtac_graph_node_count": ("vtac", c_size_t, [c_void_p]),
    "vtac_graph_node_get": ("vtac", c_int, [c_void_p, c_size_t, c_void_p]),
    "vtac_graph_macs": ("vtac", c_uint64, [c_void_p]),
    "vtac_graph_parameters": ("vtac", c_uint64, [c_void_p]),
    "vtac_graph_print": ("vtac", c_void_p, [c_void_p]),
    "vtac_graph_to_json": ("vtac", c_void_p, [c_void_p]),
    "vtac_evaluator_create": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_evaluator_destroy": ("vtac", None, [c_void_p]),
    "vtac_evaluator_run": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "vtac_evaluator_output": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "vtac_evaluator_node": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "vtac_evaluator_peak": ("vtac", c_size_t, [c_void_p]),
    "vtac_calibration_create": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_calibration_destroy": ("vtac", None, [c_void_p]),
    "vtac_calibration_is_given": ("vtac", c_bool, [c_void_p]),
    "vtac_calibration_observe": ("vtac", c_int, [c_void_p, c_void_p, c_void_p]),
    "vtac_quantized_create": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_quantized_destroy": ("vtac", None, [c_void_p]),
    "vtac_quantized_drop_floats": ("vtac", None, [c_void_p, c_void_p]),
    "vtac_quantized_text": ("vtac", c_char_p, [c_void_p]),
    "vtac_quantized_run": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "vtac_compile_report_destroy": ("vtac", None, [c_void_p]),
    "vtac_compile_report_layer_count": ("vtac", c_size_t, [c_void_p]),
    "vtac_compile_report_layer": ("vtac", c_void_p, [c_void_p, c_size_t]),
    "vtac_compile_report_count": ("vtac", c_size_t, [c_void_p, c_int]),
    "vtac_compile_report_text": ("vtac", c_char_p, [c_void_p]),
    "vtac_quantized_compile": ("vtac", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
}
