/* Inputs for kernels that are run without any: random contents, the same for the same seed on every machine; and what
 * stands for outputs in a line of text. */
#ifndef CLI_SAMPLE_H
#define CLI_SAMPLE_H

#include "vta/module.h"

typedef struct cli_sample {
    uint64_t state;
} cli_sample;

cli_sample cli_sample_begin(uint64_t seed);
/* Integers over their whole range, floats between -1 and 1. */
void cli_sample_fill(cli_sample *sample, DLDataType type, uint8_t *bytes, size_t size);
uint64_t cli_checksum(const uint8_t *bytes, size_t size);

#endif
