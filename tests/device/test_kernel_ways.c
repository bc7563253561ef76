/* Boards under kernels that differ: an FPGA that is programmed by an overlay, bridges and clocks with and without files
 * that switch them, u-dma-buf with and without calls. The kernel is tests/support/fake_kernel.h. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "device/board/overlay.h"
#include "device/board/registers.h"
#include "device/folder.h"
#include "support/diag.h"
#include "support/fake_kernel.h"
#include "vta/device.h"

enum { MEMORY = 16 * 4096 };
static const char region[] = "/soc/base_fpga_region";

/* ---- A board -------------------------------------------------------------------------------------------------------
 */

static void make_folders(void) {
    static const char *const folders[] = {"overlays",
                                          "lib",
                                          "fpga",
                                          "sys",
                                          "sys/udmabuf7",
                                          "bridges",
                                          "clocks",
                                          "region0",
                                          "tree",
                                          "tree/devicetree",
                                          "tree/devicetree/base",
                                          "tree/devicetree/base/soc",
                                          "tree/devicetree/base/soc/base_fpga_region"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(in_folder(folders[i]), 0755), 0);
    assert_int_equal(symlink("../tree/devicetree/base/soc/base_fpga_region", in_folder("region0/of_node")), 0);
}

static void put_size(const char *name, off_t size) {
    put(name, "");
    assert_int_equal(truncate(in_folder(name), size), 0);
}

static int begin(void **state) {
    (void)state;
    static const char *const written[] = {"offset", "size", "direction", "for_device", "for_cpu"};
    strcpy(folder, "/tmp/vta-kernel-XXXXXX");
    diag = vta_diag_create(NULL);
    if (!mkdtemp(folder)) return -1;
    make_folders();
    kernel = (fake_kernel){.size = MEMORY, .has_calls = true};
    snprintf(kernel.overlays, sizeof kernel.overlays, "%s", in_folder("overlays"));
    snprintf(kernel.firmware, sizeof kernel.firmware, "%s", in_folder("lib"));
    snprintf(kernel.fpga, sizeof kernel.fpga, "%s", in_folder("fpga"));
    snprintf(kernel.region, sizeof kernel.region, "%s", region);
    snprintf(kernel.udmabuf, sizeof kernel.udmabuf, "%s", in_folder("udmabuf7"));
    put("fpga/state", "power off\n");
    put("sys/udmabuf7/size", "65536\n");
    put("sys/udmabuf7/phys_addr", "0x3f000000\n");
    for (int i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "sys/udmabuf7/sync_%s", written[i]);
        put(name, "");
    }
    put_size("udmabuf7", MEMORY);
    put_size("registers", 4 * VT_BLOCK_BYTES);
    put("design.bin", "bits");
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    vta_diag_destroy(diag);
    return system(command);
}

static const char *settings_with(const char *more) {
    static char text[2048];
    snprintf(text, sizeof text,
             "registers=%s memory=udmabuf7 sys=%s dev=%s fpga=%s firmware=%s overlays=%s region=%s bridges_in=%s "
             "clocks_in=%s wait_seconds=0 %s",
             in_folder("registers"), in_folder("sys"), folder, kernel.fpga, kernel.firmware, kernel.overlays,
             in_folder("region0"), in_folder("bridges"), in_folder("clocks"), more);
    return text;
}

static vta_device *board(const char *more) {
    vta_device *d = NULL;
    vta_config *config = vta_config_default();
    must(vta_device_create("pynq", config, &(vta_device_options){.board = settings_with(more)}, NULL, diag, &d));
    vta_config_release(config);
    return d;
}

static vta_status program(const char *more, const char *bitstream) {
    vta_device *d = board(more);
    vta_status status = vta_device_program(d, in_folder(bitstream), diag);
    vta_device_destroy(d);
    return status;
}

static vta_status idle(const char *more) {
    vta_config *config = vta_config_default();
    vta_status status = vta_device_idle("pynq", config, &(vta_device_options){.board = settings_with(more)}, diag);
    vta_config_release(config);
    return status;
}

static void expect(const char *name, const char *text) {
    char got[64] = "";
    fake_get(folder, name, got, sizeof got - 1);
    got[strcspn(got, "\n")] = '\0';
    assert_string_equal(got, text);
}

static bool is_there(const char *name) { return access(in_folder(name), F_OK) == 0; }

/* ---- Overlays ------------------------------------------------------------------------------------------------------
 */

