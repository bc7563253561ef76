/* vta-session: one session of `vta rpc-server`, which starts it. A program of its own, since it needs libvta alone and
 * begins in no time. */
#include <stdio.h>
#include <string.h>

#include "vta/rpc.h"

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--version")) {
        printf("vta-session %s\n", vta_version());
        return 0;
    }
    int code = vta_rpc_session_main();
    if (code == 2) fprintf(stderr, "vta-session is started by `vta rpc-server`, not by hand\n");
    return code;
}
