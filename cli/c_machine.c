#include "c_machine.h"

#include <string.h>

vta_status cli_machine(const cli_list *machine, const char **triple, const char **cpu, const char **features) {
    for (int i = 0; i < machine->count; i++) {
        const char *m = machine->item[i];
        if (!strncmp(m, "triple=", 7))
            *triple = m + 7;
        else if (!strncmp(m, "cpu=", 4))
            *cpu = m + 4;
        else if (!strncmp(m, "attr=", 5))
            *features = m + 5;
        else
            return cli_fail(VTA_INVALID_ARGUMENT, "-m%s: there are -mtriple=, -mcpu= and -mattr=", m);
    }
    return VTA_OK;
}
