#include "results_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef F_OFD_SETLK /* Linux's numbers, where the C library hides them */
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#endif

static vta_status fail(const char *path, const char *what) {
    return cli_fail(errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* ---- Keys ------------------------------------------------------------------------------------------------------- */

static sweep_line *slot_of(const sweep_file *f, const char *key) {
    size_t i = (size_t)strtoull(key + 16, NULL, 16);
    while (f->lines[i & f->key_mask].key[0] && strcmp(f->lines[i & f->key_mask].key, key)) i++;
    return &f->lines[i & f->key_mask];
}

bool sweep_file_has(const sweep_file *f, const char *key) { return f->key_count && slot_of(f, key)->key[0]; }

static vta_status grow(sweep_file *f) {
    sweep_file bigger = *f;
    bigger.key_mask = f->key_mask ? 2 * f->key_mask + 1 : 1023;
    bigger.lines = calloc(bigger.key_mask + 1, sizeof *bigger.lines);
    if (!bigger.lines) return VTA_NO_MEMORY;
    for (size_t i = 0; f->lines && i <= f->key_mask; i++)
        if (f->lines[i].key[0]) *slot_of(&bigger, f->lines[i].key) = f->lines[i];
    free(f->lines);
    *f = bigger;
    return VTA_OK;
}

static vta_status add_line(sweep_file *f, const char *key, off_t at) {
    if (!f->lines || 2 * f->key_count > f->key_mask) {
        vta_status status = grow(f);
        if (status != VTA_OK) return status;
    }
    sweep_line *slot = slot_of(f, key);
    f->key_count += !slot->key[0];
    memcpy(slot->key, key, SWEEP_KEY);
    slot->at = at;
    return VTA_OK;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* Calls `line` with each complete line from *at on; the rest of a line that has no end yet is left for the next time,
 * unless `rest`. */
typedef vta_status on_line(void *user, off_t at, const char *text, size_t size);

static vta_status each_line(int fd, const char *path, off_t *at, bool rest, on_line *line, void *user) {
    size_t capacity = 1 << 16, have = 0;
    char *buffer = malloc(capacity);
    vta_status status = buffer ? VTA_OK : VTA_NO_MEMORY;
    while (status == VTA_OK) {
        if (have == capacity) {
            char *more = realloc(buffer, capacity *= 2);
            if (!more) {
                status = VTA_NO_MEMORY;
                break;
            }
            buffer = more;
        }
        ssize_t n = read(fd, buffer + have, capacity - have);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) status = fail(path, "read");
        if (n <= 0) break;
        have += (size_t)n;
        size_t begin = 0;
        for (char *end; status == VTA_OK && (end = memchr(buffer + begin, '\n', have - begin));) {
            size_t size = (size_t)(end - buffer) - begin;
            status = line(user, *at, buffer + begin, size);
            begin += size + 1;
            *at += (off_t)size + 1;
        }
        memmove(buffer, buffer + begin, have -= begin);
    }
    if (status == VTA_OK && rest && have) status = line(user, *at, buffer, have);
    free(buffer);
    return status;
}

static json_t *parse(const char *text, size_t size) { return json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL); }

/* The key of a line. All that follows it is checked when the line is used, by results_read. */
static vta_status note_key(void *user, off_t at, const char *text, size_t size) {
    sweep_file *f = user;
    json_t *o = parse(text, size);
    const char *key = json_string_value(json_object_get(o, "key"));
    vta_status status = VTA_OK;
    if (key && strlen(key) == SWEEP_KEY - 1)
        status = add_line(f, key, at);
    else
        f->damaged += size > 0;
    json_decref(o);
    return status;
}

vta_status sweep_file_refresh(sweep_file *f) {
    if (lseek(f->fd, f->read, SEEK_SET) < 0) return fail(f->path, "read");
    return each_line(f->fd, f->path, &f->read, false, note_key, f);
}

typedef struct reading {
    result_list *list;
    uint64_t *damaged;
} reading;

static vta_status note_result(void *user, off_t at, const char *text, size_t size) {
    (void)at;
    reading *r = user;
    result found;
    json_t *o = parse(text, size);
    bool good = result_parse(o, &found);
    json_decref(o);
    vta_status status = good ? result_list_add(r->list, &found) : VTA_OK;
    if (!good) *r->damaged += size > 0;
    result_free(&found);
    return status;
}

vta_status results_read(const char *path, result_list *list, uint64_t *damaged) {
    bool standard = !strcmp(path, "-");
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(path, "open");
    reading r = {list, damaged};
    off_t at = 0;
    vta_status status = each_line(fd, path, &at, true, note_result, &r);
    if (!standard) close(fd);
    return status;
}

vta_status sweep_file_get(const sweep_file *f, const char *key, result *out) {
    enum { STEP = 4096 };
    off_t at = slot_of(f, key)->at;
    size_t have = 0;
    char *text = NULL, *end = NULL;
    while (!end) {
        char *more = realloc(text, have + STEP);
        if (more) text = more;
        ssize_t n = more ? pread(f->fd, text + have, STEP, at + (off_t)have) : -1;
        if (n <= 0) {
            vta_status status = !more ? VTA_NO_MEMORY : n < 0 ? fail(f->path, "read") : VTA_OK;
            free(text);
            return n == 0 ? cli_fail(VTA_IO, "%s: was cut while it was read", f->path) : status;
        }
        end = memchr(text + have, '\n', (size_t)n);
        have += (size_t)n;
    }
    json_t *o = parse(text, (size_t)(end - text));
    bool good = result_parse(o, out);
    json_decref(o);
    free(text);
    return good ? VTA_OK : cli_fail(VTA_PARSE, "%s: the line of %s is no result", f->path, key);
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

vta_status sweep_file_open(const char *path, sweep_file *out) {
    *out = (sweep_file){.path = path, .fd = -1, .lock = -1};
    size_t size = strlen(path) + sizeof ".lock";
    char *lock = malloc(size);
    if (!lock) return VTA_NO_MEMORY;
    snprintf(lock, size, "%s.lock", path);
    vta_status status = VTA_OK;
    if ((out->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) < 0) status = fail(path, "open");
    if (status == VTA_OK && (out->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666)) < 0)
        status = fail(lock, "open");
    free(lock);
    return status == VTA_OK ? sweep_file_refresh(out) : status;
}

void sweep_file_close(sweep_file *f) {
    if (f->fd >= 0) close(f->fd);
    if (f->lock >= 0) close(f->lock);
    free(f->lines);
    *f = (sweep_file){.fd = -1, .lock = -1};
}

/* ---- Locks: byte 0 for the file, one of the others for each key ------------------------------------------------- */

static int lock(int fd, int command, short type, off_t at) {
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
    int failed;
    do failed = fcntl(fd, command, &l);
    while (failed && errno == EINTR);
    return failed;
}

static off_t place_of(const char *key) { return (off_t)((strtoull(key + 16, NULL, 16) >> 2) + 1); }

vta_status sweep_file_claim(sweep_file *f, const char *key, bool wait, bool *out_taken) {
    *out_taken = lock(f->lock, wait ? F_OFD_SETLKW : F_OFD_SETLK, F_WRLCK, place_of(key)) == 0;
    if (*out_taken || errno == EAGAIN || errno == EACCES) return VTA_OK;
    return fail(f->path, "lock");
}

void sweep_file_release(sweep_file *f, const char *key) { lock(f->lock, F_OFD_SETLK, F_UNLCK, place_of(key)); }

/* The end of the file, on a line of its own. */
static vta_status find_end(sweep_file *f, off_t *out_end, bool *out_cut) {
    struct stat st;
    char last = '\n';
    *out_end = 0;
    *out_cut = false;
    if (fstat(f->fd, &st) != 0) return fail(f->path, "read");
    if (st.st_size && pread(f->fd, &last, 1, st.st_size - 1) != 1) return fail(f->path, "read");
    *out_end = st.st_size;
    *out_cut = last != '\n';
    return VTA_OK;
}

static vta_status write_line(sweep_file *f, char *text, size_t size, off_t *out_at) {
    off_t end;
    bool cut;
    vta_status status = find_end(f, &end, &cut);
    if (status != VTA_OK) return status;
    size_t skip = cut ? 0 : 1; /* text begins with the end of a line that a crash has cut */
    *out_at = end + cut;
    ssize_t n = write(f->fd, text + skip, size - skip);
    if (n == (ssize_t)(size - skip)) return VTA_OK;
    if (n >= 0) errno = ENOSPC;
    status = fail(f->path, "write");
    if (n > 0 && ftruncate(f->fd, end) != 0) return status; /* the next one who writes ends the line */
    return status;
}

vta_status sweep_file_append(sweep_file *f, const result *r, bool times) {
    json_t *o = result_json(r, times);
    char *line = json_dumps(o, RESULT_JSON);
    json_decref(o);
    size_t size = line ? strlen(line) + 2 : 0;
    char *text = line ? malloc(size + 1) : NULL;
    if (text) snprintf(text, size + 1, "\n%s\n", line);
    free(line);
    if (!text) return VTA_NO_MEMORY;
    off_t at = 0;
    vta_status status =
        lock(f->lock, F_OFD_SETLKW, F_WRLCK, 0) == 0 ? write_line(f, text, size, &at) : fail(f->path, "lock");
    lock(f->lock, F_OFD_SETLK, F_UNLCK, 0);
    free(text);
    return status == VTA_OK ? add_line(f, r->key, at) : status;
}
