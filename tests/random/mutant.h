/* A recorded program of one run with a fault put into it: what `vta prove` must not call proven unless it is right. */
#ifndef RANDOM_MUTANT_H
#define RANDOM_MUTANT_H

#include "vta/isa.h"
#include "vta/program.h"

typedef enum mutation {
    MUTATION_EXCHANGE, /* two neighbouring instructions */
    MUTATION_MOVE,     /* an instruction comes some places later */
    MUTATION_DROP,     /* an instruction is left out */
    MUTATION_FLAG,     /* a dependence flag is set or taken away */
    MUTATION_PASS,     /* a dependence flag goes to a neighbouring instruction */
    MUTATION_BIT,      /* a bit of an instruction */
    MUTATION_UOP,      /* a bit of a micro-op */
    MUTATION_COUNT
} mutation;

extern const char *const mutation_names[MUTATION_COUNT];

typedef struct mutant {
    mutation kind;
    uint32_t at; /* the instruction that was changed */
    uint32_t n;
    uint8_t *insns;
    uint32_t uop_addr; /* the segment whose byte is changed; 0: none */
    size_t uop_byte;
    uint8_t uop_mask;
} mutant;

/* Free its `insns`. */
mutant mutant_make(const vta_program *of, mutation kind, uint64_t seed);
/* The program with instructions order[0], order[1], ... of the mutant; order NULL: as they stand. Destroy it. */
vta_program *mutant_program(const vta_program *of, const mutant *m, const uint32_t *order, uint32_t n);

#endif