static void by_overlay(void **state) {
    (void)state;
    must(program("", "design.bin"));
    assert_string_equal(kernel.loaded, "vta-design.bin");
    assert_string_equal(kernel.bits, "bits");
    assert_true(is_there("overlays/vta")); /* taken away, the region would close its bridges */
    assert_false(is_there("lib/vta-design.bin"));
    put("design.bin", "others");
    must(program("", "design.bin"));
    assert_string_equal(kernel.bits, "others");
    assert_int_equal(kernel.applied, 2);
    assert_int_equal(kernel.removed, 1);
}

/* Xilinx's kernels, the early ones of which have no flags. The name is written when the bitstream is there. */
static void by_name(void **state) {
    (void)state;
    put("fpga/state", "operating\n");
    put("fpga/firmware", "");
    must(program("", "design.bin"));
    expect("fpga/firmware", "vta-design.bin");
    assert_false(is_there("fpga/flags"));
    assert_int_equal(kernel.applied, 0);
    put("fpga/flags", "1");
    must(program("", "design.bin"));
    expect("fpga/flags", "0");
    assert_false(is_there("lib/vta-design.bin"));
}

static void overlay_refused(void **state) {
    (void)state;
    put("design.bin", "bad");
    refused(program("", "design.bin"), VTA_IO, "its state is 'write complete error', not 'operating'");
    put("design.bin", "bits");
    kernel.ignores_overlays = true;
    refused(program("", "design.bin"), VTA_IO, "overlays/vta/status says 'unapplied'");
    assert_false(is_there("overlays/vta"));
    kernel.ignores_overlays = false;
    refused(program("region=/no/such", "design.bin"), VTA_NOT_FOUND, "/no/such/of_node does not lead to a node");
    refused(program("overlays=/no/such", "design.bin"), VTA_UNSUPPORTED,
            "there is no /no/such for device-tree overlays");
    unlink(in_folder("fpga/state"));
    refused(program("", "design.bin"), VTA_NOT_FOUND, "has the kernel an FPGA manager (board setting fpga=)?");
    assert_false(is_there("lib/vta-design.bin"));
}

/* A file of the user's: what it loads must be what was asked for. */
static void overlay_of_the_user(void **state) {
    (void)state;
    unsigned char bytes[VT_OVERLAY_BYTES];
    char more[256];
    size_t size = vt__overlay_make(region, "vta-design.bin", bytes);
    FILE *f = fopen(in_folder("my.dtbo"), "w");
    fwrite(bytes, size, 1, f);
    fclose(f);
    snprintf(more, sizeof more, "overlay=%s region=/not/used", in_folder("my.dtbo"));
    must(program(more, "design.bin"));
    assert_string_equal(kernel.loaded, "vta-design.bin");
    put("other.bin", "bits");
    refused(program(more, "other.bin"), VTA_INVALID_ARGUMENT, "my.dtbo does not name vta-other.bin");
    put("design.bi", "bits");
    refused(program(more, "design.bi"), VTA_INVALID_ARGUMENT, "my.dtbo does not name vta-design.bi,");
    put("my.dtbo", "/dts-v1/; /plugin/; / { firmware-name = \"vta-design.bin\"; };");
    refused(program(more, "design.bin"), VTA_PARSE, "my.dtbo is not a device tree that was compiled");
    unlink(in_folder("my.dtbo"));
    refused(program(more, "design.bin"), VTA_NOT_FOUND, "my.dtbo");
}

/* Any lengths of both texts: the tree is read back by a reader that was not made from the writer. */
static void any_overlay(void **state) {
    (void)state;
    check_random r = {29};
    for (int i = 0; i < 3000; i++) {
        char path[VT_BOARD_TEXT], name[VT_BOARD_TEXT];
        int n = (int)check_between(&r, 1, VT_BOARD_TEXT - 1), k = (int)check_between(&r, 1, VT_BOARD_TEXT - 1);
        for (int j = 0; j < n; j++) path[j] = j ? (char)check_between(&r, 33, 126) : '/';
        for (int j = 0; j < k; j++) name[j] = (char)check_between(&r, 33, 126);
        path[n] = name[k] = '\0';
        kernel.dtbo_size = vt__overlay_make(path, name, kernel.dtbo);
        assert_in_range(kernel.dtbo_size, 1, VT_OVERLAY_BYTES);
        const char *target = fake_property("target-path", false), *firmware = fake_property("firmware-name", true);
        assert_non_null(target);
        assert_non_null(firmware);
        assert_string_equal(target, path);
        assert_string_equal(firmware, name);
        assert_null(fake_property("target-path", true));
    }
}

/* ---- Bridges and clocks --------------------------------------------------------------------------------------------
 */

static void make_part(const char *name, const char *file, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", name, file);
    mkdir(in_folder(name), 0755);
    put(path, text);
}

