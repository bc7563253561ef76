/* The tests of a folder in one program: it runs the one whose name is given, as a process of its own would. VT_TESTS is
 * a file with a line VT_TEST(NAME) for each tests/FOLDER/test_NAME.c; support/main.h renamed the main of each. */
#include <stdio.h>
#include <string.h>

#define VT_TEST(name) int test_main_##name(void);
#include VT_TESTS
#undef VT_TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define VT_TEST(name) {#name, test_main_##name},
#include VT_TESTS
#undef VT_TEST
};
enum { TEST_COUNT = sizeof tests / sizeof *tests };

int main(int argc, char **argv) {
    for (int i = 0; argc == 2 && i < TEST_COUNT; i++)
        if (strcmp(argv[1], tests[i].name) == 0) return tests[i].run();
    fprintf(stderr, "%s: expected the name of one test:", argv[0]);
    for (int i = 0; i < TEST_COUNT; i++) fprintf(stderr, " %s", tests[i].name);
    fprintf(stderr, "\n");
    return 2;
}
