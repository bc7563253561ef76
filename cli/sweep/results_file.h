/* A file of results: one JSON object a line, appended as they come, by any number of processes at once.
 *
 * Each result has a key. Who computes one holds a lock of that key in FILE.lock, which the kernel takes back when the
 * process ends in whatever way; who finds the key in the file, or its lock taken, does not compute it. A line is
 * appended in one write under a lock of the file. A line that was cut by a crash is passed over, and computed again.
 * Locks are those of open file descriptions: on network file systems they hold where the server supports them. */
#ifndef CLI_SWEEP_RESULTS_FILE_H
#define CLI_SWEEP_RESULTS_FILE_H

#include <sys/types.h>

#include "result.h"

/* Where the line of a key begins. */
typedef struct sweep_line {
    char key[SWEEP_KEY];
    off_t at;
} sweep_line;

typedef struct sweep_file {
    const char *path;
    int fd, lock;
    off_t read;        /* lines up to here have been seen */
    sweep_line *lines; /* a hash table with open addresses; key "": free */
    size_t key_count, key_mask;
    uint64_t damaged; /* lines that are no results */
} sweep_file;

/* Opens or creates it, and reads the keys that are there. Close it also after an error. */
vta_status sweep_file_open(const char *path, sweep_file *out);
void sweep_file_close(sweep_file *f);
/* Reads the lines that have come since. */
vta_status sweep_file_refresh(sweep_file *f);
bool sweep_file_has(const sweep_file *f, const char *key);
/* Reads the result of a key that the file has; free it. */
vta_status sweep_file_get(const sweep_file *f, const char *key, result *out);
/* Takes the lock of a key: *out_taken false: another process has it; `wait` until it has not. */
vta_status sweep_file_claim(sweep_file *f, const char *key, bool wait, bool *out_taken);
void sweep_file_release(sweep_file *f, const char *key);
/* Appends a result completely, or changes nothing. */
vta_status sweep_file_append(sweep_file *f, const result *r, bool times);

/* Adds all results of a file ("-": standard input) to a list; lines that are none are counted. */
vta_status results_read(const char *path, result_list *list, uint64_t *damaged);

#endif
