#include "random/machine.h"

#include <stdio.h>

/* The most index bits of each memory that instructions and micro-ops have room for together. */
enum { MAX_ACC = 11, MAX_INP = 11, MAX_WGT = 10, MAX_UOP = 13 };

void machine_choose(choices *c, machine *m, program *p) {
    static const int batches[] = {0, 0, 0, 1, 1, 2}, blocks[] = {4, 4, 3, 2, 5}, widths[] = {3, 3, 3, 2, 4};
    m->log_batch = batches[pick(c, 6)];
    m->log_in = m->log_out = blocks[pick(c, 5)];
    if (once_in(c, 6)) m->log_in = blocks[pick(c, 5)];
    m->log_inp = widths[pick(c, 5)];
    m->log_wgt = widths[pick(c, 5)];
    m->log_acc = 5; /* the simulators know no other */
    p->batch = 1 << m->log_batch;
    p->block_in = 1 << m->log_in;
    p->block_out = 1 << m->log_out;
    p->width[ELEM_INP] = 1 << m->log_inp;
    p->width[ELEM_WGT] = 1 << m->log_wgt;
    p->width[ELEM_ACC] = 1 << m->log_acc;
    p->width[ELEM_INT8] = 8;
}

/* Index bits of a buffer: as many as the default has, or just enough and a little more. `elem_bytes` is a logarithm. */
static int depth(choices *c, int elem_bytes, int by_default, int most, int64_t need, program *p) {
    int least = elem_bytes < 2 ? 2 - elem_bytes : 0; /* no buffer has less than 4 bytes */
    while (((int64_t)1 << least) < need) least++;
    if (least > most) p->too_large = true;
    int bits = once_in(c, 4) ? least + (int)pick(c, 3) : by_default;
    if (bits < least) bits = least;
    return bits < most ? bits : most;
}

void machine_finish(choices *c, const machine *m, const footprint *need, program *p) {
    int acc_bytes = m->log_batch + m->log_out + m->log_acc - 3, inp_bytes = m->log_batch + m->log_in + m->log_inp - 3;
    int wgt_bytes = m->log_out + m->log_in + m->log_wgt - 3;
    int acc = depth(c, acc_bytes, 17 - acc_bytes, MAX_ACC, need->acc, p);
    int inp = depth(c, inp_bytes, 15 - inp_bytes, MAX_INP, need->inp, p);
    int wgt = depth(c, wgt_bytes, 18 - wgt_bytes, MAX_WGT, need->wgt, p), uop = once_in(c, 8) ? 7 : MAX_UOP;
    const struct {
        const char *name;
        int value, by_default;
    } fields[] = {{"LOG_BATCH", m->log_batch, 0},
                  {"LOG_BLOCK_IN", m->log_in, 4},
                  {"LOG_BLOCK_OUT", m->log_out, 4},
                  {"LOG_INP_WIDTH", m->log_inp, 3},
                  {"LOG_WGT_WIDTH", m->log_wgt, 3},
                  {"LOG_ACC_WIDTH", m->log_acc, 5},
                  {"LOG_UOP_BUFF_SIZE", uop + 2, 15},
                  {"LOG_INP_BUFF_SIZE", inp + inp_bytes, 15},
                  {"LOG_WGT_BUFF_SIZE", wgt + wgt_bytes, 18},
                  {"LOG_ACC_BUFF_SIZE", acc + acc_bytes, 17}};
    int n = 0;
    p->config[0] = 0;
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].value != fields[i].by_default)
            n += snprintf(p->config + n, sizeof p->config - (size_t)n, "%s%s=%d", n ? " " : "", fields[i].name,
                          fields[i].value);
}
