/* The instruction set: decoded instructions and micro-ops, encode, decode, text in and out (docs/spec.md, sections 3 to
 * 5).
 *
 * A decoded instruction holds every field at full width; encoding refuses a value that its field cannot hold for the
 * given configuration. The text of an instruction says everything, and vta_asm reads it back: round trips are exact. */
#ifndef VTA_ISA_H
#define VTA_ISA_H

#include "vta/config.h"

VTA_BEGIN

enum { VTA_INSN_BYTES = 16, VTA_UOP_BYTES = 4, VTA_TABLE_ENTRIES = 256 };

/* The operations are listed, with their meaning, in vta/opcode.def; the fields in vta/insn.def. */
typedef enum vta_opcode {
#define VTA_OPCODE(name, number, format, meaning) VTA_OP_##name = number,
#define VTA_ALU_OPCODE(name, number, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    VTA_OP_COUNT
} vta_opcode;

typedef enum vta_alu_opcode {
#define VTA_OPCODE(name, number, format, meaning)
#define VTA_ALU_OPCODE(name, number, formula, field, lane) VTA_ALU_##name = number,
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    VTA_ALU_COUNT
} vta_alu_opcode;

/* The pipeline stages, numbered as in VTADepPush. */
typedef enum vta_stage { VTA_STAGE_LOAD = 1, VTA_STAGE_COMPUTE = 2, VTA_STAGE_STORE = 3 } vta_stage;

/* The token queues between stages: VTA_TOKEN_LOAD_COMPUTE and so on (vta/token.def). */
typedef enum vta_token_queue {
#define VTA_TOKEN(from, to, number, name, letters) VTA_TOKEN_##from##_##to = number,
#include "vta/token.def"
#undef VTA_TOKEN
    VTA_TOKEN_QUEUES = 0
#define VTA_TOKEN(from, to, number, name, letters) +1
#include "vta/token.def"
#undef VTA_TOKEN
} vta_token_queue;

/* A decoded instruction. Which of the groups counts is decided by the opcode: LOAD and STORE `mem`, GEMM and ALU
 * `exec`, FINISH neither. */
typedef struct vta_insn {
    uint8_t opcode; /* vta_opcode */
    uint8_t pop_prev_dep, pop_next_dep, push_prev_dep, push_next_dep;
    union {
        struct {
            uint8_t memory_type; /* vta_memory */
            uint8_t y_pad_0, y_pad_1, x_pad_0, x_pad_1;
            uint16_t y_size, x_size, x_stride;
            uint32_t sram_base, dram_base;
        } mem;
        struct {
            uint8_t reset_reg;
            uint8_t alu_opcode; /* vta_alu_opcode; ALU only */
            uint8_t use_imm;    /* ALU only */
            int16_t imm;        /* ALU only */
            uint16_t iter_out, iter_in;
            uint32_t uop_bgn, uop_end;
            uint32_t dst_factor_out, dst_factor_in;
            uint32_t src_factor_out, src_factor_in;
            uint32_t wgt_factor_out, wgt_factor_in; /* GEMM only */
        } exec;
    } u;
} vta_insn;

/* A decoded micro-op: indices into acc (dst), inp for GEMM and acc for ALU (src), and wgt. */
typedef struct vta_uop {
    uint32_t dst, src, wgt;
} vta_uop;

/* Writes the 16 bytes. VTA_OUT_OF_RANGE names the field, its value and its width. */
VTA_API vta_status vta_insn_encode(const vta_config *config, const vta_insn *insn, vta_diag *diag,
                                   uint8_t out_bytes[VTA_INSN_BYTES]);
/* Reads 16 bytes. VTA_PARSE for an opcode that does not exist. Bits that belong to no field are ignored. */
VTA_API vta_status vta_insn_decode(const vta_config *config, const uint8_t bytes[VTA_INSN_BYTES], vta_diag *diag,
                                   vta_insn *out_insn);
VTA_API vta_status vta_uop_encode(const vta_config *config, vta_uop uop, vta_diag *diag, uint32_t *out_word);
VTA_API vta_uop vta_uop_decode(const vta_config *config, uint32_t word);

/* The stage that runs an instruction (docs/spec.md, section 5); 0 for a combination that no stage takes. */
VTA_API vta_stage vta_insn_stage(const vta_insn *insn);

/* Disassembles `count` instructions at `bytes` (a multiple of 16 bytes): one line each with all fields, tokens, and
 * the running depth of the four token queues as a comment. A damaged instruction becomes a line of its own that the
 * assembler reads back too. Free with vta_string_free. */
VTA_API vta_status vta_disasm(const vta_config *config, const uint8_t *bytes, size_t count, vta_diag *diag,
                              char **out_text);
/* Reads that text. VTA_PARSE with line and column. *out_bytes holds *out_count x 16 bytes; free with
 * vta_string_free. */
VTA_API vta_status vta_asm(const vta_config *config, const char *text, size_t size, const char *name, vta_diag *diag,
                           uint8_t **out_bytes, size_t *out_count);

/* "LOAD", "MIN", "load"; NULL past the last. Static storage. */
VTA_API const char *vta_opcode_name(vta_opcode opcode);
VTA_API const char *vta_alu_opcode_name(vta_alu_opcode opcode);
VTA_API const char *vta_stage_name(vta_stage stage);
/* "load->compute"; NULL past the last. Static storage. */
VTA_API const char *vta_token_queue_name(vta_token_queue queue);

VTA_END

#endif
