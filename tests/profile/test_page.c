/* The profile page in headless Chromium: every panel draws, keys zoom and select, nothing is logged as an error and
 * nothing is asked from the network. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

#include "tsim/programs.h"
#include "vta/profile.h"

/* Runs before the page's own script. */
static const char watch[] = "<script>window.bad=[];addEventListener('error',e=>bad.push(e.message));"
                            "addEventListener('unhandledrejection',e=>bad.push(String(e.reason)));"
                            "addEventListener('securitypolicyviolation',e=>bad.push('blocked '+e.blockedURI));"
                            "console.error=console.warn=(...a)=>bad.push(a.join(' '));</script>";

/* Runs after it: presses keys, and writes what it saw into attributes of the body. */
static const char drive[] =
    "<script>(async()=>{const b=document.body.dataset,c=document.getElementById('timeline');"
    "const frame=()=>new Promise(r=>setTimeout(r,60));"
    "const key=k=>{c.dispatchEvent(new KeyboardEvent('keydown',{key:k,bubbles:true,cancelable:true}));return frame()};"
    "const span=()=>c.dataset.to-c.dataset.from;await frame();const all=span();"
    "await key('+');const near=span();b.zoom=near<all;"
    "const a=+c.dataset.from;await key('ArrowRight');b.pan=+c.dataset.from>a;"
    "await key('-');b.out=span()>near;await key('0');b.fit=span()===all;"
    "await key(']');b.select=document.getElementById('detail').textContent.length>10;"
    "await key('f');b.focus=span()<all;await key('?');b.help=document.getElementById('keys').open;"
    "document.getElementById('keys').close();"
    "const th0=document.documentElement.dataset.theme;await "
    "key('d');b.theme=document.documentElement.dataset.theme!==th0;"
    /* search: only words that stand there are found, Enter selects one; a range is summed up; Escape drops all */
    "const s=document.getElementById('search'),type=async w=>{s.value=w;s.dispatchEvent(new Event('input'));await "
    "frame()};"
    "const found=()=>document.getElementById('found').textContent;"
    "await type('alu');b.search=found().includes('instructions')||found()==='alu: none';"
    "await type('zebra');b.none=found()==='zebra: none';await type('');"
    "await key('0');await key('r');const rows=document.querySelectorAll('#sums tbody tr').length;"
    "b.sums=rows>0&&rows%4===0;"
    "await key('Escape');b.dropped=!document.querySelector('#sums table')&&s.value==='';"
    /* a table's head sorts it, both ways; a row of it chooses instructions */
    "const t=document.querySelector('#mix table'),col=()=>[...t.tBodies[0].rows].map(r=>+r.children[2].dataset.value);"
    "const th=t.tHead.rows[0].children[2].firstChild,sorted=a=>a.every((x,i)=>!i||a[i-1]>=x);"
    "th.click();const down=sorted(col());th.click();b.sort=down&&sorted(col().reverse());"
    "const tr=document.querySelector('#mix tr[data-filter]');tr.click();await frame();"
    "b.choose=tr.classList.contains('chosen')&&found().length>3;tr.click();await frame();b.again=found()==='';"
    "c.focus();c.dispatchEvent(new WheelEvent('wheel',{deltaY:-300,cancelable:true}));await frame();"
    "b.panels=[...document.querySelectorAll('section')].every(s=>s.dataset.drawn==='true');"
    "b.unnamed=[...document.querySelectorAll('button,canvas[tabindex],[role=img]')].filter("
    "e=>!e.getAttribute('aria-label')&&!e.textContent.trim()).length;"
    "const ink=c.getContext('2d').getImageData(0,0,c.width,c.height).data;let n=0;"
    "for(let i=3;i<ink.length;i+=4)n+=ink[i]>0;b.ink=n>2000;"
    /* the network: a layer, picked in the graph, is what the timeline shows, and is marked in the table too */
    "const l=[...document.querySelectorAll('#network .layer')],e=document.querySelectorAll('#network .edge').length;"
    "const lit=()=>document.querySelectorAll('#network .picked').length;await key('Escape');await key('0');"
    "b.layers=l.length+','+e;if(l.length){l[1].dispatchEvent(new MouseEvent('click'));await frame();"
    "const at=[+c.dataset.from,+c.dataset.to];b.picked=lit()===2&&at[0]<=100&&at[1]>=300&&at[1]-at[0]<250"
    "&&!!document.querySelector('#sums table');"
    "l[1].dispatchEvent(new KeyboardEvent('keydown',{key:'Enter'}));await frame();b.unpicked=lit()===0;"
    "l[0].dispatchEvent(new MouseEvent('click'));await frame();b.host=lit()===2&&!document.querySelector('#sums "
    "table');"
    "document.querySelector('#network tbody tr:nth-child(3)').click();await frame();"
    "b.row=l[2].classList.contains('picked');}"
    "b.fits=document.documentElement.scrollWidth<=innerWidth;"
    "b.network=performance.getEntriesByType('resource').length;b.bad=bad.join('|');b.done='true';})();</script>";

