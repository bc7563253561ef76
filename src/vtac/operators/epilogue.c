/* What follows an operator element by element: its steps, and their text "bias,shift:8,relu". */
#include "operators/epilogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

const vt_epilogue_row vt__epilogue_rows[] = {
#define VT_EPILOGUE(name, form, numbers, needed, a, b, least, most, text)                                              \
    {#name, form, text, numbers, needed, {a, b}, least, most},
#include "operators/epilogue.def"
};

static const vt_epilogue_row *const rows = vt__epilogue_rows;

const char *vtac_epilogue_name(size_t index) { return index < VT_EPILOGUES ? rows[index].name : NULL; }
const char *vtac_epilogue_form(size_t index) { return index < VT_EPILOGUES ? rows[index].form : NULL; }
const char *vtac_epilogue_text(size_t index) { return index < VT_EPILOGUES ? rows[index].text : NULL; }

/* Each has a place of its own on the chip. */
static vta_status check_tables(const vtac_op *op, vta_diag *diag) {
    uint32_t depth = vta_config_depth(op->config, VTA_MEM_TABLE);
    if (!depth)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "epilogue: table: the configuration has no tables; LOG_TABLE_BUFF_SIZE, 8 or more, gives it some");
    if (op->tables > depth)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "epilogue: more than %u tables, which is what the table memory holds",
                       depth);
    return VTA_OK;
}

static vta_status add(vtac_op *op, vt_epilogue step, vta_diag *diag) {
    if (op->n_epilogue == VT_EPILOGUE_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "epilogue: more than %d steps", VT_EPILOGUE_MAX);
    if (step.kind == VT_EPILOGUE_multiply && step.number == 0)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "epilogue: multiply:0 makes zeros of any input: nothing would be computed");
    if (step.kind == VT_EPILOGUE_residual_int8 && step.second == 0)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "epilogue: residual_int8:0 adds nothing: leave it out");
    if (step.kind == VT_EPILOGUE_table) VT_TRY(check_tables(op, diag));
    op->epilogue[op->n_epilogue++] = step;
    return VTA_OK;
}

/* How many steps of a kind with an input of their own there are; NULL for others. */
static uint32_t *count_of(vtac_op *op, vt_epilogue_kind kind) {
    switch (kind) {
    case VT_EPILOGUE_bias: return &op->biases;
    case VT_EPILOGUE_residual: return &op->residuals;
    case VT_EPILOGUE_multiply_channel: return &op->factors;
    case VT_EPILOGUE_shift_channel: return &op->amounts;
    case VT_EPILOGUE_bias_int8: return &op->digits;
    case VT_EPILOGUE_residual_int8: return &op->addends;
    case VT_EPILOGUE_table: return &op->tables;
    case VT_EPILOGUE_shift:
    case VT_EPILOGUE_round_shift:
    case VT_EPILOGUE_requantize:
    case VT_EPILOGUE_relu:
    case VT_EPILOGUE_leaky:
    case VT_EPILOGUE_clip:
    case VT_EPILOGUE_add:
    case VT_EPILOGUE_multiply:
    case VT_EPILOGUE_min:
    case VT_EPILOGUE_max:
    case VT_EPILOGUES: break;
    }
    return NULL;
}

static vta_status add_step(vtac_op *op, vt_epilogue_kind kind, const int32_t *number, vta_diag *diag) {
    uint32_t *count = count_of(op, kind);
    if (count) return add(op, (vt_epilogue){kind, (int32_t)(*count)++, number[0]}, diag);
    if (kind == VT_EPILOGUE_relu) return add(op, (vt_epilogue){VT_EPILOGUE_max, 0, 0}, diag);
    if (kind != VT_EPILOGUE_clip) return add(op, (vt_epilogue){kind, number[0], number[1]}, diag);
    VT_TRY(add(op, (vt_epilogue){VT_EPILOGUE_max, number[0], 0}, diag));
    return add(op, (vt_epilogue){VT_EPILOGUE_min, number[1], 0}, diag);
}

