/* A program as a kernel file (docs/kernel-files.md). */
#ifndef RANDOM_TEXT_H
#define RANDOM_TEXT_H

#include <stdio.h>

#include "random/program.h"

void program_write(const program *p, FILE *to);
/* The same as a string; free it. */
char *program_text(const program *p);

#endif
