#include "base/xml.h"

#include "base/utf8.h"
#include "vta/support.h"

static const char *entity(char c) {
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\t':
    case '\n':
    case '\r': return NULL;
    default: return (unsigned char)c < ' ' ? VT_UTF8_REPLACEMENT : NULL;
    }
}

void vt_xml_text(vt_strbuf *sb, const char *text) {
    while (*text) {
        const char *instead = entity(*text);
        size_t size = vt_utf8_size(text);
        if (instead || !size)
            vt_strbuf_add(sb, instead ? instead : VT_UTF8_REPLACEMENT);
        else
            vt_strbuf_addn(sb, text, size);
        text += size ? size : 1;
    }
}

char *vta_xml_escape(const char *text) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    vt_xml_text(&sb, text ? text : "");
    return vt_strbuf_take(&sb);
}
