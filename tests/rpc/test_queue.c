/* Who is given which server: the tracker's state alone, with clients that wait as the test puts them there. */
#include <pthread.h>
#include <unistd.h>

#include "rpc/told.h"
#include "rpc/tracker.h"

static vta_diag *diag;
static vt_tracker_state t;
static vt_tracked servers[3];
static int asked;

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    for (int i = 0; i < 3; i++) {
        servers[i] = (vt_tracked){.port = 1000 + (uint32_t)i};
        strcpy(servers[i].key, i == 1 ? "y" : "x");
        snprintf(servers[i].host, sizeof servers[i].host, "host%d", i);
    }
    if (!diag || vt__tracker_init(&t, diag) != VTA_OK) return -1;
    for (int i = 0; i < 3; i++)
        if (vt__tracker_add(&t, &servers[i], diag) != VTA_OK) return -1;
    return 0;
}

static int end(void **state) {
    (void)state;
    vt__tracker_clear(&t);
    vta_diag_destroy(diag);
    return 0;
}

static bool is_gone(void *ctx) {
    asked++;
    return ctx != NULL;
}

static vta_status take(const char *key, uint32_t priority, uint64_t until, bool gone, vt_tracked *out) {
    const vt_waiting *before = t.waiting;
    vta_status status = vt__tracker_take(&t, key, priority, until, 50, is_gone, gone ? &t : NULL, diag, out);
    assert_ptr_equal(t.waiting, before); /* it waits no longer */
    return status;
}

static void taken(const char *key, uint32_t port) {
    vt_tracked got = {0};
    uint64_t before = vt__rpc_now();
    assert_int_equal(take(key, 0, 0, false, &got), VTA_OK);
    assert_int_equal(got.port, port);
    assert_true(got.leased && got.since >= before && got.since <= vt__rpc_now());
    assert_int_equal(got.until, got.since + 50000);
}

static void summary(const char *expected) {
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    vt__tracker_summary(&t, &text);
    for (char *at = text.text; (at = strstr(at, "\"seconds_left\": "));) { /* a moment has passed */
        double left = strtod(at += 16, NULL);
        assert_true(left > 9 && left <= 50);
        memcpy(at, "50.0", 4);
    }
    assert_string_equal(vt_strbuf_text(&text), expected);
    vt_strbuf_free(&text);
}

/* The free one that has served least, and of those the one that came first. */
static void choices(void **state) {
    (void)state;
    vt_tracked got;
    taken("", 1000);
    taken("y", 1001);
    taken("", 1002);
    told(diag, take("", 0, 0, false, &got), VTA_TIMEOUT,
         "all servers of key '' are taken (`--wait SECONDS` waits for one)");
    told(diag, take("x", 0, 0, false, &got), VTA_TIMEOUT,
         "all servers of key 'x' are taken (`--wait SECONDS` waits for one)");
    told(diag, take("z", 0, 0, false, &got), VTA_NOT_FOUND, "no server of key 'z' is registered");
    for (int i = 0; i < 3; i++) assert_int_equal(servers[i].served, 1);
    vt__tracker_give_back(&t, &servers[2], false);
    vt__tracker_give_back(&t, &servers[0], false);
    told(diag, take("x", 0, 0, false, &got), VTA_TIMEOUT, /* their boards may be busy */
         "all servers of key 'x' are taken (`--wait SECONDS` waits for one)");
    servers[0].lease_over = servers[2].lease_over = false;
    servers[0].served = 5;
    taken("x", 1002);
    taken("x", 1000);
    assert_int_equal(servers[0].served, 6);
    assert_int_equal(servers[2].served, 2);
}