static void bridges(void **state) {
    (void)state;
    vta_device *d;
    uint32_t addr;
    put("fpga/state", "operating\n");
    make_part("bridges/br0", "name", "lwhps2fpga\n");
    make_part("bridges/br0", "state", "disabled\n");
    d = board("bridges=lwhps2fpga");
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_UNSUPPORTED,
            "the FPGA's bridge lwhps2fpga is disabled, and this kernel has no file that enables it");
    make_part("bridges/br0", "set", "0"); /* such a file that does nothing */
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_IO, "br0 still says that it is disabled");
    expect("bridges/br0/set", "1");
    put("bridges/br0/state", "enabled\n");
    must(vta_device_alloc(d, 1, diag, &addr));
    vta_device_destroy(d);
    unlink(in_folder("bridges/br0/state")); /* kernels of Altera's: one file */
    unlink(in_folder("bridges/br0/set"));
    make_part("bridges/br0", "enable", "0\n");
    make_part("bridges/br1", "enable", "0\n");
    d = board("bridges=br0");
    must(vta_device_alloc(d, 1, diag, &addr));
    expect("bridges/br0/enable", "1");
    expect("bridges/br1/enable", "0"); /* nobody named it */
    vta_device_destroy(d);
    d = board("bridges=br0:fpga2sdram");
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_NOT_FOUND, "bridge fpga2sdram: there is none of that name in");
    vta_device_destroy(d);
    d = board("bridges=br0:lwhps2fpga:br1");
    must(vta_device_alloc(d, 1, diag, &addr));
    expect("bridges/br1/enable", "1");
    vta_device_destroy(d);
}

/* A region's own bridge is the kernel's to enable: programming is enough. */
static void bridge_of_the_region(void **state) {
    (void)state;
    make_part("bridges/br0", "name", "lwhps2fpga\n");
    make_part("bridges/br0", "state", "disabled\n");
    refused(program("bridges=none", "design.bin"), VTA_NOT_FOUND, "bridge none");
    refused(program("bridges=br0", "design.bin"), VTA_UNSUPPORTED, "fpga-bridges");
    snprintf(kernel.bridge, sizeof kernel.bridge, "%s", in_folder("bridges/br0"));
    must(program("bridges=br0", "design.bin"));
    expect("bridges/br0/state", "enabled");
}

static void clocks(void **state) {
    (void)state;
    uint32_t addr;
    put("fpga/state", "operating\n");
    make_part("clocks/fclk0", "enable", "0\n");
    make_part("clocks/fclk0", "rate", "50000000\n");
    make_part("clocks/fclk1", "set_rate", "50000000\n"); /* Xilinx's */
    vta_device *d = board("clocks=fclk0@100000000:fclk1@142857142");
    must(vta_device_alloc(d, 1, diag, &addr));
    vta_device_destroy(d);
    expect("clocks/fclk0/enable", "1");
    expect("clocks/fclk0/rate", "100000000");
    expect("clocks/fclk1/set_rate", "142857142");
    d = board("clocks=fclk3");
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_NOT_FOUND, "clock fclk3: there is none of that name in");
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_NOT_FOUND, "(board setting clocks_in=)");
    vta_device_destroy(d);
}

/* ---- An FPGA that is not programmed --------------------------------------------------------------------------------
 */

/* Its registers are not touched: they would say that no stream may run. */
static void not_programmed(void **state) {
    (void)state;
    uint32_t addr, restarts = 0x81;
    FILE *f = fopen(in_folder("registers"), "r+");
    fwrite(&restarts, 4, 1, f);
    fclose(f);
    vta_device *d = board("");
    must(idle("")); /* nothing runs there */
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_IO, "the FPGA is not programmed: its manager");
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_IO, "says 'power off'. Program it");
    must(vta_device_program(d, in_folder("design.bin"), diag));
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_UNSUPPORTED, "the fetch block restarts by itself");
    put_size("registers", 4 * VT_BLOCK_BYTES); /* as programming would have them */
    must(vta_device_alloc(d, 1, diag, &addr));
    vta_device_destroy(d);
    must(idle(""));
    make_part("bridges/br0", "state", "disabled\n");
    f = fopen(in_folder("registers"), "r+");
    fwrite(&restarts, 4, 1, f);
    fclose(f);
    must(idle("bridges=br0"));
    refused(idle(""), VTA_UNSUPPORTED, "the fetch block restarts by itself");
}

static void write_register(long offset, uint32_t value) {
    FILE *f = fopen(in_folder("registers"), "r+");
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    fwrite(&value, 4, 1, f);
    fclose(f);
}

