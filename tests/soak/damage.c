/* Bytes that are not as they were sent, and connections on which nothing sensible is said. */
#include <poll.h>

#include "soak/soak.h"

#include "rpc/raw.h"

/* ---- The relay --------------------------------------------------------------------------------------------------- */

typedef enum harm { FLIP, DROP, REPEAT, CUT, HARMS } harm;

typedef struct relay {
    int ends[2];      /* client, server */
    uint64_t left[2]; /* bytes until the harm in what each says */
    harm kind;
    int direction; /* whose bytes are harmed */
    bool done;
    uint32_t mask;
} relay;

/* False: over. */
static bool pass_on(relay *r, int from) {
    static char bytes[1 << 16];
    ssize_t n = recv(r->ends[from], bytes, sizeof bytes, 0);
    if (n <= 0) return false;
    uint64_t left = r->left[from];
    r->left[from] -= (uint64_t)n < left ? (uint64_t)n : left;
    if (r->done || from != r->direction || left >= (uint64_t)n) return raw_send(r->ends[!from], bytes, (size_t)n);
    r->done = true;
    size_t at = (size_t)left, rest = (size_t)n - at;
    if (r->kind == FLIP) bytes[at] = (char)(bytes[at] ^ (char)r->mask);
    if (!raw_send(r->ends[!from], bytes, r->kind == REPEAT ? at + 1 : at) || r->kind == CUT) return false;
    size_t skip = r->kind == DROP;
    return raw_send(r->ends[!from], bytes + at + skip, rest - skip);
}

static void run_relay(int listener, relay *r, uint32_t to) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct pollfd waits = {.fd = listener, .events = POLLIN};
    if (poll(&waits, 1, 20000) <= 0) _exit(0);
    r->ends[0] = accept(listener, NULL, NULL);
    r->ends[1] = raw_connect(to);
    for (bool go_on = r->ends[0] >= 0; go_on;) {
        struct pollfd p[2] = {{.fd = r->ends[0], .events = POLLIN}, {.fd = r->ends[1], .events = POLLIN}};
        if (poll(p, 2, 20000) <= 0) break;
        for (int i = 0; i < 2 && go_on; i++)
            if (p[i].revents) go_on = pass_on(r, i);
    }
    _exit(0);
}

pid_t soak_relay(uint32_t to, check_random *random, uint32_t *out_port) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&at, &size))
        abort();
    *out_port = ntohs(at.sin_port);
    relay r = {.kind = (harm)check_between(random, 0, HARMS - 1), .direction = (int)check_between(random, 0, 1)};
    r.mask = 1u << check_between(random, 0, 7);
    /* In the handshake as often as anywhere after it. */
    r.left[r.direction] = (uint64_t)check_between(random, 0, check_next(random) % 2 ? 300 : 60000);
    pid_t pid = fork();
    if (pid == 0) run_relay(listener, &r, to);
    close(listener);
    return pid;
}

/* ---- Nonsense ---------------------------------------------------------------------------------------------------- */

/* What begins well: the own protocol, TVM's, a TLS record. */
static size_t good_beginning(check_random *random, uint8_t *to) {
    static const char *const begins[] = {"VTA-RPC\n", "\x71\xf2\x0f\0\x07\0\0\0client:", "\x16\x03\x01\x02\0\x01\0",
                                         ""};
    static const size_t sizes[] = {8, 15, 7, 0};
    size_t which = (size_t)check_between(random, 0, 3);
    memcpy(to, begins[which], sizes[which]);
    return sizes[which];
}

/* A frame, or a packet, of a sensible size with nonsense in it. */
static size_t frame(check_random *random, uint8_t *to) {
    size_t n = (size_t)check_between(random, 0, 200);
    for (size_t i = 0; i < 12 + n; i++) to[i] = (uint8_t)check_next(random);
    raw_put(to, n, check_next(random) % 2 ? 4 : 8);
    if (check_next(random) % 2) raw_put(to + 4, (uint64_t)check_between(random, 0, 40), 4);
    return 12 + n;
}

void soak_nonsense(const soak *s, check_random *random) {
    uint8_t bytes[4096];
    int64_t to = check_between(random, 0, SOAK_BOARDS);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)(to < SOAK_BOARDS ? s->ports[to] : s->tracker_port))};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct linger reset = {.l_onoff = 1};
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0) { /* else it was killed, and is not back yet */
        size_t n = good_beginning(random, bytes);
        for (int64_t i = check_between(random, 0, 6); i > 0; i--) n += frame(random, bytes + n);
        raw_send(fd, bytes, n);
        usleep((useconds_t)check_between(random, 0, 30000));
        if (check_next(random) % 2) recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (check_next(random) % 3 == 0) setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    close(fd);
}