static void summaries(void **state) {
    (void)state;
    vt_waiting one = {.key = "x", .priority = 7}, two = {.next = &one, .key = ""};
    taken("y", 1001);
    t.waiting = &two;
    servers[2].lease_over = true;
    summary("{\"servers\": [{\"key\": \"x\", \"host\": \"host0\", \"port\": 1000, \"free\": true, \"leases\": 0}, "
            "{\"key\": \"y\", \"host\": \"host1\", \"port\": 1001, \"free\": false, \"leases\": 1, \"seconds_left\": "
            "50.0}, {\"key\": \"x\", \"host\": \"host2\", \"port\": 1002, \"free\": false, \"leases\": 0}], "
            "\"waiting\": [{\"key\": \"\", \"priority\": 0}, {\"key\": \"x\", \"priority\": 7}]}");
    vt__tracker_remove(&t, &servers[1]);
    vt__tracker_remove(&t, &servers[1]); /* it is gone */
    vt__tracker_remove(&t, &servers[0]);
    t.waiting = NULL;
    summary("{\"servers\": [{\"key\": \"x\", \"host\": \"host2\", \"port\": 1002, \"free\": false, \"leases\": 0}], "
            "\"waiting\": []}");
    assert_int_equal(vt__tracker_add(&t, &servers[0], diag), VTA_OK); /* at the end */
    vt_tracked same = servers[0];                                     /* of whichever key */
    strcpy(same.key, "z");
    told(diag, vt__tracker_add(&t, &same, diag), VTA_INVALID_ARGUMENT,
         "host0:1000 is registered already, by another connection (two servers need different ports, or a "
         "--public-host each)");
    assert_ptr_equal(t.servers, &servers[2]);
    assert_ptr_equal(servers[2].next, &servers[0]);
    assert_null(servers[0].next);
}

/* A server that is started anew is not free while the client that has it is here, and is told of the lease. */
static void servers_that_come_back(void **state) {
    (void)state;
    vt_tracked lease = {.port = 0}, other = {.port = 0}, got;
    vt__tracker_hold(&t, &other); /* its client waits still */
    vt__tracker_hold(&t, &lease);
    assert_int_equal(take("y", 0, 0, false, &lease), VTA_OK);
    assert_ptr_equal(t.leases, &lease);
    assert_ptr_equal(lease.next, &other);
    for (int orphan = 0; orphan < 2; orphan++) {
        vt__tracker_remove(&t, &servers[1]);
        servers[1] = (vt_tracked){.port = lease.port, .leased = orphan, .orphan = orphan};
        strcpy(servers[1].key, "y");
        strcpy(servers[1].host, lease.host);
        assert_int_equal(vt__tracker_add(&t, &servers[1], diag), VTA_OK);
        assert_true(servers[1].leased && servers[1].news && !servers[1].orphan);
        assert_int_equal(servers[1].since, lease.since);
        assert_int_equal(servers[1].until, lease.until);
        told(diag, take("y", 0, 0, false, &got), VTA_TIMEOUT,
             "all servers of key 'y' are taken (`--wait SECONDS` waits for one)");
    }
    vt__tracker_remove(&t, &servers[0]); /* one that nobody has */
    assert_int_equal(vt__tracker_add(&t, &servers[0], diag), VTA_OK);
    assert_false(servers[0].leased || servers[0].news);
    vt__tracker_give_back(&t, &lease, false);
    assert_true(!servers[1].leased && servers[1].lease_over);
    vt__tracker_remove(&t, &servers[1]); /* and comes back before the client's thread has let go */
    servers[1].lease_over = false;
    assert_int_equal(vt__tracker_add(&t, &servers[1], diag), VTA_OK);
    assert_false(servers[1].leased || servers[1].news);
    vt__tracker_let_go(&t, &lease);
    vt__tracker_let_go(&t, &lease); /* it is gone */
    assert_ptr_equal(t.leases, &other);
    vt__tracker_let_go(&t, &other);
}

static void *tell(void *arg) {
    usleep(50000);
    pthread_mutex_lock(&t.lock);
    *(bool *)arg = true;
    servers[1].news = false;
    pthread_cond_broadcast(&t.changed);
    pthread_mutex_unlock(&t.lock);
    return NULL;
}