static void insert(FILE *to, const char *html) {
    const char *head = strstr(html, "<title>"), *end = strstr(html, "</body>");
    assert_non_null(head);
    assert_non_null(end);
    fwrite(html, 1, (size_t)(head - html), to);
    fputs(watch, to);
    fwrite(head, 1, (size_t)(end - head), to);
    fputs(drive, to);
    fputs(end, to);
}

static vta_profile *profile_of(const program *p, const vta_config *config) {
    vta_timing_profile timing;
    vta_profile *profile;
    assert_int_equal(vta_timing_profile_get(NULL, NULL, &timing), VTA_OK);
    assert_int_equal(vta_profile_create(config, &timing, NULL, NULL, &profile), VTA_OK);
    assert_int_equal(vta_profile_add_run(profile, p->insns, p->count, 0x10000, NULL), VTA_OK);
    return profile;
}

/* A step on the host, then layers on the accelerator, with a way round one of them. */
static void add_network(vta_profile *profile) {
    static const uint32_t inputs[] = {0, 1, 1, 2};
    const vta_profile_layer layers[] = {
        {.name = "in", .kind = "call", .seconds = 1e-5},
        {.name = "conv </script>", .begin = 100, .end = 300, .compute_cycles = 150, .inputs = inputs, .input_count = 1},
        {.name = "pool",
         .begin = 300,
         .end = 400,
         .memory_cycles = 40,
         .bytes = 9,
         .inputs = inputs + 1,
         .input_count = 1},
        {.name = "add", .begin = 400, .end = 500, .compute_cycles = 90, .inputs = inputs + 2, .input_count = 2},
    };
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
        assert_int_equal(vta_profile_add_layer(profile, &layers[i], NULL), VTA_OK);
    const uint32_t later = 4;
    assert_int_equal(
        vta_profile_add_layer(profile, &(vta_profile_layer){.name = "x", .inputs = &later, .input_count = 1}, NULL),
        VTA_OUT_OF_RANGE);
    assert_int_equal(vta_profile_add_layer(profile, &(vta_profile_layer){.kind = "call"}, NULL), VTA_INVALID_ARGUMENT);
}

/* `other` may be NULL. */
static char *page_of(const program *p, const program *other, const char *title, bool network) {
    vta_config *config = vta_config_default();
    vta_profile *profile = profile_of(p, config), *against = other ? profile_of(other, config) : NULL;
    char *html;
    if (network) add_network(profile);
    assert_int_equal(vta_profile_html_against(profile, title, against, "the other", NULL, &html), VTA_OK);
    vta_profile_destroy(profile);
    vta_profile_destroy(against);
    vta_config_release(config);
    return html;
}

