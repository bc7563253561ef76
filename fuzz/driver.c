/* Runs a fuzz body without libFuzzer: on the files named on the command line, or on seeded inputs, so that every test
 * run exercises it. Inputs are the corpus files of fuzz/corpus/NAME, mutated, and plain noise. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef FUZZ_ROUNDS
#define FUZZ_ROUNDS 3000
#endif
enum { MAX_BYTES = 1 << 16, MAX_CORPUS = 256 };

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t next(void) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545f4914f6cdd1du) >> 32);
}

static size_t read_file(const char *path, uint8_t *to, size_t cap) {
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    size_t n = fread(to, 1, cap, f);
    fclose(f);
    return n;
}

static size_t mutate(uint8_t *data, size_t size) {
    for (uint32_t edits = next() % 8 + 1; edits; edits--) {
        size_t at = size ? next() % size : 0;
        switch (next() % 4) {
        case 0:
            if (size) data[at] = (uint8_t)next();
            break;
        case 1:
            if (size) data[at] ^= (uint8_t)(1u << next() % 8);
            break;
        case 2:
            if (size) size = at;
            break;
        default:
            if (size < MAX_BYTES) {
                memmove(data + at + 1, data + at, size - at);
                data[at] = (uint8_t)next();
                size++;
            }
        }
    }
    return size;
}

/* Calls with a block of exactly `size` bytes, so that a sanitizer sees the first byte read beyond it. */
static void run(const uint8_t *data, size_t size) {
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) return;
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int corpus_of(const char *program, char paths[MAX_CORPUS][512]) {
    const char *name = strrchr(program, '/');
    char folder[256];
    snprintf(folder, sizeof folder, "fuzz/corpus/%s", name ? name + 1 : program);
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *e; dir && n < MAX_CORPUS && (e = readdir(dir));)
        if (e->d_name[0] != '.') snprintf(paths[n++], 512, "%s/%s", folder, e->d_name);
    if (dir) closedir(dir);
    return n;
}

int main(int argc, char **argv) {
    static uint8_t data[MAX_BYTES + 16];
    static char paths[MAX_CORPUS][512];
    if (argc > 1) {
        for (int i = 1; i < argc; i++) run(data, read_file(argv[i], data, MAX_BYTES));
        return 0;
    }
    int corpus = corpus_of(argv[0], paths);
    for (int i = 0; i < corpus; i++) run(data, read_file(paths[i], data, MAX_BYTES));
    for (int round = 0; round < FUZZ_ROUNDS; round++) {
        size_t size = 0;
        if (corpus && round % 4) {
            size = mutate(data, read_file(paths[next() % (uint32_t)corpus], data, MAX_BYTES));
        } else {
            size = next() % 512;
            for (size_t i = 0; i < size; i++) data[i] = (uint8_t)next();
        }
        run(data, size);
    }
    printf("%d corpus files, %d rounds\n", corpus, FUZZ_ROUNDS);
    return 0;
}