/* Numbers that a step has besides the range of its row. */
static vta_status check_numbers(vt_epilogue_kind kind, const int32_t *number, vta_diag *diag) {
    if (kind == VT_EPILOGUE_clip && number[0] > number[1])
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "epilogue: clip: %d is above %d", (int)number[0], (int)number[1]);
    if (kind == VT_EPILOGUE_requantize && number[1] > 31)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "epilogue: requantize:%d:%d: shifts by 1 to 31", (int)number[0],
                       (int)number[1]);
    return VTA_OK;
}

vta_status vt__epilogue_add(vtac_op *op, const vt_op_step *step, vta_diag *diag) {
    const vt_epilogue_row *is = &rows[step->kind];
    int32_t half = INT32_C(1) << (vta_config_width(op->config, VTA_MEM_OUT) - 1);
    int32_t number[2] = {is->value[0], is->value[1]};
    if (step->kind == VT_EPILOGUE_clip) number[0] = -half, number[1] = half - 1;
    if (step->given > (uint32_t)is->numbers || (step->given < (uint32_t)is->numbers && (step->given || is->needed)))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "epilogue: %s with %u numbers", is->form, (unsigned)step->given);
    for (uint32_t i = 0; i < step->given; i++) {
        if (step->number[i] < is->least || step->number[i] > is->most)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "epilogue: %s: %lld is not from %ld to %ld, what there may be",
                           is->form, (long long)step->number[i], (long)is->least, (long)is->most);
        number[i] = (int32_t)step->number[i];
    }
    VT_TRY(check_numbers(step->kind, number, diag));
    return add_step(op, step->kind, number, diag);
}

/* ---- As text ----------------------------------------------------------------------------------------------------- */

static vta_status find(const char *word, size_t size, vta_diag *diag, vt_epilogue_kind *out_kind) {
    const char *names[VT_EPILOGUES];
    char near[VT_SUGGESTION_BYTES], name[64];
    for (size_t i = 0; i < VT_EPILOGUES; i++) {
        names[i] = rows[i].name;
        *out_kind = (vt_epilogue_kind)i;
        if (strlen(names[i]) == size && !strncmp(names[i], word, size)) return VTA_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)size, word);
    return vt_fail(diag, VTA_NOT_FOUND, "epilogue: there is no step \"%s\"%s", name,
                   vt_suggest(near, name, names, VT_EPILOGUES));
}

/* ":N" behind a step's name; *at stands behind it then. */
static vta_status read_number(const vt_epilogue_row *is, const char **at, const char *end, vta_diag *diag,
                              int64_t *out) {
    char *stop, word[32];
    size_t size = 0;
    for (++*at; *at < end && **at != ':' && size < sizeof word - 1; ++*at) word[size++] = **at;
    word[size] = 0;
    *out = strtol(word, &stop, 10);
    if (!size || *stop)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "epilogue: %s: \"%s\" is not an integer", is->form, word);
    return VTA_OK;
}

static vta_status read_step(const char *word, size_t size, vta_diag *diag, vt_op_step *out) {
    const char *end = word + size, *at = memchr(word, ':', size);
    if (!at) at = end;
    *out = (vt_op_step){.given = 0};
    VT_TRY(find(word, (size_t)(at - word), diag, &out->kind));
    const vt_epilogue_row *is = &rows[out->kind];
    for (; at < end && out->given < (uint32_t)is->numbers; out->given++)
        VT_TRY(read_number(is, &at, end, diag, &out->number[out->given]));
    if (at < end || (out->given != (uint32_t)is->numbers && (out->given || is->needed)))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "epilogue: \"%.*s\" is not of the form %s", (int)size, word,
                       is->form);
    return VTA_OK;
}

vta_status vt__epilogue_read(const char *text, size_t size, vta_diag *diag, vt_op_step *out, uint32_t *out_count) {
    const char *end = text + size;
    for (*out_count = 0; text < end; ++*out_count) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t length = (size_t)((comma ? comma : end) - text);
        if (*out_count == VT_EPILOGUE_MAX)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "epilogue: more than %d steps", VT_EPILOGUE_MAX);
        VT_TRY(read_step(text, length, diag, &out[*out_count]));
        text += length + 1;
    }
    return VTA_OK;
}
