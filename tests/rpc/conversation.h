/* The recorded conversation of a client of TVM (vector add), ready to be said again: an object of our own in the place
 * of the recorded one, and the server's numbers in the place of those of then. */
#ifndef TESTS_RPC_CONVERSATION_H
#define TESTS_RPC_CONVERSATION_H

#include "golden/json.h"
#include "rpc/raw.h"

enum { CONVERSATION_MAX = 128, HANDLES_MAX = 64 };

typedef struct message {
    bool from_client;
    size_t size;
    uint8_t *bytes;
} message;

typedef struct conversation {
    int count;
    message at[CONVERSATION_MAX];
    int handles;
    uint64_t was[HANDLES_MAX], is[HANDLES_MAX]; /* numbers of modules, functions and arrays */
} conversation;

/* The upload: packet length, code, function, count and types of arguments, "vadd.o", then the object and its size. */
enum { UPLOAD_SIZE_AT = 46, UPLOAD_BYTES_AT = 54 };

static inline void put_object(message *m) {
    size_t size;
    const char *object = kernels_object(&size);
    m->bytes = realloc(m->bytes, UPLOAD_BYTES_AT + size);
    m->size = UPLOAD_BYTES_AT + size;
    memcpy(m->bytes + UPLOAD_BYTES_AT, object, size);
    raw_put(m->bytes + UPLOAD_SIZE_AT, size, 8);
    raw_put(m->bytes, m->size - 8, 8);
}

static inline void read_message(message *m, const json_t *line) {
    const char *hex = json_string_value(json_object_get(line, "hex"));
    m->from_client = !strcmp(json_string_value(json_object_get(line, "dir")), "client");
    m->size = strlen(hex) / 2;
    m->bytes = calloc(1, m->size + 1);
    for (size_t i = 0; i < m->size; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        m->bytes[i] = (uint8_t)byte;
    }
    if (json_object_get(line, "note")) put_object(m);
}

/* Skips the test where there is no recording. */
static inline void conversation_read(conversation *c) {
    char *text = golden_read("rpc/vadd.jsonl"), *save = NULL;
    *c = (conversation){0};
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        json_t *json = json_loads(line, 0, NULL);
        read_message(&c->at[c->count++], json);
        json_decref(json);
    }
    free(text);
    assert_true(c->count > 70);
}

static inline void conversation_free(conversation *c) {
    for (int i = 0; i < c->count; i++) free(c->at[i].bytes);
}

/* A number that a server gives: the last value of an answer (a return of one value, or of a type and a value) whose
 * type is a handle, a module or a function. 0: there is none. */
static inline size_t handle_at(const uint8_t *bytes, size_t size) {
    if (size < 28 || bytes[8] != 4 || bytes[12] < 1 || bytes[12] > 2) return 0;
    int type = bytes[16 + 4 * (bytes[12] - 1)];
    if (bytes[12] == 2) type = bytes[16 + 8]; /* the type once more, as the first value */
    if (bytes[12] == 1 && size != 28) return 0;
    if (bytes[12] == 2 && size != 40) return 0;
    return type == 3 || type == 9 || type == 10 ? size - 8 : 0;
}

/* The client's message with the numbers of this server. */
static inline void translate(const conversation *c, message *m) {
    for (size_t at = 0; at + 8 <= m->size && m->size < 10000; at++)
        for (int i = 0; i < c->handles; i++)
            if (raw_u64(m->bytes + at) == c->was[i]) {
                raw_put(m->bytes + at, c->is[i], 8);
                at += 7;
                break;
            }
    if (m->size >= 10000) /* the upload: only the function's number */
        for (int i = 0; i < c->handles; i++)
            if (raw_u64(m->bytes + 12) == c->was[i]) raw_put(m->bytes + 12, c->is[i], 8);
}

static inline void learn(conversation *c, const message *then, const uint8_t *now) {
    size_t at = handle_at(then->bytes, then->size);
    if (!at || !raw_u64(then->bytes + at)) return;
    int i = 0;
    while (i < c->handles && c->was[i] != raw_u64(then->bytes + at)) i++;
    if (i == c->handles) c->handles++;
    assert_true(c->handles < HANDLES_MAX);
    c->was[i] = raw_u64(then->bytes + at);
    c->is[i] = raw_u64(now + at);
}

#endif
