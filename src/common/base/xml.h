/* Text in XML and HTML. */
#ifndef VT_BASE_XML_H
#define VT_BASE_XML_H

#include "base/strbuf.h"

/* Appends text as content or as an attribute's value. What XML cannot hold, control characters and bytes that are not
 * UTF-8, becomes U+FFFD. */
void vt_xml_text(vt_strbuf *sb, const char *text);

#endif
