/* A profile as the data of its page. */
#ifndef VT_PROFILE_PAGE_DATA_H
#define VT_PROFILE_PAGE_DATA_H

#include "profile/profile_priv.h"

/* The names of what slices show. */
void vt_page_kinds(vt_json *w);
/* One profile as an object; `title` may be NULL. */
vta_status vt_page_side(const vta_profile *profile, const char *title, vt_json *w, vta_diag *diag);

#endif
