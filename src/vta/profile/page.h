/* The sources of the profile page (the folder page), embedded by cmake/embed.cmake. Zero-terminated. */
#ifndef VT_PROFILE_PAGE_H
#define VT_PROFILE_PAGE_H

extern const char vt_page_html[], vt_page_css[];
extern const char vt_base_js[], vt_timeline_js[], vt_select_js[], vt_panels_js[], vt_tables_js[], vt_network_js[],
    vt_main_js[];

#endif
