/* Which micro-kernels the uop buffer holds, against a plain array of the buffer's words that says whose each is. */
#include "runtime/uop_cache.h"
#include "support/check.h"

enum { DEPTH = 24, KERNELS = 12, NOBODY = -1 };

typedef struct fixture {
    vt_uop_cache cache;
    vt_uop_kernel kernels[KERNELS];
    check_random random;
    /* What should be. */
    int owner[DEPTH]; /* of each word */
    bool resident[KERNELS], in_image[KERNELS];
    uint32_t begin[KERNELS], image_at[KERNELS];
    uint32_t end, image_count;
    uint64_t hits, misses, evictions;
    bool wrapped;
} fixture;

static void make_kernel(fixture *f, int k) {
    vt_uop_kernel *kernel = &f->kernels[k];
    vt_kernel_init(kernel, NULL);
    kernel->count = (size_t)check_between(&f->random, 1, k % 4 ? 7 : DEPTH);
    if (!vt_reserve(NULL, &kernel->words, &kernel->cap, kernel->count, sizeof *kernel->words)) fail();
    for (size_t i = 0; i < kernel->count; i++) kernel->words[i] = (uint32_t)check_between(&f->random, 0, 1);
}

static void forget(fixture *f) {
    for (int i = 0; i < DEPTH; i++) f->owner[i] = NOBODY;
    memset(f->resident, 0, sizeof f->resident);
    memset(f->in_image, 0, sizeof f->in_image);
    f->end = f->image_count = 0;
    f->wrapped = false;
}

static void begin(fixture *f, uint64_t seed, bool share) {
    memset(f, 0, sizeof *f);
    f->random.state = seed + 1;
    vt_uop_cache_init(&f->cache, NULL, DEPTH);
    f->cache.share = share;
    for (int k = 0; k < KERNELS; k++) make_kernel(f, k);
    forget(f);
}

static void end(fixture *f) {
    for (int k = 0; k < KERNELS; k++) vt_kernel_clear(&f->kernels[k]);
    vt_uop_cache_clear(&f->cache);
    assert_int_equal(f->cache.depth, DEPTH);
    assert_int_equal(f->cache.cap, 0);
}

/* Do kernel k's words stand in the buffer, all within one kernel's? The first such place. */
static bool stands(const fixture *f, int k, uint32_t *out_at) {
    const vt_uop_kernel *kernel = &f->kernels[k];
    for (uint32_t at = 0; at + kernel->count <= DEPTH; at++) {
        bool same = f->owner[at] != NOBODY;
        for (uint32_t i = 0; same && i < kernel->count; i++) {
            int o = f->owner[at + i];
            same = o == f->owner[at] && f->kernels[o].words[at + i - f->begin[o]] == kernel->words[i];
        }
        if (!same) continue;
        *out_at = at;
        return true;
    }
    return false;
}

static void evict(fixture *f, int k) {
    for (int i = 0; i < DEPTH; i++)
        if (f->owner[i] == k) f->owner[i] = NOBODY;
    f->resident[k] = false;
    f->evictions++;
}

static void place(fixture *f, int k) {
    uint32_t count = (uint32_t)f->kernels[k].count;
    if (f->end + count > DEPTH) {
        f->end = 0;
        f->wrapped = true;
    }
    for (uint32_t i = f->end; i < f->end + count; i++)
        if (f->owner[i] != NOBODY) evict(f, f->owner[i]);
    for (uint32_t i = f->end; i < f->end + count; i++) f->owner[i] = k;
    f->begin[k] = f->end;
    f->resident[k] = true;
    f->end += count;
    f->misses++;
    if (f->in_image[k]) return;
    f->in_image[k] = true;
    f->image_at[k] = f->image_count;
    f->image_count += count;
}

static void use(fixture *f, int k) {
    vt_uop_kernel *kernel = &f->kernels[k];
    uint32_t at = f->begin[k], grows = f->resident[k] || f->in_image[k] ? 0 : (uint32_t)kernel->count;
    bool there = f->resident[k] || (f->cache.share && stands(f, k, &at)), load = there;
    assert_int_equal(vt_uop_cache_growth(&f->cache, kernel), grows);
    assert_true(vt_uop_cache_use(&f->cache, kernel, &load));
    assert_int_equal(load, !there);
    if (there)
        f->hits++;
    else
        place(f, k);
    assert_int_equal(kernel->sram_begin, there ? at : f->begin[k]);
}

static void compare(const fixture *f) {
    assert_int_equal(f->cache.hits, f->hits);
    assert_int_equal(f->cache.misses, f->misses);
    assert_int_equal(f->cache.evictions, f->evictions);
    assert_int_equal(f->cache.count, f->image_count);
    assert_int_equal(f->cache.wrapped, f->wrapped);
    for (int k = 0; k < KERNELS; k++) {
        const vt_uop_kernel *kernel = &f->kernels[k];
        assert_int_equal(kernel->resident, f->resident[k]);
        if (!f->in_image[k]) continue;
        assert_int_equal(kernel->image_at, f->image_at[k]);
        assert_memory_equal(f->cache.image + f->image_at[k], kernel->words, kernel->count * sizeof *kernel->words);
    }
}

TEST_CASE(random_uses) {
    static fixture f;
    uint64_t evictions = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        begin(&f, seed, seed % 2);
        for (int n = 0; n < 100; n++) {
            if (check_between(&f.random, 0, 30) == 0) {
                vt_uop_cache_reset(&f.cache);
                forget(&f);
            }
            use(&f, (int)check_between(&f.random, 0, KERNELS - 1));
            compare(&f);
        }
        evictions += f.evictions;
        end(&f);
    }
    assert_in_range(evictions, 2000, 20000);
}

/* What a run knows of its loads is forgotten with it. */
TEST_CASE(a_new_run) {
    vt_uop_cache cache;
    vt_uop_cache_init(&cache, NULL, DEPTH);
    cache.has_load = cache.has_late = cache.split = cache.product = cache.share = cache.late = true;
    uint64_t run = cache.run;
    vt_uop_cache_reset(&cache);
    assert_false(cache.has_load || cache.has_late || cache.split || cache.product);
    assert_true(cache.share && cache.late);
    assert_int_equal(cache.run, run + 1);
    vt_uop_cache_clear(&cache);
}

int main(void) { return run_cases(); }
