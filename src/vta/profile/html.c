/* The page: its sources (the folder page) are embedded when the library is built (cmake/embed.cmake), and
 * the profile is written into it as data (page_data.c). */
#include <string.h>

#include "base/xml.h"
#include "profile/page.h"
#include "profile/page_data.h"

/* What the page shows: one profile, or two side by side. */
typedef struct shown {
    const vta_profile *profile, *other; /* other: NULL for none */
    const char *title, *other_title;
} shown;

static vta_status data(const shown *what, vt_strbuf *sb, vta_diag *diag) {
    vt_json w;
    vt_json_init(&w, sb, VT_JSON_TIGHT);
    vt_json_object(&w, NULL);
    vt_page_kinds(&w);
    vt_json_line(&w);
    vt_json_array(&w, "sides");
    VT_TRY(vt_page_side(what->profile, what->title, &w, diag));
    if (what->other) VT_TRY(vt_page_side(what->other, what->other_title, &w, diag));
    vt_json_end(&w);
    vt_json_end(&w);
    return VTA_OK;
}

/* The page's scripts, in the order in which they build on each other. */
static const char *const scripts[] = {vt_base_js,   vt_timeline_js, vt_select_js, vt_panels_js,
                                      vt_tables_js, vt_network_js,  vt_main_js};

/* Copies page.html and fills in what stands between {{ and }}. */
static vta_status fill(const shown *what, vt_strbuf *sb, vta_diag *diag) {
    const char *at = vt_page_html, *open;
    while ((open = strstr(at, "{{")) != NULL) {
        vt_strbuf_addn(sb, at, (size_t)(open - at));
        const char *name = open + 2, *close = strstr(name, "}}");
        if (close == NULL) return vt_fail(diag, VTA_INTERNAL, "page.html: {{ without }}");
        if (strncmp(name, "title", 5) == 0)
            vt_xml_text(sb, what->title ? what->title : "VTA program");
        else if (strncmp(name, "style", 5) == 0)
            vt_strbuf_add(sb, vt_page_css);
        else if (strncmp(name, "script", 6) == 0)
            for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) vt_strbuf_add(sb, scripts[i]);
        else
            VT_TRY(data(what, sb, diag));
        at = close + 2;
    }
    vt_strbuf_add(sb, at);
    return VTA_OK;
}

vta_status vta_profile_html_against(const vta_profile *profile, const char *title, const vta_profile *other,
                                    const char *other_title, vta_diag *diag, char **out_html) {
    if (out_html) *out_html = NULL;
    if (profile == NULL || out_html == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_html: profile or out_html is NULL");
    vt_strbuf sb;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vta_status status = fill(&(shown){profile, other, title, other_title}, &sb, diag);
    return vt_profile_hand_out(&sb, status, diag, out_html);
}

vta_status vta_profile_html(const vta_profile *profile, const char *title, vta_diag *diag, char **out_html) {
    return vta_profile_html_against(profile, title, NULL, NULL, diag, out_html);
}
