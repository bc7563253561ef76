/* Lines of a log: what others said stands in them, and makes no line of its own. */
#ifndef VT_RPC_LOG_H
#define VT_RPC_LOG_H

#include <stddef.h>

/* Writes a text as one line with its end and a zero, cut off where there is no more room: control characters, and what
 * is not UTF-8, as \xNN. The size without the zero; room: at least 8. */
size_t vt__log_line(char *to, size_t room, const char *text);

#endif
