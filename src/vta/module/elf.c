/* As much of ELF as it takes to tell what a file is and which functions it exports. Every offset is checked. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "module/module_priv.h"

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr elf_header;
typedef Elf64_Shdr elf_section;
typedef Elf64_Sym elf_symbol;
typedef Elf64_Phdr elf_segment;
enum { ELF_CLASS = ELFCLASS64 };
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Shdr elf_section;
typedef Elf32_Sym elf_symbol;
typedef Elf32_Phdr elf_segment;
enum { ELF_CLASS = ELFCLASS32 };
#endif

#if defined(__x86_64__)
enum { ELF_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { ELF_MACHINE = EM_AARCH64 };
#elif defined(__arm__)
enum { ELF_MACHINE = EM_ARM };
#elif defined(__riscv)
enum { ELF_MACHINE = EM_RISCV };
#else
enum { ELF_MACHINE = EM_NONE };
#endif

static const char *machine_name(unsigned machine) {
    switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_AARCH64: return "AArch64";
    case EM_ARM: return "ARM";
    case EM_RISCV: return "RISC-V";
    case EM_386: return "i386";
    default: return "another machine";
    }
}

/* A table of `count` items at `offset`, or NULL when it leaves the file. */
static const unsigned char *table(const unsigned char *bytes, size_t size, uint64_t offset, uint64_t count,
                                  size_t item) {
    uint64_t length;
    if (__builtin_mul_overflow(count, (uint64_t)item, &length) || offset > size || length > size - offset) return NULL;
    return bytes + offset;
}

/* The loader maps segments without looking at the file's size, and a read past its end kills the process. */
static bool is_whole(const unsigned char *bytes, size_t size, const elf_header *header) {
    const unsigned char *segments = table(bytes, size, header->e_phoff, header->e_phnum, sizeof(elf_segment));
    if (!segments || header->e_phentsize != sizeof(elf_segment)) return false;
    for (size_t i = 0; i < header->e_phnum; i++) {
        elf_segment segment;
        memcpy(&segment, segments + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && !table(bytes, size, segment.p_offset, segment.p_filesz, 1)) return false;
    }
    return true;
}

vta_status vt__elf_check(const char *path, const unsigned char *bytes, size_t size, vta_diag *diag,
                         vt_elf_kind *out_kind) {
    *out_kind = VT_ELF_NONE;
    elf_header header;
    if (size < sizeof header || memcmp(bytes, ELFMAG, SELFMAG))
        return vt_fail(diag, VTA_PARSE, "%s: not an object file or shared object (no ELF header)", path);
    memcpy(&header, bytes, sizeof header);
    if (bytes[EI_CLASS] != ELF_CLASS || (ELF_MACHINE != EM_NONE && header.e_machine != ELF_MACHINE))
        return vt_fail(diag, VTA_PARSE, "%s: made for %s, but this process runs on %s", path,
                       machine_name(header.e_machine), machine_name(ELF_MACHINE));
    if (header.e_type == ET_REL) *out_kind = VT_ELF_OBJECT;
    if (header.e_type == ET_DYN) *out_kind = VT_ELF_SHARED;
    if (*out_kind == VT_ELF_SHARED && !is_whole(bytes, size, &header))
        return vt_fail(diag, VTA_PARSE, "%s: the file is cut short", path);
    if (*out_kind != VT_ELF_NONE) return VTA_OK;
    return vt_fail(diag, VTA_PARSE, "%s: an ELF file, but no object file or shared object", path);
}

static bool section_at(const unsigned char *bytes, size_t size, const elf_header *header, uint64_t index,
                       elf_section *out) {
    if (index >= header->e_shnum || header->e_shentsize != sizeof *out) return false;
    const unsigned char *sections = table(bytes, size, header->e_shoff, header->e_shnum, sizeof *out);
    if (!sections) return false;
    memcpy(out, sections + index * sizeof *out, sizeof *out);
    return true;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static vta_status join(const vta_allocator *a, const char **names, size_t count, vta_diag *diag, char **out_names) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, a);
    if (count) qsort(names, count, sizeof *names, by_name);
    vt_strbuf_add(&sb, "");
    for (size_t i = 0; i < count; i++) vt_strbuf_addf(&sb, "%s%s", i ? "\n" : "", names[i]);
    *out_names = sb.failed ? NULL : vt_strdup(a, vt_strbuf_text(&sb));
    vt_strbuf_free(&sb);
    return *out_names ? VTA_OK : vt_no_memory(diag);
}

/* The name by which a caller may look a symbol up: of a defined global function. NULL for others. */
static const char *function_name(const elf_symbol *symbol, const char *strings, size_t strings_size) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL) return NULL;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= strings_size) return NULL;
    static const char prefix[] = VTA_KERNEL_PREFIX;
    const char *name = strings + symbol->st_name;
    if (!memchr(name, '\0', strings_size - symbol->st_name)) return NULL;
    if (!strncmp(name, prefix, sizeof prefix - 1)) return name + sizeof prefix - 1;
    return name[0] && name[0] != '_' ? name : NULL;
}

static vta_status list(const vta_allocator *a, const unsigned char *bytes, size_t size, const elf_section *symbols,
                       const elf_section *strings, vta_diag *diag, char **out_names) {
    size_t total = symbols->sh_size / sizeof(elf_symbol), count = 0;
    const unsigned char *at = table(bytes, size, symbols->sh_offset, total, sizeof(elf_symbol));
    const char *text = (const char *)table(bytes, size, strings->sh_offset, strings->sh_size, 1);
    if (!at || !text) return join(a, NULL, 0, diag, out_names);
    const char **names = vt_alloc_array(a, total, sizeof *names);
    if (!names) return vt_no_memory(diag);
    for (size_t i = 0; i < total; i++) {
        elf_symbol symbol;
        memcpy(&symbol, at + i * sizeof symbol, sizeof symbol);
        const char *name = function_name(&symbol, text, strings->sh_size);
        if (name) names[count++] = name;
    }
    vta_status status = join(a, names, count, diag, out_names);
    vt_free(a, names, total * sizeof *names);
    return status;
}

vta_status vt__elf_functions(const vta_allocator *a, const unsigned char *bytes, size_t size, vta_diag *diag,
                             char **out_names) {
    elf_header header;
    elf_section section, strings;
    *out_names = NULL;
    if (size < sizeof header) return join(a, NULL, 0, diag, out_names);
    memcpy(&header, bytes, sizeof header);
    for (uint64_t i = 0; section_at(bytes, size, &header, i, &section); i++)
        if (section.sh_type == SHT_DYNSYM && section_at(bytes, size, &header, section.sh_link, &strings))
            return list(a, bytes, size, &section, &strings, diag, out_names);
    return join(a, NULL, 0, diag, out_names);
}
