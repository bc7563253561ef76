/* The report of a plan: one line a buffer, and the sums, derived by hand. */
#include "network.h"

static network net;

/* x is packed, copied twice on the device, and unpacked: the second copy lies where nothing is needed any more. Places
 * on the device are pages, on the host 64 bytes; the largest buffer is placed first, and inputs share with nothing. */
TEST_CASE(whole) {
    static const int64_t shape[] = {1, 16, 2, 2}, four[] = {4};
    uint32_t x, unread, spare, constant, tiles[3], y;
    network_begin(&net, 1, "", NULL);
    vt_planner *p = net.planner;
    MUST(&net, vt_planner_input(p, "x", "int8", 4, shape, net.diag, &x));
    MUST(&net, vt_planner_input(p, "unread", "int8", 1, four, net.diag, &unread));
    MUST(&net, vt_planner_buffer(p, VT_PLACE_HOST, "spare", 32, net.diag, &spare));
    MUST(&net, vt_planner_constant(p, VT_PLACE_DEVICE, "k", "0123456789abcdef", 16, net.diag, &constant));
    for (int i = 0; i < 3; i++) MUST(&net, vt_planner_buffer(p, VT_PLACE_DEVICE, "t", 64, net.diag, &tiles[i]));
    MUST(&net, vt_planner_buffer(p, VT_PLACE_HOST, "y", 64, net.diag, &y));
    MUST(&net, vt_planner_pack(p, "pack", "int8", 4, shape, 1, 16, (vt_planner_arg){x}, (vt_planner_arg){tiles[0]},
                               net.diag));
    for (int i = 0; i < 2; i++)
        MUST(&net,
             vt_planner_copy(p, "copy", (vt_planner_arg){tiles[i]}, (vt_planner_arg){tiles[i + 1]}, 64, net.diag));
    MUST(&net, vt_planner_unpack(p, "unpack", "int8", 4, shape, 1, 16, (vt_planner_arg){tiles[2]}, (vt_planner_arg){y},
                                 net.diag));
    MUST(&net, vt_planner_output(p, "y", "int8", 4, shape, (vt_planner_arg){y}, net.diag));
    assert_string_equal(vt_planner_report(p), "");
    vta_model_release(network_model(&net));
    assert_same_text(
        "report", vt_planner_report(p),
        "place      offset      bytes  steps        buffer\n"
        "host            0         64     0 to 0    x\n"
        "host          128          4  input        unread\n"
        "host            0          0  not used     spare\n"
        "device          0         16  constant     k\n"
        "device       4096         64     0 to 1    t\n"
        "device       8192         64     1 to 2    t\n"
        "device       4096         64     2 to 3    t\n"
        "host           64         64     3 to end  y\n"
        "device: 12288 bytes: parameters 16, instructions 0, micro-ops 0, work 8192 (192 without sharing)\n"
        "host: 192 bytes (164 without sharing), constants 0, code 0\n");
    network_end(&net);
}

int main(void) { return run_cases(); }