/* Who asks whether a board is idle sees the end of a dead process's run, which hardware tells once: it is noted. */
static void left_and_over(void **state) {
    (void)state;
    uint32_t count = 1, addr;
    put("fpga/state", "operating\n");
    write_register(VT_FETCH + VT_FETCH_COUNT, 9);
    write_register(VT_COMPUTE + VT_COMPUTE_DONE, 1);
    refused(idle(""), VTA_TIMEOUT, "the accelerator runs a stream"); /* it may not have begun: the 1 is old */
    write_register(VT_COMPUTE + VT_COMPUTE_DONE_VALID, 1);
    must(idle(""));
    write_register(VT_COMPUTE + VT_COMPUTE_DONE_VALID, 0); /* as hardware does when it is read */
    FILE *f = fopen(in_folder("registers"), "r");
    fseek(f, VT_FETCH + VT_FETCH_COUNT, SEEK_SET);
    assert_int_equal(fread(&count, 4, 1, f), 1);
    fclose(f);
    assert_int_equal(count, 0);
    vta_device *d = board("");
    must(vta_device_alloc(d, 1, diag, &addr));
    vta_device_destroy(d);
}

/* ---- Registers of several files, runs without a bound of time -------------------------------------------------------
 */

static uint32_t register_of(const char *name, long offset) {
    uint32_t value = 0;
    FILE *f = fopen(in_folder(name), "r");
    assert_non_null(f);
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    assert_int_equal(fread(&value, 4, 1, f), 1);
    fclose(f);
    return value;
}

/* A UIO device has one block, from its beginning on. */
static void one_file_a_block(void **state) {
    (void)state;
    static const char *const names[] = {"uio0", "uio1", "uio2", "uio3"};
    char files[512] = "registers=";
    uint32_t addr;
    put("fpga/state", "operating\n");
    for (int i = 0; i < 4; i++) {
        put_size(names[i], VT_BLOCK_BYTES);
        snprintf(files + strlen(files), sizeof files - strlen(files), "%s%s", i ? ":" : "", in_folder(names[i]));
    }
    vta_device *d = board(files);
    must(vta_device_alloc(d, 4096, diag, &addr));
    refused(vta_device_run(d, addr, 7, 5, diag), VTA_TIMEOUT, "no FINISH within 5 looks");
    assert_int_equal(register_of("uio0", 0), 0x01);
    assert_int_equal(register_of("uio0", 0x10), 7);
    assert_int_equal(register_of("uio0", 0x18), addr);
    for (int i = 1; i < 4; i++) assert_int_equal(register_of(names[i], 0), 0x81);
    assert_int_equal(register_of("registers", 0), 0);
    vta_device_destroy(d);
}

static void *finish_later(void *ctx) {
    volatile uint32_t *r = ctx;
    while (r[VT_FETCH / 4] != VT_START) usleep(1000);
    usleep(50000); /* many looks */
    r[(VT_COMPUTE + VT_COMPUTE_DONE) / 4] = r[(VT_COMPUTE + VT_COMPUTE_DONE_VALID) / 4] = 1;
    r[VT_FETCH / 4] = 0;
    return NULL;
}

