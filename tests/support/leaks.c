/* What the leak sanitizer does in every test's program: it refuses sizes that no memory has, as the C library does, and
 * shows the largest leak: a test that fails leaves much behind. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "allocator_may_return_null=1:max_leaks=1"; }

/* POCL keeps memory of each kernel that it compiles, and compiles those that are not in its cache. Weak: a test may
 * replace the list. */
__attribute__((visibility("default"), weak)) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libpocl\n"; }
