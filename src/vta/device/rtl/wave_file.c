#include "device/rtl/wave_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of the header: bytes, and where its numbers are, big-endian. */
enum { HEADER = 330, END_TIME = 17, SIGNALS = 49, BLOCKS = 65, NUMBER = 8 };

typedef struct block {
    uint8_t kind;
    uint64_t at, size; /* with the kind */
} block;

static bool read_at(FILE *f, uint64_t at, void *to, size_t size) {
    return fseeko(f, (off_t)at, SEEK_SET) == 0 && fread(to, 1, size, f) == size;
}

static bool write_at(FILE *f, uint64_t at, const void *from, size_t size) {
    return fseeko(f, (off_t)at, SEEK_SET) == 0 && fwrite(from, 1, size, f) == size;
}

static bool read_number(FILE *f, uint64_t at, uint64_t *out) {
    uint8_t bytes[NUMBER];
    if (!read_at(f, at, bytes, sizeof bytes)) return false;
    *out = 0;
    for (int i = 0; i < NUMBER; i++) *out = *out << 8 | bytes[i];
    return true;
}

static bool write_number(FILE *f, uint64_t at, uint64_t number) {
    uint8_t bytes[NUMBER];
    for (int i = 0; i < NUMBER; i++) bytes[i] = (uint8_t)(number >> 8 * (NUMBER - 1 - i));
    return write_at(f, at, bytes, sizeof bytes);
}

uint64_t vt_wave_file_signals(const char *path) {
    uint64_t count;
    FILE *f = fopen(path, "rb");
    bool known = f && read_number(f, SIGNALS, &count);
    if (f) fclose(f);
    return known ? count : 0;
}

/* The block at `at`; false at the end. */
static bool get_block(FILE *f, uint64_t at, block *out) {
    uint64_t length;
    if (!read_at(f, at, &out->kind, 1) || !read_number(f, at + 1, &length)) return false;
    out->at = at;
    out->size = length + 1;
    return length >= NUMBER;
}

/* Changes of values, in one of three forms. */
static bool is_changes(const block *b) { return b->kind == 1 || b->kind == 5 || b->kind == 8; }

/* The last block of changes, the one before it (size 0: there is none), and the end of the file. */
static void find_last(FILE *f, block *last, block *before, uint64_t *end) {
    block b;
    *last = *before = (block){0};
    for (*end = 0; get_block(f, *end, &b); *end += b.size) {
        if (!is_changes(&b)) continue;
        *before = *last;
        *last = b;
    }
}

/* Takes it out: what is behind it moves up. */
static bool take_out(FILE *f, const block *b, uint64_t end) {
    uint8_t bytes[4096];
    uint64_t to = b->at;
    for (uint64_t from = b->at + b->size; from < end;) {
        size_t n = end - from < sizeof bytes ? (size_t)(end - from) : sizeof bytes;
        if (!read_at(f, from, bytes, n) || !write_at(f, to, bytes, n)) return false;
        from += n;
        to += n;
    }
    return fflush(f) == 0 && ftruncate(fileno(f), (off_t)to) == 0;
}

static bool cut_one(FILE *f, const block *last, const block *before, uint64_t end, uint64_t count) {
    uint64_t time = 0;
    if (before->size && !read_number(f, before->at + 1 + 2 * NUMBER, &time)) return false;
    return take_out(f, last, end) && write_number(f, END_TIME, time) && write_number(f, BLOCKS, count);
}

int64_t vt_wave_file_cut(const char *path, uint64_t bytes) {
    uint64_t count = 0, end = 0;
    block last, before;
    FILE *f = fopen(path, "r+b");
    bool good = f && read_number(f, BLOCKS, &count);
    if (good) find_last(f, &last, &before, &end);
    good = good && end >= HEADER;
    while (good && end > bytes && last.size) {
        good = cut_one(f, &last, &before, end, --count);
        if (good) find_last(f, &last, &before, &end);
    }
    if (f && fclose(f)) good = false;
    return !good ? -1 : last.size ? (int64_t)count : 0;
}
