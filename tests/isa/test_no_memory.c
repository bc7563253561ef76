/* Text of instructions, both ways, when memory runs out at any allocation. */
#include "support/no_memory.h"
#include "vta/isa.h"

static const char source[] = "LOAD memory_type=inp x_size=4 y_size=1 x_stride=4 push_next_dep\n"
                             "GEMM uop_end=1 iter_out=1 iter_in=1 pop_prev_dep\n"
                             "FINISH\n";

static vta_status assemble(void) {
    vta_config *config = vta_config_default();
    if (!config) return VTA_NO_MEMORY;
    uint8_t *bytes = NULL;
    size_t count = 0;
    vta_status status = vta_asm(config, source, strlen(source), "a.s", NULL, &bytes, &count);
    if (status == VTA_OK) assert_int_equal(count, 3);
    vta_string_free(bytes);
    vta_config_release(config);
    return status;
}

static vta_status disassemble(void) {
    vta_config *config = vta_config_default();
    if (!config) return VTA_NO_MEMORY;
    uint8_t bytes[40 * VTA_INSN_BYTES] = {0};
    char *text = NULL;
    vta_status status = vta_disasm(config, bytes, 40, NULL, &text);
    if (status != VTA_OK) assert_null(text);
    vta_string_free(text);
    vta_config_release(config);
    return status;
}

TEST_CASE(both_ways) {
    check_every_allocation(assemble);
    check_every_allocation(disassemble);
}

int main(void) { return run_cases(); }
