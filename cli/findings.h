/* What --check found, as sim and run print it. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include <jansson.h>

/* Both take the text of vta_device_findings_to_json or vta_runtime_findings_to_json, which they free. */

/* "races", "unwritten", "more", "unsupported" and "warnings" into an object. */
void cli_findings_json(json_t *into, char *findings);
/* The warnings into the command's diagnostics: a kernel's caller learns of errors only. */
void cli_findings_warn(char *findings);

#endif
