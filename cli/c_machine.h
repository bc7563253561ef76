/* Which processor code is made for. */
#ifndef CLI_C_MACHINE_H
#define CLI_C_MACHINE_H

#include "cli.h"

#define CLI_MACHINE_OPTION(list)                                                                                       \
    {"machine", 'm', CLI_LIST, "triple=T, cpu=C, attr=A", "the machine it is for, as in -mtriple=aarch64-linux-gnu",   \
     list}

/* -mtriple=T, -mcpu=C, -mattr=A, as LLVM's tools write them; what is not given stays as it is. */
vta_status cli_machine(const cli_list *machine, const char **triple, const char **cpu, const char **features);

#endif
