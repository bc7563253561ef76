/* vta ops: the operators, with their attributes and what may follow them. */
#include <string.h>

#include "cli.h"
#include "vta/ops.h"

static json_t *attribute_json(const vtac_op_attribute *a) {
    json_t *j = json_pack("{s:s, s:s, s:I, s:I}", "name", a->name, "help", a->help, "least", (json_int_t)a->least,
                          "most", (json_int_t)a->most);
    if (a->value >= a->least) json_object_set_new(j, "default", json_integer(a->value));
    return j;
}

/* Is an operator among the names given? All are where there are none. */
static bool is_wanted(const char *operator, char ** names, int count) {
    bool found = !count;
    for (int i = 0; i < count; i++) found = found || !strcmp(names[i], operator);
    return found;
}

static json_t *operators_json(char **names, int count) {
    json_t *all = json_array();
    const char *name;
    for (size_t op = 0; (name = vtac_operator_name(op)); op++) {
        if (!is_wanted(name, names, count)) continue;
        json_t *attributes = json_array();
        const vtac_op_attribute *a;
        for (size_t i = 0; (a = vtac_operator_attribute(op, i)); i++)
            json_array_append_new(attributes, attribute_json(a));
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:o}", "name", name, "help", vtac_operator_text(op), "attributes", attributes));
    }
    return all;
}

static json_t *epilogues_json(void) {
    json_t *all = json_array();
    for (size_t i = 0; vtac_epilogue_name(i); i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "name", vtac_epilogue_name(i), "form",
                                             vtac_epilogue_form(i), "help", vtac_epilogue_text(i)));
    return all;
}

static json_t *narrows_json(void) {
    json_t *all = json_array();
    for (size_t i = 0; vtac_narrow_name(i); i++)
        json_array_append_new(all, json_pack("{s:s, s:s}", "name", vtac_narrow_name(i), "help", vtac_narrow_text(i)));
    return all;
}

static void print_operator(size_t op) {
    const vtac_op_attribute *a;
    printf("%s: %s\n", vtac_operator_name(op), vtac_operator_text(op));
    for (size_t i = 0; (a = vtac_operator_attribute(op, i)); i++) {
        char value[32] = "required";
        if (a->value >= a->least) snprintf(value, sizeof value, "%lld", (long long)a->value);
        printf("  %-14s %-9s %s\n", a->name, value, a->help);
    }
    printf("  %-14s %-9s %s\n", "narrow", vtac_narrow_name(0),
           "how the result becomes one of the output type, from the list below");
    printf("  %-14s %-9s %s\n\n", "epilogue", "none", "what follows, from the list below, with commas between");
}

/* Are all of them names of operators? The first that is none is refused. */
static bool are_operators(char **names, int count) {
    const char *all[128];
    size_t n = 0;
    while (n < sizeof all / sizeof *all && vtac_operator_name(n)) all[n] = vtac_operator_name(n), n++;
    for (int i = 0; i < count; i++) {
        size_t op = 0;
        while (op < n && strcmp(all[op], names[i])) op++;
        if (op < n) continue;
        cli_unknown("vta ops", names[i], "operator", all, n, "vta ops lists them");
        return false;
    }
    return true;
}

int cmd_ops(const cli_command *self, int argc, char **argv) {
    static cli_common common;
    const cli_option options[] = {CLI_JSON_OPTION(&common), {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (!are_operators(argv, argc)) return cli_finish(VTA_NOT_FOUND);
    if (common.json) {
        cli_print_json(json_pack("{s:o, s:o, s:o}", "operators", operators_json(argv, argc), "epilogue",
                                 epilogues_json(), "narrow", narrows_json()));
        return cli_finish(VTA_OK);
    }
    for (size_t op = 0; vtac_operator_name(op); op++)
        if (is_wanted(vtac_operator_name(op), argv, argc)) print_operator(op);
    printf("epilogue: element by element, on accumulators of 32 bits, in the given order\n");
    for (size_t i = 0; vtac_epilogue_name(i); i++) printf("  %-24s %s\n", vtac_epilogue_form(i), vtac_epilogue_text(i));
    printf("\nnarrow: the result, from 32 bits to the output type\n");
    for (size_t i = 0; vtac_narrow_name(i); i++) printf("  %-24s %s\n", vtac_narrow_name(i), vtac_narrow_text(i));
    return cli_finish(VTA_OK);
}
