/* Read before every tests/FOLDER/test_NAME.c whose folder is one program (tests/CMakeLists.txt): its main becomes a
 * function that support/program.c calls by name. */
#ifndef TESTS_SUPPORT_MAIN_H
#define TESTS_SUPPORT_MAIN_H

#define VT_TEST_JOIN(name, arguments) test_main_##name(arguments)
#define VT_TEST_MAIN(name, arguments) VT_TEST_JOIN(name, arguments)
#define main(arguments)                                                                                                \
    VT_TEST_MAIN(VT_TEST_NAME, arguments);                                                                             \
    int VT_TEST_MAIN(VT_TEST_NAME, arguments)

#endif
