/* Between the files of this folder. */
#ifndef VT_MODULE_PRIV_H
#define VT_MODULE_PRIV_H

#include "base/diag.h"
#include "vta/module.h"

/* ---- Tar files of objects (tar.c) ---- */
bool vt__is_tar(const unsigned char *bytes, size_t size);
/* Writes the objects of a tar file into the folder as 0.o, 1.o, ...: vt__tar_remove removes them. VTA_PARSE: damaged,
 * or without an object; then none is left. */
vta_status vt__tar_unpack(const vta_allocator *a, const char *path, const char *folder, vta_diag *diag,
                          unsigned *out_count);
void vt__tar_remove(const char *folder, unsigned count);

/* Links an object file, or those of a tar file, into a shared object in a temporary folder of its own. *out_path (free
 * with vt_strfree) is to be removed with vt__remove_linked once it is loaded. */
vta_status vt__link_object(const vta_allocator *a, const char *path, bool is_tar, vta_diag *diag, char **out_path);
void vt__remove_linked(const char *path);

/* Any symbol of a module; NULL when it has none such. */
void *vt__module_symbol(vta_module *module, const char *name);
/* What stands for the module in messages. */
const char *vt__module_name(const vta_module *module);

/* Gives an object that TVM made what it calls (tvm_object.c); others have no such symbols. */
void vt__module_fill_pointers(vta_module *module);

/* What an ELF file is. */
typedef enum vt_elf_kind { VT_ELF_NONE, VT_ELF_OBJECT, VT_ELF_SHARED } vt_elf_kind;
/* VTA_PARSE for a file that is not an ELF object or shared object for this machine. */
vta_status vt__elf_check(const char *path, const unsigned char *bytes, size_t size, vta_diag *diag,
                         vt_elf_kind *out_kind);
/* The global functions that a shared object defines, one a line, sorted, "" when there are none; free with vt_strfree.
 * Names that begin with an underscore are the tool chain's and left out. */
vta_status vt__elf_functions(const vta_allocator *a, const unsigned char *bytes, size_t size, vta_diag *diag,
                             char **out_names);

/* A handle of a function for TVMFuncCall, until TVMFuncFree. */
vta_status vt__function_hold(vta_packed_function function, vta_diag *diag, TVMFunctionHandle *out);
/* Makes the first message of a list (NULL: none) the calling thread's last error. */
void vt__last_error_of(vta_diag *diag, vta_status status);
/* The array whose tensor it is: one that vta_array_tensor gave. NULL for NULL. */
vta_array *vt__array_of(DLTensor *tensor);

/* Has vta_host_interrupt raised its flag? */
bool vt__host_stopped(void);

#endif
