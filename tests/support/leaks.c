/* What the leak sanitizer does in every test's program: it refuses sizes that no memory has, as the C library does. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "allocator_may_return_null=1"; }