static void no_bound_of_time(void **state) {
    (void)state;
    uint32_t addr;
    pthread_t hardware;
    put("fpga/state", "operating\n");
    vta_device *d = board("run_seconds=0");
    must(vta_device_alloc(d, 4096, diag, &addr));
    int fd = open(in_folder("registers"), O_RDWR);
    void *r = mmap(NULL, 4 * VT_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    assert_int_equal(pthread_create(&hardware, NULL, finish_later, r), 0);
    must(vta_device_run(d, addr, 7, UINT32_MAX, diag));
    pthread_join(hardware, NULL);
    munmap(r, 4 * VT_BLOCK_BYTES);
    vta_device_destroy(d);
}

/* ---- u-dma-buf -----------------------------------------------------------------------------------------------------
 */

/* A call covers what was asked for, and no cache line of another page. */
static void by_calls(void **state) {
    (void)state;
    static char bytes[MEMORY];
    uint32_t addr;
    put("fpga/state", "operating\n");
    vta_device *d = board("");
    must(vta_device_alloc(d, MEMORY, diag, &addr));
    check_random r = {30};
    for (int i = 0; i < 2000; i++) {
        size_t offset = (size_t)check_between(&r, 0, MEMORY - 1);
        size_t size = (size_t)check_between(&r, 1, (int64_t)(MEMORY - offset));
        bool reads = check_between(&r, 0, 1);
        kernel.syncs = 0;
        must(reads ? vta_device_read(d, addr + (uint32_t)offset, bytes, size, diag)
                   : vta_device_write(d, addr + (uint32_t)offset, bytes, size, diag));
        assert_int_equal(kernel.syncs, 1);
        assert_int_equal(kernel.sync[0].for_device, !reads);
        assert_int_equal(kernel.sync[0].direction, reads ? 2 : 1);
        assert_true(kernel.sync[0].offset <= offset && offset - kernel.sync[0].offset < 16);
        uint64_t last = kernel.sync[0].offset + kernel.sync[0].bytes;
        assert_true(last >= offset + size && last - offset - size < 16);
    }
    expect("sys/udmabuf7/sync_for_device", ""); /* its files, which are root's, are not needed */
    kernel.fails = EIO;
    refused(vta_device_read(d, addr, bytes, 1, diag), VTA_IO,
            "udmabuf7: its cache cannot be synchronized: Input/output");
    vta_device_destroy(d);
}

static void without_calls(void **state) {
    (void)state;
    uint32_t addr;
    put("fpga/state", "operating\n");
    kernel.has_calls = false;
    vta_device *d = board("");
    must(vta_device_alloc(d, 4096, diag, &addr));
    must(vta_device_write(d, addr + 17, "12345", 5, diag));
    expect("sys/udmabuf7/sync_offset", "17");
    expect("sys/udmabuf7/sync_size", "5");
    expect("sys/udmabuf7/sync_direction", "1");
    expect("sys/udmabuf7/sync_for_device", "1");
    assert_int_equal(kernel.syncs, 0);
    vta_device_destroy(d);
}

/* ---- A dma-heap with an IOMMU --------------------------------------------------------------------------------------
 */

static const char *heap_settings(void) {
    static char text[256];
    static const char *const folders[] = {"dma_heap", "vfio"};
    for (int i = 0; i < 2; i++) mkdir(in_folder(folders[i]), 0755);
    put("dma_heap/reserved", "heap");
    put("vfio/vfio", "container");
    put("vfio/3", "group");
    snprintf(kernel.heap, sizeof kernel.heap, "%s", in_folder("dma_heap/reserved"));
    snprintf(kernel.container, sizeof kernel.container, "%s", in_folder("vfio/vfio"));
    snprintf(kernel.group, sizeof kernel.group, "%s", in_folder("vfio/3"));
    snprintf(text, sizeof text, "memory=dma_heap/reserved memory_bytes=65536 iommu=%s", kernel.group);
    put("fpga/state", "operating\n");
    return text;
}

/* What is written at an address of the accelerator's is what the IOMMU has there. */
static void heap(void **state) {
    (void)state;
    uint32_t addr;
    char bytes[8] = "";
    kernel.pins_heaps = true;
    vta_device *d = board(heap_settings());
    assert_int_equal(kernel.mapped, 65536);
    must(vta_device_alloc(d, 5000, diag, &addr));
    must(vta_device_alloc(d, 4096, diag, &addr));
    assert_true(addr >= kernel.mapped_at && addr + 4096 <= kernel.mapped_at + kernel.mapped);
    must(vta_device_write(d, addr + 100, "hello", 6, diag));
    assert_int_equal(pread(kernel.memory, bytes, 6, (off_t)(addr + 100 - kernel.mapped_at)), 6);
    assert_string_equal(bytes, "hello");
    assert_int_equal(pwrite(kernel.memory, "world", 6, (off_t)(addr - kernel.mapped_at)), 6);
    must(vta_device_read(d, addr, bytes, 6, diag));
    assert_string_equal(bytes, "world");
    vta_device_destroy(d);
    close(kernel.memory);
    kernel.memory = 0;
}

/* Ordinary memory: asked for, and in the place of a heap that cannot be pinned. */
static void pages(void **state) {
    (void)state;
    uint32_t addr;
    char bytes[8] = "", text[300];
    for (int asked = 0; asked < 2; asked++) {
        snprintf(text, sizeof text, "%s%s", heap_settings(), asked ? " memory=pages" : "");
        vta_device *d = board(text);
        assert_int_equal(kernel.memory > 0, !asked); /* only a heap that was asked for is opened */
        assert_int_equal(kernel.mapped, 65536);
        must(vta_device_alloc(d, 4096, diag, &addr));
        must(vta_device_alloc(d, 4096, diag, &addr));
        unsigned char *host = kernel.mapped_host + (addr - kernel.mapped_at);
        must(vta_device_write(d, addr, "hello", 6, diag));
        assert_string_equal((const char *)host, "hello");
        memcpy(host, "world", 6);
        must(vta_device_read(d, addr, bytes, 6, diag));
        assert_string_equal(bytes, "world");
        if (kernel.memory > 0) {
            assert_int_equal(pread(kernel.memory, bytes, 6, (off_t)(addr - kernel.mapped_at)), 6);
            assert_string_equal(bytes, "");
            close(kernel.memory);
            kernel.memory = 0;
        }
        vta_device_destroy(d);
    }
}

static vta_status opened(const char *more) {
    vta_device *d = NULL;
    vta_config *config = vta_config_default();
    vta_status status =
        vta_device_create("pynq", config, &(vta_device_options){.board = settings_with(more)}, NULL, diag, &d);
    vta_config_release(config);
    vta_device_destroy(d);
    if (kernel.memory > 0) close(kernel.memory), kernel.memory = 0;
    return status;
}

static void heap_refused(void **state) {
    (void)state;
    char more[300];
    const char *with = heap_settings();
    refused(opened("memory=dma_heap/reserved"), VTA_INVALID_ARGUMENT, "(board setting iommu=");
    refused(opened("memory=pages"), VTA_INVALID_ARGUMENT, "(board setting iommu=");
    for (int i = 0; i < 4; i++) { /* a heap that can be pinned, one that cannot, pages */
        kernel.pins_heaps = i == 0;
        kernel.locks_little = i < 3;
        snprintf(more, sizeof more, "%s%s", with, i == 2 ? " memory=pages" : "");
        if (i < 3)
            refused(opened(more), VTA_IO, "(its pages count as locked ones: `ulimit -l` must have room");
        else
            must(opened(more));
    }
    kernel.release = "5.15.0-xilinx";
    refused(opened(with), VTA_UNSUPPORTED, "a dma-heap needs Linux 6.0 or later");
    kernel.release = "10.0.1";
    must(opened(with));
    kernel.heap_is_empty = true;
    refused(opened(with), VTA_NO_MEMORY, "reserved gives no 65536 bytes");
    kernel.heap_is_empty = false;
    kernel.not_viable = true;
    refused(opened(with), VTA_UNSUPPORTED, "bind all of them to vfio-platform");
    kernel.not_viable = false;
    kernel.not_coherent = true;
    refused(opened(with), VTA_IO, "its IOMMU cannot be set up");
    kernel.not_coherent = false;
    kernel.no_type1 = true;
    refused(opened(with), VTA_UNSUPPORTED, "has no IOMMU of type 1");
    kernel.no_type1 = false;
    snprintf(more, sizeof more, "%s memory=dma_heap/none", with);
    refused(opened(more), VTA_NOT_FOUND, "dma_heap/none: cannot be opened");
    static const char *const wrong[] = {"0", "4097", "x", "-4096", "3221229568", "18446744073709551616", "4096k"};
    for (int i = 0; i < 7; i++) {
        snprintf(more, sizeof more, "%s memory_bytes=%s", with, wrong[i]);
        refused(opened(more), VTA_INVALID_ARGUMENT, "is not a number of bytes in whole pages, at most 3221225472");
    }
    unlink(kernel.group);
    refused(opened(with), VTA_NOT_FOUND, "vfio/3: cannot be opened");
    unlink(kernel.container);
    refused(opened(with), VTA_NOT_FOUND, "vfio/vfio: cannot be opened");
}

/* ---- xlnk ----------------------------------------------------------------------------------------------------------
 */

static void xlnk(void **state) {
    (void)state;
    static unsigned char memory[MEMORY];
    char bytes[8] = "";
    uint32_t addr;
    put("fpga/state", "operating\n");
    refused(opened("memory=xlnk"), VTA_NOT_FOUND, "PYNQ's images up to 2.6");
    kernel.cma = memory, kernel.cma_bytes = MEMORY, kernel.cma_at = 0x17000000;
    refused(opened("memory=xlnk"), VTA_NO_MEMORY, "xlnk has no 67108864 bytes of CMA in one piece. Change");
    vta_device *d = board("memory=xlnk memory_bytes=65536");
    must(vta_device_alloc(d, 4096, diag, &addr));
    must(vta_device_alloc(d, 8192, diag, &addr));
    assert_int_equal(addr, 0x17001000);
    kernel.syncs = 0;
    must(vta_device_write(d, addr + 5, "hello", 6, diag));
    assert_string_equal((const char *)memory + 4096 + 5, "hello");
    assert_true(kernel.sync[0].for_device && kernel.sync[0].offset == 4096 + 5 && kernel.sync[0].bytes == 6);
    memcpy(memory + 4096 + 5, "world", 6);
    must(vta_device_read(d, addr + 5, bytes, 6, diag));
    assert_string_equal(bytes, "world");
    assert_true(!kernel.sync[1].for_device && kernel.sync[1].offset == 4096 + 5 && kernel.sync[1].bytes == 6);
    assert_int_equal(kernel.cma_frees, 0);
    vta_device_destroy(d);
    assert_int_equal(kernel.cma_frees, 1);
    kernel.cma_at = 0;
    refused(opened("memory=xlnk memory_bytes=65536"), VTA_IO, "does not say the address");
    kernel.cma_at = 0xffff8000; /* half of it is out of reach */
    refused(opened("memory=xlnk memory_bytes=65536"), VTA_UNSUPPORTED, "the first 4 GiB");
    assert_int_equal(kernel.cma_frees, 3);
}

/* ---- The check -----------------------------------------------------------------------------------------------------
 */

static char *checked;

static void check_board(const char *more) {
    vta_config *config = vta_config_default();
    vta_string_free(checked);
    must(vta_device_check("pynq", config, &(vta_device_options){.board = settings_with(more)}, diag, &checked));
    vta_config_release(config);
}

/* What the check said last of a part: its state, and words of what it found or advises. */
static void part_is(const char *name, const char *part_state, const char *words) {
    char key[64], row[2048];
    snprintf(key, sizeof key, "{\"name\": \"%s\", ", name);
    const char *at = strstr(checked, key);
    if (!at) fail_msg("no part %s in %s", name, checked);
    snprintf(row, sizeof row, "%.*s", (int)strcspn(at, "}"), at);
    snprintf(key, sizeof key, "\"state\": \"%s\"", part_state);
    if (!strstr(row, key) || !strstr(row, words)) fail_msg("not %s, '%s': %s", part_state, words, row);
}

static void missing_are(int count) {
    char text[32];
    snprintf(text, sizeof text, "\"missing\": %d}", count);
    if (!strstr(checked, text)) fail_msg("not %s: %s", text, checked);
}

static void restart_fetch(uint32_t value) {
    FILE *f = fopen(in_folder("registers"), "r+");
    fwrite(&value, 4, 1, f);
    fclose(f);
}

/* From a bare machine to one that has all: each step puts in place what the check said last was missing. */
static void check_in_order(void **state) {
    (void)state;
    static const char *const names[] = {"manager",   "fpga",        "bridges", "clocks",
                                        "registers", "accelerator", "memory",  "cache"};
    static const char fpga_off[] = "bridges=br0 clocks=fclk0 memory=udmabuf8";
    restart_fetch(0x81);
    check_board(fpga_off);
    for (const char *at = checked, *next, **n = (const char **)names; n < names + 8; n++, at = next) {
        char key[64];
        snprintf(key, sizeof key, "\"name\": \"%s\"", *n);
        next = strstr(at, key);
        if (!next) fail_msg("%s is not where it should be in %s", *n, checked);
    }
    part_is("manager", "ok", "takes overlays, for the region /soc/base_fpga_region");
    part_is("fpga", "missing", "not programmed: its manager says 'power off'");
    part_is("fpga", "missing", "vta rpc program");
    part_is("bridges", "missing", "br0: not there");
    part_is("clocks", "missing", "there is no fclk0 in");
    part_is("registers", "ok", "4 blocks");
    part_is("accelerator", "unknown", "an access may stop the host");
    part_is("memory", "missing", "modprobe u-dma-buf udmabuf8");
    part_is("cache", "unknown", "there is no memory");
    missing_are(4);
    put("fpga/state", "operating\n");
    make_part("bridges/br0", "state", "disabled\n");
    make_part("clocks/fclk0", "enable", "0\n");
    check_board(fpga_off);
    part_is("fpga", "ok", "programmed");
    part_is("bridges", "missing", "br0: off, and cannot be enabled");
    part_is("clocks", "ok", "fclk0: off, the driver enables it");
    part_is("accelerator", "unknown", "an access may stop");
    missing_are(2);
    put("bridges/br0/state", "enabled\n");
    put("clocks/fclk0/enable", "1\n");
    check_board("bridges=br0 clocks=fclk0");
    part_is("bridges", "ok", "br0: on");
    part_is("accelerator", "missing", "the fetch block restarts by itself");
    part_is("memory", "ok", "udmabuf7: 64 KiB at 0x3f000000");
    part_is("cache", "ok", "by calls of u-dma-buf's device file");
    missing_are(1);
    restart_fetch(0);
    check_board("bridges=br0 clocks=fclk0");
    part_is("accelerator", "ok", "it runs nothing");
    missing_are(0);
    expect("bridges/br0/state", "enabled");
    assert_int_equal(kernel.applied + kernel.syncs, 0);
    vta_string_free(checked), checked = NULL;
}

/* Who has it, what it runs, and what the check leaves as it is. */
static void check_of_a_board_in_use(void **state) {
    (void)state;
    uint32_t addr;
    put("fpga/state", "operating\n");
    put("fpga/firmware", "");
    make_part("clocks/fclk0", "enable", "0\n");
    vta_device *d = board("");
    must(vta_device_alloc(d, 1, diag, &addr));
    check_board("clocks=fclk0");
    part_is("manager", "ok", "takes firmware by name");
    part_is("registers", "missing", "is in use, by another process");
    part_is("accelerator", "unknown", "its registers cannot be had");
    expect("clocks/fclk0/enable", "0");
    vta_device_destroy(d);
    restart_fetch(1); /* a dead process's run */
    check_board("");
    part_is("accelerator", "missing", "the accelerator runs a stream");
    restart_fetch(0);
    kernel.has_calls = false;
    check_board("registers=/no/such");
    part_is("registers", "missing", "/no/such: cannot be opened");
    part_is("cache", "ok", "by u-dma-buf's files in sysfs");
    unlink(in_folder("sys/udmabuf7/sync_for_cpu")); /* as it is for whom its permissions do not name */
    check_board("");
    part_is("cache", "missing", "udev rule");
    check_board("fpga=/no/such overlays=/no/such");
    part_is("manager", "unknown", "the boot loader has to");
    part_is("fpga", "unknown", "nobody says");
    unlink(in_folder("fpga/firmware"));
    check_board("overlays=/no/such");
    part_is("manager", "unknown", "there is no /no/such");
    check_board("region=/no/such");
    part_is("manager", "missing", "fpga-region");
    vta_string_free(checked), checked = NULL;
    vta_config *config = vta_config_default();
    char *text = NULL;
    refused(vta_device_check("sim", config, NULL, diag, &text), VTA_UNSUPPORTED, "sim needs nothing of this machine");
    refused(vta_device_check("pynq", config, &(vta_device_options){.board = "x=1"}, diag, &text), VTA_INVALID_ARGUMENT,
            "'x' is not one of");
    refused(vta_device_check("pynq", NULL, NULL, diag, &text), VTA_INVALID_ARGUMENT, "config or out_json is NULL");
    assert_null(text);
    vta_config_release(config);
}

/* Files that this user may read, and not write. Root may write any, so another user looks. */
static int as_another_user(void) {
    if (getuid() == 0 && setuid(65534) != 0) return 1;
    kernel.has_calls = false;
    check_board("");
    part_is("manager", "ok", "not for this user, programming needs root");
    part_is("registers", "missing", "registers: cannot be opened: Permission denied; only root may");
    part_is("accelerator", "unknown", "");
    part_is("cache", "missing", "udev rule");
    check_board("bridges=br0");
    part_is("bridges", "ok", "br0: off");
    char path[512];
    snprintf(path, sizeof path, "registers=%s bridges=br0", in_folder("mine"));
    uint32_t addr;
    vta_device *d = board(path);
    refused(vta_device_alloc(d, 1, diag, &addr), VTA_IO, "enable cannot be written: Permission denied; only root may");
    refused(vta_device_program(d, in_folder("design.bin"), diag), VTA_IO, "Permission denied");
    vta_device_destroy(d);
    kernel.has_calls = true;
    check_board("");
    part_is("cache", "ok", "by calls");
    vta_string_free(checked);
    return 0;
}

static void who_may(void **state) {
    (void)state;
    char command[512];
    int how;
    put("fpga/state", "operating\n");
    put("fpga/firmware", "");
    put("fpga/flags", "");
    make_part("bridges/br0", "enable", "0\n");
    put_size("mine", 4 * VT_BLOCK_BYTES);
    snprintf(command, sizeof command, "cd %s && chmod -R a+rX,a-w . && chmod a+rw mine udmabuf7", folder);
    assert_int_equal(system(command), 0);
    fflush(NULL);
    pid_t child = fork();
    if (!child) _exit(as_another_user());
    assert_int_equal(waitpid(child, &how, 0), child);
    snprintf(command, sizeof command, "chmod -R u+w %s", folder);
    assert_int_equal(system(command), 0);
    if (how) fail_msg("another user's part ended with %d", how);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {EACH(by_overlay),
                                       EACH(by_name),
                                       EACH(overlay_refused),
                                       EACH(overlay_of_the_user),
                                       EACH(any_overlay),
                                       EACH(bridges),
                                       EACH(bridge_of_the_region),
                                       EACH(clocks),
                                       EACH(not_programmed),
                                       EACH(left_and_over),
                                       EACH(one_file_a_block),
                                       EACH(no_bound_of_time),
                                       EACH(by_calls),
                                       EACH(without_calls),
                                       EACH(heap),
                                       EACH(pages),
                                       EACH(heap_refused),
                                       EACH(xlnk),
                                       EACH(who_may),
                                       EACH(check_in_order),
                                       EACH(check_of_a_board_in_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
