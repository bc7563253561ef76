/* The source of the page of vta results, embedded by cmake/embed.cmake. Zero-terminated. */
#ifndef CLI_RESULTS_PAGE_H
#define CLI_RESULTS_PAGE_H

extern const char vt_results_html[];

#endif