/* Who has taken a server waits until that knows of it, and no longer than both are there. */
static void waits_until_told(void **state) {
    (void)state;
    vt_tracked got;
    pthread_t thread;
    bool is_told = false;
    assert_int_equal(take("y", 0, 0, false, &got), VTA_OK);
    assert_true(servers[1].news);
    assert_int_equal(pthread_create(&thread, NULL, tell, &is_told), 0);
    assert_true(vt__tracker_wait_told(&t, &got, is_gone, NULL));
    assert_true(is_told);
    pthread_join(thread, NULL);
    servers[1].news = true;
    assert_false(vt__tracker_wait_told(&t, &got, is_gone, &t)); /* the client is gone before */
    vt__tracker_remove(&t, &servers[1]);
    assert_true(vt__tracker_wait_told(&t, &got, is_gone, NULL));
}

/* One that ran out of its time is free again only when its server has ended the sessions. */
static void ends_of_leases(void **state) {
    (void)state;
    vt_tracked got, old;
    assert_int_equal(take("y", 0, 0, false, &got), VTA_OK);
    for (int i = 0; i < 3; i++) { /* a lease of another server or of another time ends nothing */
        old = got;
        if (i == 0) old.port++;
        if (i == 1) strcpy(old.host, "other");
        if (i == 2) old.since--;
        vt__tracker_give_back(&t, &old, true);
        assert_true(servers[1].leased && !servers[1].lease_over);
    }
    vt__tracker_give_back(&t, &got, true);
    assert_true(!servers[1].leased && servers[1].lease_over);
    assert_false(servers[0].lease_over || servers[2].lease_over);
    told(diag, take("y", 0, 0, false, &got), VTA_TIMEOUT,
         "all servers of key 'y' are taken (`--wait SECONDS` waits for one)");
    servers[1].lease_over = false;
    taken("y", 1001);
}

/* Others who wait for the same server come first with a higher priority, or with the same one and an earlier number. */
static void turns(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t priority;
        bool earlier, first;
    } cases[] = {{"y", 5, true, true},  {"y", 5, false, false}, {"y", 6, false, true}, {"y", 4, true, false},
                 {"x", 9, true, false}, {"", 5, true, true},    {"", 9, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vt_tracked got = {0};
        t.arrivals = 10;
        vt_waiting other = {.key = cases[i].key, .priority = cases[i].priority, .number = cases[i].earlier ? 3 : 11};
        t.waiting = &other;
        vta_status status = take("y", 5, 0, false, &got);
        assert_int_equal(t.arrivals, 11);
        t.waiting = NULL;
        if (cases[i].first) {
            told(diag, status, VTA_TIMEOUT, "all servers of key 'y' are taken (`--wait SECONDS` waits for one)");
            assert_false(servers[1].leased);
        } else {
            assert_int_equal(status, VTA_OK);
            vt__tracker_give_back(&t, &got, false);
            servers[1].lease_over = false;
        }
    }
}

/* Who waits gives up when the client has left or the tracker ends, and takes a server that becomes free. */
static void waits(void **state) {
    (void)state;
    vt_tracked got;
    uint64_t never = vt__rpc_now() + 1000000, soon = vt__rpc_now() + 250;
    taken("y", 1001);
    asked = 0;
    assert_int_equal(take("y", 0, never, true, &got), VTA_INTERRUPTED);
    assert_int_equal(asked, 1);
    asked = 0;
    told(diag, take("y", 0, soon, false, &got), VTA_TIMEOUT,
         "all servers of key 'y' are taken (`--wait SECONDS` waits for one)");
    assert_true(vt__rpc_now() >= soon);
    assert_in_range(asked, 2, 6); /* ten times a second, fewer where the machine is slow */
    vt__tracker_end(&t);
    assert_int_equal(take("y", 0, never, false, &got), VTA_INTERRUPTED);
    assert_int_equal(vta_diag_count(diag), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(choices),         TEST(summaries), TEST(ends_of_leases),
                                       TEST(turns),           TEST(waits),     TEST(servers_that_come_back),
                                       TEST(waits_until_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
