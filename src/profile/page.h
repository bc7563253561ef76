/* The sources of the profile page, embedded by cmake/embed.cmake. Zero-terminated. */
#ifndef VT_PROFILE_PAGE_H
#define VT_PROFILE_PAGE_H

extern const char vt_page_html[], vt_page_css[], vt_page_js[];

#endif