/* The page after its scripts ran, as Chromium prints it. */
static char *run_chromium(const char *html, const char *size) {
    const char *dir = VT_BINARY_DIR "/profile-page";
    mkdir(dir, 0755);
    char path[512], command[1200];
    snprintf(path, sizeof path, "%s/page-%d.html", dir, (int)getpid());
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    insert(to, html);
    fclose(to);
    snprintf(command, sizeof command,
             "timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
             "--disable-background-networking --disable-component-update --disable-sync --user-data-dir=%s/user-%d "
             "--window-size=%s --virtual-time-budget=20000 --dump-dom file://%s 2>%s/log; rm -rf %s/user-%d",
             dir, (int)getpid(), size, path, dir, dir, (int)getpid());
    FILE *from = popen(command, "r");
    assert_non_null(from);
    size_t used = 0, cap = 1 << 24;
    char *dom = malloc(cap);
    for (size_t got; used < cap - 1 && (got = fread(dom + used, 1, cap - 1 - used, from)) > 0;) used += got;
    dom[used] = '\0';
    pclose(from);
    unlink(path);
    return dom;
}

static void expect(const char *body, const char *attribute) {
    if (strstr(body, attribute) == NULL) {
        print_error("the page's body lacks %s: %.700s\n", attribute, body);
        fail();
    }
}

/* What the page found out about itself; `size` is the window's. */
static void check_dom(const char *html, const char *size, const char *more[], size_t more_count) {
    static const char *const wanted[] = {
        "data-done=\"true\"",   "data-bad=\"\"",       "data-network=\"0\"",    "data-panels=\"true\"",
        "data-zoom=\"true\"",   "data-pan=\"true\"",   "data-out=\"true\"",     "data-fit=\"true\"",
        "data-select=\"true\"", "data-focus=\"true\"", "data-help=\"true\"",    "data-search=\"true\"",
        "data-none=\"true\"",   "data-sums=\"true\"",  "data-dropped=\"true\"", "data-sort=\"true\"",
        "data-choose=\"true\"", "data-again=\"true\"", "data-ink=\"true\"",     "data-unnamed=\"0\"",
        "data-theme=\"true\"",  "data-fits=\"true\""};
    char start[1000];
    char *dom = run_chromium(html, size);
    const char *body = strstr(dom, "<body");
    if (body == NULL) print_error("chromium printed %zu bytes; see " VT_BINARY_DIR "/profile-page/log\n", strlen(dom));
    assert_non_null(body);
    snprintf(start, sizeof start, "%.900s", body);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) expect(start, wanted[i]);
    for (size_t i = 0; i < more_count; i++) expect(start, more[i]);
    free(dom);
}

static void need_chromium(void) {
    if (system("command -v chromium >/dev/null 2>&1") == 0) return;
    print_message("skipped: chromium is not installed (Debian package chromium)\n");
    skip();
}

static void check_page(program *p, const program *other, const char *title) {
    static const char *none[] = {"data-layers=\"0,0\""};
    need_chromium();
    char *html = page_of(p, other, title, false);
    check_dom(html, "1400,1600", none, 1);
    vta_string_free(html);
    free(p->insns);
}

/* On a wide and on a narrow screen. */
TEST_CASE(network_of_layers) {
    static const char *more[] = {"data-layers=\"4,4\"", "data-picked=\"true\"", "data-unpicked=\"true\"",
                                 "data-host=\"true\"", "data-row=\"true\""};
    need_chromium();
    program p = alu_program(64, 2, 2, 0);
    char *html = page_of(&p, NULL, "a network", true);
    check_dom(html, "1400,1600", more, sizeof more / sizeof *more);
    check_dom(html, "520,900", more, sizeof more / sizeof *more);
    vta_string_free(html);
    free(p.insns);
}

TEST_CASE(small_program) {
    program p = alu_program(64, 2, 2, 0);
    check_page(&p, NULL, "a <small> program & its \"title\"");
}

/* A quarter of a million instructions: drawn in groups. */
TEST_CASE(long_program) {
    program p = fallback_c2();
    char *html = page_of(&p, NULL, "long", false);
    assert_true(strlen(html) < 8 << 20);
    vta_string_free(html);
    check_page(&p, NULL, "a long program");
}

TEST_CASE(two_programs) {
    program p = alu_program(64, 2, 2, 0), other = alu_program(32, 2, 2, 0);
    check_page(&p, &other, "two programs");
    free(other.insns);
}

int main(void) { return run_cases(); }
