#include "runtime/buffer.h"

vta_status vt_buffer_find(const vta_runtime *runtime, const void *handle, vta_diag *diag, vt_slot **out_slot) {
    vt_slot *slot = vt_handle_find(&vt_buffers, handle);
    *out_slot = slot;
    if (slot && (!runtime || slot->owner == runtime)) return VTA_OK;
    if (slot)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "buffer %p belongs to another runtime than the command handle",
                       handle);
    if (!handle) return vt_fail(diag, VTA_INVALID_ARGUMENT, "the buffer is NULL; VTABufferAlloc gives one");
    if (vt_handle_is_kind(&vt_buffers, handle))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "buffer %p was freed, or its runtime has ended", handle);
    return vt_fail(diag, VTA_INVALID_ARGUMENT,
                   "%p is not a buffer of VTABufferAlloc (a host pointer, or a handle plus an offset?)", handle);
}

vta_status vt_buffer_check_range(uint64_t size, const char *what, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    if (offset <= size && bytes <= size - offset) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%llu bytes from byte %llu of %s go past its end (%llu bytes)",
                   (unsigned long long)bytes, (unsigned long long)offset, what, (unsigned long long)size);
}

vta_status vt_buffer_alloc(vta_runtime *runtime, size_t bytes, vta_diag *diag, void **out_handle) {
    *out_handle = NULL;
    vt_slot *slot = vt_handle_take(&vt_buffers);
    if (!slot) return vt_fail(diag, VTA_NO_MEMORY, "no buffer handles are left");
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vta_device_alloc(runtime->device, bytes ? bytes : 1, diag, &slot->addr);
    if (status == VTA_OK) { /* under the lock: a capture must see the same buffers before and after a run */
        slot->object = vta_device_host_ptr(runtime->device, slot->addr, bytes ? bytes : 1);
        slot->owner = runtime;
        slot->bytes = bytes;
        *out_handle = vt_handle_publish(&vt_buffers, slot);
    }
    pthread_mutex_unlock(&runtime->lock);
    if (status != VTA_OK) vt_handle_drop(&vt_buffers, slot);
    return status;
}

/* A buffer that a call without a command handle works on. Its runtime is held: another thread may end it meanwhile. */
typedef struct held {
    vta_runtime *runtime;
    vt_slot *slot;
    uint32_t addr;
    uint64_t bytes;
} held;

/* The table's lock keeps the handle, and with it the runtime, from ending between the look and the hold. */
static bool hold_slot(vt_slot *slot, const void *handle, held *out) {
    pthread_mutex_lock(&vt_buffers.lock);
    bool ok = atomic_load_explicit(&slot->handle, memory_order_relaxed) == (uintptr_t)handle &&
              vt_runtime_try_retain(slot->owner);
    if (ok) *out = (held){slot->owner, slot, slot->addr, slot->bytes};
    pthread_mutex_unlock(&vt_buffers.lock);
    return ok;
}

static vta_status hold(const void *handle, vta_diag *diag, held *out) {
    vt_slot *slot;
    VT_TRY(vt_buffer_find(NULL, handle, diag, &slot));
    if (hold_slot(slot, handle, out)) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "buffer %p was freed by another thread", handle);
}

static void let_go(const held *b) {
    if (b->runtime) vt_runtime_release(b->runtime);
}

vta_status vt_buffer_free(void *handle, vta_diag *diag) {
    held b;
    VT_TRY(hold(handle, diag, &b));
    pthread_mutex_lock(&b.runtime->lock);
    bool mine = vt_handle_end(&vt_buffers, b.slot, handle);
    if (mine) vt_runtime_free_memory_locked(b.runtime, b.addr, (size_t)b.bytes);
    pthread_mutex_unlock(&b.runtime->lock);
    let_go(&b);
    if (mine) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "buffer %p was freed by another thread", handle);
}

/* ---- Copies ------------------------------------------------------------------------------------------------ */

