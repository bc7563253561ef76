// The model's side of model.h: the class that Verilator makes, behind a table of C functions.
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "Vvta_top.h"
#include "model.h"
#include "verilated.h"
#if VERILATOR_VERSION_INTEGER == 5006000 && !VM_TRACE_FST && !VM_COVERAGE && !VTA_NETLIST
#define VTA_PARTS 1
#include "Vvta_top___024root.h"
// What Verilator's eval calls: what depends on inputs; what a clock edge does.
void Vvta_top___024root___eval_ico(Vvta_top___024root *root);
void Vvta_top___024root___eval_nba(Vvta_top___024root *root);
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

namespace {

struct Model {
    VerilatedContext context;
    Vvta_top top{&context};
    uint64_t cycle = 0;
    bool steady = false; // the last cycle was one out of reset
#if VM_TRACE_FST
    VerilatedFstC *wave = nullptr;
#endif
};

template <typename T> uint8_t *bytes(T &port) { return reinterpret_cast<uint8_t *>(&port); }

void name_ports(Vvta_top &t, vt_model_ports *p) {
    p->rst_n = &t.rst_ni;
    p->s_awvalid = &t.s_axi_awvalid_i;
    p->s_awaddr = &t.s_axi_awaddr_i;
    p->s_wvalid = &t.s_axi_wvalid_i;
    p->s_arvalid = &t.s_axi_arvalid_i;
    p->s_araddr = &t.s_axi_araddr_i;
    p->s_wdata = &t.s_axi_wdata_i;
    p->s_awready = &t.s_axi_awready_o;
    p->s_rvalid = &t.s_axi_rvalid_o;
    p->s_rdata = &t.s_axi_rdata_o;
    p->s_bready = &t.s_axi_bready_i;
    p->s_rready = &t.s_axi_rready_i;
    p->arvalid = &t.m_axi_arvalid_o;
    p->arid = &t.m_axi_arid_o;
    p->arlen = &t.m_axi_arlen_o;
    p->araddr = &t.m_axi_araddr_o;
    p->arready = &t.m_axi_arready_i;
    p->rvalid = &t.m_axi_rvalid_i;
    p->rid = &t.m_axi_rid_i;
    p->rresp = &t.m_axi_rresp_i;
    p->rlast = &t.m_axi_rlast_i;
    p->rdata = bytes(t.m_axi_rdata_i);
    p->rready = &t.m_axi_rready_o;
    p->awvalid = &t.m_axi_awvalid_o;
    p->awlen = &t.m_axi_awlen_o;
    p->awaddr = &t.m_axi_awaddr_o;
    p->wvalid = &t.m_axi_wvalid_o;
    p->wlast = &t.m_axi_wlast_o;
    p->wdata = bytes(t.m_axi_wdata_o);
    p->wstrb = bytes(t.m_axi_wstrb_o);
    p->awready = &t.m_axi_awready_i;
    p->wready = &t.m_axi_wready_i;
    p->bvalid = &t.m_axi_bvalid_i;
    p->bresp = &t.m_axi_bresp_i;
    p->bready = &t.m_axi_bready_o;
    p->finished = &t.finished_o;
}

#if VM_TRACE_FST
// Models with waves. At the end of the process Verilator's own tables are gone before the last devices are; files that are
// still open then are closed by what was registered after those tables, and so runs before them.
std::mutex alive_lock;
std::set<Model *> &alive = *new std::set<Model *>; // never destroyed: devices end after this library's tables

void close_wave(Model *m) {
    if (!m->wave) return;
    m->wave->close();
    delete m->wave;
    m->wave = nullptr;
}

void close_all() {
    std::lock_guard<std::mutex> hold(alive_lock);
    for (Model *m : alive) close_wave(m);
}

void note(Model *m) {
    static const int registered = std::atexit(close_all);
    (void)registered;
    std::lock_guard<std::mutex> hold(alive_lock);
    alive.insert(m);
}

void forget(Model *m) {
    std::lock_guard<std::mutex> hold(alive_lock);
    alive.erase(m);
}
#endif

void *create(vt_model_ports *ports, uint64_t seed) {
    Model *m = new (std::nothrow) Model;
    if (!m) return nullptr;
    m->context.randReset(2); // what has no reset starts with random bits, in a model built for it
    m->context.randSeed(static_cast<int>(seed % 2147483647) + 1);
#if VM_TRACE_FST
    m->context.traceEverOn(true);
    note(m);
#endif
    name_ports(m->top, ports);
    return m;
}

void step(Model *m, int clock) {
    m->top.clk_i = clock;
    m->top.eval();
#if VM_TRACE_FST
    if (m->wave) m->wave->dump(m->cycle * 10 + (clock ? 5 : 0));
#endif
}

#if VTA_PARTS
// eval does both parts at each of its two calls a cycle. Once a cycle out of reset is over, the first call needs only the one
// and the second only the other, which saves a seventh of the time. The clock stays high.
bool in_parts(const Model *m) { return m->steady && m->top.rst_ni; }

void settle(void *model) {
    Model *m = static_cast<Model *>(model);
    if (!in_parts(m)) return step(m, 0);
    m->top.rootp->__VicoTriggered.at(0) = true;
    Vvta_top___024root___eval_ico(m->top.rootp);
}

void edge(void *model) {
    Model *m = static_cast<Model *>(model);
    m->cycle++;
    if (in_parts(m)) {
        m->top.rootp->__VnbaTriggered.at(0) = m->top.rootp->__VnbaTriggered.at(1) = true;
        return Vvta_top___024root___eval_nba(m->top.rootp);
    }
    step(m, 1);
    m->steady = m->top.rst_ni;
}
#else
void settle(void *model) { step(static_cast<Model *>(model), 0); }

void edge(void *model) {
    Model *m = static_cast<Model *>(model);
    step(m, 1);
    m->cycle++;
}
#endif

int wave(void *model, const char *path, const char *scope) {
#if VM_TRACE_FST
    Model *m = static_cast<Model *>(model);
    close_wave(m);
    if (!path) return 1;
    m->wave = new (std::nothrow) VerilatedFstC;
    if (!m->wave) return 0;
    if (scope) m->wave->dumpvars(99, std::string("TOP.vta_top.") + scope);
    m->top.trace(m->wave, 99);
    m->wave->open(path);
    return m->wave->isOpen();
#else
    (void)model;
    (void)scope;
    return !path;
#endif
}

void flush(void *model) {
#if VM_TRACE_FST
    Model *m = static_cast<Model *>(model);
    if (m->wave) m->wave->flush();
#else
    (void)model;
#endif
}

int coverage(void *model, const char *path) {
#if VM_COVERAGE
    static_cast<Model *>(model)->context.coveragep()->write(path);
    return 1;
#else
    (void)model;
    (void)path;
    return 0;
#endif
}

void destroy(void *model) {
    wave(model, nullptr, nullptr);
#if VM_TRACE_FST
    forget(static_cast<Model *>(model));
#endif
    static_cast<Model *>(model)->top.final();
    delete static_cast<Model *>(model);
}

} // namespace

extern "C" const vt_model_functions *vt_hardware_model(void);
extern "C" const vt_model_functions *vt_hardware_model(void) {
    static const vt_model_functions functions = {
        VT_MODEL_VERSION, VTA_BUS_BITS, VM_TRACE_FST + 0, create, destroy, settle, edge, wave, flush, coverage,
    };
    return &functions;
}
