/* Races of stores with a load through DRAM, which options.check finds: transfers of rows with gaps, over few pages,
 * that no token orders, against the bytes that each touches. */
#include <jansson.h>

#include "device/small_program.h"
#include "support/diag.h"

enum { PROGRAMS = 250, STORES = 10, PAGES = 12, AREA = PAGES * 4096, ELEMENT = 16, MAX_X = 60, MAX_Y = 6 };

static check_random numbers = {5};

static uint32_t pick(uint32_t least, uint32_t most) { return (uint32_t)check_between(&numbers, least, most); }

/* Rows in few pages, or in all of them. */
static vta_insn transfer(vta_opcode opcode, vta_memory memory) {
    uint32_t pages = pick(0, 1) ? 2 : PAGES, elements = pages * 4096 / ELEMENT;
    uint16_t x = (uint16_t)pick(1, MAX_X), y = (uint16_t)pick(1, MAX_Y);
    uint32_t stride = pick(0, (elements - x) / y), rows = (y - 1u) * stride + x;
    vta_insn insn = sp_load(memory, 0, SP_OUT / ELEMENT + pick(0, elements - rows), y, x);
    insn.opcode = (uint8_t)opcode;
    insn.u.mem.x_stride = (uint16_t)stride;
    return insn;
}

static void mark(const vta_insn *insn, bool touched[AREA]) {
    uint32_t at = insn->u.mem.dram_base * ELEMENT - SP_OUT;
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++, at += insn->u.mem.x_stride * ELEMENT)
        memset(touched + at, 1, insn->u.mem.x_size * ELEMENT);
}

/* First and last byte that both touch; false: none. */
static bool meeting(const vta_insn *a, const vta_insn *b, uint32_t *from, uint32_t *to) {
    static bool by_a[AREA], by_b[AREA];
    memset(by_a, 0, sizeof by_a), memset(by_b, 0, sizeof by_b);
    mark(a, by_a), mark(b, by_b);
    *from = AREA;
    for (uint32_t i = 0; i < AREA; i++) {
        if (!by_a[i] || !by_b[i]) continue;
        if (*from == AREA) *from = SP_OUT + i;
        *to = SP_OUT + i;
    }
    return *from != AREA;
}

static json_int_t number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("no number %s", key);
    return json_integer_value(value);
}

/* The race of one store with the load, or none. */
static void check_pair(const json_t *races, const vta_insn *insns, uint32_t load, uint32_t store, int program) {
    uint32_t from, to, first = load < store ? load : store, second = load < store ? store : load;
    const json_t *found = NULL, *race;
    size_t i;
    json_array_foreach(races, i, race) {
        bool dram = !strcmp(json_string_value(json_object_get(race, "kind")), "dram-race");
        if (dram && number(race, "first") == first && number(race, "second") == second) found = race;
    }
    bool meet = meeting(&insns[load], &insns[store], &from, &to);
    if (meet != (found != NULL))
        fail_msg("program %d: instructions %u and %u: %s", program, first, second, meet ? "missed" : "do not meet");
    if (!found) return;
    assert_int_equal(number(found, "from"), from);
    assert_int_equal(number(found, "to"), to);
}

/* The load at any place among the stores; those before it write each byte once at most, so that each is the last one.
 */
static uint32_t make_program(vta_insn insns[STORES + 2], uint32_t *out_load) {
    uint32_t count = 0, load = pick(0, 1) ? 0 : pick(0, STORES), from, to;
    vta_insn reader = transfer(VTA_OP_LOAD, VTA_MEM_INP);
    while (count < STORES + 1) {
        vta_insn insn = count == load ? reader : transfer(VTA_OP_STORE, VTA_MEM_OUT);
        bool again = false;
        for (uint32_t i = 0; i < count && count < load; i++) again |= meeting(&insns[i], &insn, &from, &to);
        if (!again) insns[count++] = insn;
    }
    insns[count++] = sp_finish();
    *out_load = load;
    return count;
}

TEST_CASE(random_rows) {
    vta_config *config = vta_config_default();
    for (int program = 0; program < PROGRAMS; program++) {
        vta_insn insns[STORES + 2];
        uint32_t load, count = make_program(insns, &load);
        vta_device *device;
        must(vta_device_create("sim", config, &(vta_device_options){.check = true}, NULL, diag, &device));
        sp_map(device);
        assert_int_not_equal(sp_run(device, insns, count, NULL), VTA_OK); /* what is stored was never written */
        char *text = vta_device_findings_to_json(device);
        json_t *all = json_loads(text, 0, NULL), *races = json_object_get(all, "races");
        for (uint32_t i = 0; i < STORES + 1; i++)
            if (i != load) check_pair(races, insns, load, i, program);
        json_decref(all);
        vta_string_free(text);
        vta_device_destroy(device);
    }
    vta_config_release(config);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
