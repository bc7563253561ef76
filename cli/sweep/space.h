/* The machines of a sweep: every combination of the values that some settings take, named by number. */
#ifndef CLI_SWEEP_SPACE_H
#define CLI_SWEEP_SPACE_H

#include "cli.h"

typedef struct sweep_axis {
    char *name;
    char **values;
    size_t count;
} sweep_axis;

/* Zeroed: one machine, without changes. */
typedef struct sweep_space {
    sweep_axis *axes;
    size_t axis_count;
    uint64_t count; /* of machines */
} sweep_space;

/* From "NAME=A,B,..." where each of A, B is a value or a range FIRST:LAST of whole numbers, both included. Free it also
 * after an error, which is in the tool's diagnostics. */
vta_status sweep_space_read(const cli_list *vary, sweep_space *out);
void sweep_space_free(sweep_space *space);

/* The changes of machine `index`, "LOG_BLOCK=5 bus_bits=128"; the first setting moves fastest. free(); NULL: no
 * memory. */
char *sweep_space_label(const sweep_space *space, uint64_t index);

/* Names of keys of the configuration are in upper case, settings of the timing profile are not. */
static inline bool sweep_is_key(const char *name) { return *name >= 'A' && *name <= 'Z'; }

/* A share of something, "2/8": the second of eight. */
typedef struct sweep_shard {
    uint64_t part, of; /* part: from 0 on */
} sweep_shard;
/* NULL: all of it. */
vta_status sweep_shard_read(const char *text, sweep_shard *out);

/* A name for what texts and bytes say together: 128 bits of FNV-1a. Equal input gives equal names on every machine. */
typedef struct sweep_hash {
    unsigned __int128 state;
} sweep_hash;
enum { SWEEP_KEY = 33 };
void sweep_hash_begin(sweep_hash *h);
void sweep_hash_add(sweep_hash *h, const void *bytes, size_t size);
/* A text with its end, so that "ab", "c" is not "a", "bc"; NULL is another text than "". */
void sweep_hash_text(sweep_hash *h, const char *text);
void sweep_hash_end(const sweep_hash *h, char out_key[SWEEP_KEY]);

#endif
