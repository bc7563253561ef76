/* Memory as it is after long use: what the C library gives to the code under test is not zero by chance, as fresh
 * memory is. Linked into every test with --wrap=realloc, which is where the library's allocator gets its blocks. Of
 * large blocks the first page is enough, and cheap. */
#include <malloc.h>
#include <stddef.h>
#include <string.h>

enum { FILL = 0xbe, MAX = 4096 };

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_realloc(void *p, size_t size) {
    size_t before = p ? malloc_usable_size(p) : 0;
    unsigned char *block = __real_realloc(p, size);
    size_t end = size < MAX ? size : MAX;
    if (block && before < end) memset(block + before, FILL, end - before);
    return block;
}
