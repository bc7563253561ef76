#include "random/choices.h"

void choices_from_seed(choices *c, uint64_t seed) {
    *c = (choices){.state = (seed + 1) * 0x9e3779b97f4a7c15u | 1};
    for (int i = 0; i < 8; i++) pick(c, 2); /* neighbouring seeds drift apart */
    c->n = 0;
}

void choices_from_list(choices *c, const uint32_t *list, size_t n) { *c = (choices){.given = list, .n_given = n}; }

void choices_from_bytes(choices *c, const uint8_t *bytes, size_t n) { *c = (choices){.bytes = bytes, .n_given = n}; }

void choices_unit(choices *c) {
    if (c->n_units < MAX_UNITS) c->units[c->n_units++] = c->n;
}

static uint32_t random_number(choices *c) { /* xorshift64* */
    c->state ^= c->state >> 12;
    c->state ^= c->state << 25;
    c->state ^= c->state >> 27;
    return (uint32_t)((c->state * 0x2545f4914f6cdd1du) >> 32);
}

/* 0 behind the end. */
static uint32_t next_bytes(choices *c, int count) {
    uint32_t value = 0;
    for (; count > 0; count--) value = value << 8 | (c->at < c->n_given ? c->bytes[c->at++] : 0);
    return value;
}

uint32_t pick(choices *c, uint32_t n) {
    uint32_t value = 0;
    if (c->state)
        value = random_number(c) % n;
    else if (c->given && c->n < c->n_given)
        value = c->given[c->n] < n ? c->given[c->n] : n - 1;
    else if (c->bytes)
        value = next_bytes(c, n > 256 ? 2 : 1) % n;
    if (c->n == MAX_CHOICES) return 0;
    c->made[c->n++] = value;
    return value;
}

bool often(choices *c, uint32_t times, uint32_t n) { return pick(c, n) >= n - times; }

bool once_in(choices *c, uint32_t n) { return often(c, 1, n); }

int pick_between(choices *c, int least, int most) { return least + (int)pick(c, (uint32_t)(most - least + 1)); }