static vta_status write_locked(const held *to, size_t offset, const void *from, size_t bytes, vta_diag *diag) {
    vta_runtime *runtime = to->runtime;
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vta_device_write(runtime->device, to->addr + (uint32_t)offset, from, bytes, diag);
    pthread_mutex_unlock(&runtime->lock);
    return status;
}

static vta_status read_locked(const held *from, size_t offset, void *to, size_t bytes, vta_diag *diag) {
    vta_runtime *runtime = from->runtime;
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vta_device_read(runtime->device, from->addr + (uint32_t)offset, to, bytes, diag);
    pthread_mutex_unlock(&runtime->lock);
    return status;
}

/* Through the host, piece by piece, from the end at which an overlap is read before it is written. */
static vta_status copy_between(const held *from, size_t from_offset, const held *to, size_t to_offset, size_t bytes,
                               vta_diag *diag) {
    unsigned char piece[8192];
    bool backward = from->slot == to->slot && to_offset > from_offset;
    for (size_t done = 0; done < bytes;) {
        size_t n = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        size_t at = backward ? bytes - done - n : done;
        VT_TRY(read_locked(from, from_offset + at, piece, n, diag));
        VT_TRY(write_locked(to, to_offset + at, piece, n, diag));
        done += n;
    }
    return VTA_OK;
}

/* A host pointer: anything but NULL and our own handles. */
static vta_status check_host(const void *p, const char *what, int kind_mask, vta_diag *diag) {
    if (!p) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", what);
    if (!vt_handle_is_kind(&vt_buffers, p)) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is a buffer, but kind_mask %d says that it is host memory", what,
                   kind_mask);
}

/* One side of a copy; *out is held when it is a buffer. */
static vta_status take_side(const void *p, size_t offset, size_t bytes, bool is_buffer, const char *what, int kind_mask,
                            vta_diag *diag, held *out) {
    if (!is_buffer) return check_host(p, what, kind_mask, diag);
    VT_TRY(hold(p, diag, out));
    return vt_buffer_check_range(out->bytes, what, offset, bytes, diag);
}

vta_status vt_buffer_copy(const void *from, size_t from_offset, void *to, size_t to_offset, size_t bytes, int kind_mask,
                          vta_diag *diag) {
    enum { TO_DEVICE = 1, FROM_DEVICE = 2 };
    if (kind_mask < TO_DEVICE || kind_mask > (TO_DEVICE | FROM_DEVICE))
        return vt_fail(diag, VTA_OUT_OF_RANGE,
                       "kind_mask %d is not 1 (host to device), 2 (device to host) or 3 (device to device)", kind_mask);
    held source = {0}, target = {0};
    vta_status status = take_side(from, from_offset, bytes, kind_mask & FROM_DEVICE, "from", kind_mask, diag, &source);
    if (status == VTA_OK)
        status = take_side(to, to_offset, bytes, kind_mask & TO_DEVICE, "to", kind_mask, diag, &target);
    if (status == VTA_OK && bytes) {
        if (source.runtime && target.runtime)
            status = copy_between(&source, from_offset, &target, to_offset, bytes, diag);
        else if (target.runtime)
            status = write_locked(&target, to_offset, (const char *)from + from_offset, bytes, diag);
        else
            status = read_locked(&source, from_offset, (char *)to + to_offset, bytes, diag);
    }
    let_go(&source);
    let_go(&target);
    return status;
}

vta_status vta_buffer_info(const void *buffer, size_t *out_bytes, uint32_t *out_addr) {
    if (out_bytes) *out_bytes = 0;
    if (out_addr) *out_addr = 0;
    held b;
    if (hold(buffer, NULL, &b) != VTA_OK) return VTA_NOT_FOUND;
    if (out_bytes) *out_bytes = (size_t)b.bytes;
    if (out_addr) *out_addr = b.addr;
    let_go(&b);
    return VTA_OK;
}
