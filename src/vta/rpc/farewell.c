/* Why a session is over, as a frame or packet. */
#include <string.h>

#include "rpc/server.h"
#include "rpc/tvm.h"
#include "rpc/wire.h"

static void own(vt_strbuf *to, uint32_t number, vta_status status, const char *why) {
    uint8_t header[VT_RPC_HEADER_BYTES];
    vt__rpc_put_header(header, &(vt_rpc_header){.size = (uint32_t)strlen(why),
                                                .message = VT_RPC_ENDED,
                                                .status = (uint16_t)status,
                                                .number = number});
    vt_strbuf_addn(to, (const char *)header, sizeof header);
    vt_strbuf_add(to, why);
}

void vt__farewell(vt_strbuf *to, uint32_t protocol, uint32_t number, vta_status status, const char *why) {
    if (protocol == VT_RPC_TVM) vt__tvm_exception(to, why);
    if (protocol == VT_RPC_OWN) own(to, number, status, why);
}
