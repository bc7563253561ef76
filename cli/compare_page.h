/* The source of the page of vta compare, embedded by cmake/embed.cmake. Zero-terminated. */
#ifndef CLI_COMPARE_PAGE_H
#define CLI_COMPARE_PAGE_H

extern const char vt_compare_html[];

#endif
