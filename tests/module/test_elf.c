/* What is read of an ELF file: images made by hand, with their tables in every order and the last one up to the end. */
#include <elf.h>
#include <link.h>

#include "module/module_priv.h"
#include "support/diag.h"

typedef ElfW(Ehdr) header;
typedef ElfW(Shdr) section;
typedef ElfW(Sym) symbol;
typedef ElfW(Phdr) segment;

enum { SECTIONS, SYMBOLS, STRINGS, TABLES };
enum { COUNT = 8, DYNSYM = 1, DYNSTR = 2 };

/* From 0 on: "", f, _f, gh, data; the last one does not end. */
static const char strings[] = {'\0', 'f', '\0', '_', 'f', '\0', 'g', 'h', '\0', 'd', 'a', 't', 'a', '\0', 'x'};

typedef struct image {
    header head;
    section sections[3];
    symbol symbols[COUNT];
    uint8_t bytes[sizeof(header) + 3 * sizeof(section) + COUNT * sizeof(symbol) + sizeof strings];
    size_t size, at[TABLES], ends[TABLES];
} image;

static symbol named(unsigned at, int bind, int type, unsigned defined_in) {
    return (symbol){
        .st_name = at, .st_info = (unsigned char)ELF64_ST_INFO(bind, type), .st_shndx = (uint16_t)defined_in};
}

static void write_image(image *m) {
    memcpy(m->bytes, &m->head, sizeof m->head);
    memcpy(m->bytes + m->at[SECTIONS], m->sections, sizeof m->sections);
    memcpy(m->bytes + m->at[SYMBOLS], m->symbols, sizeof m->symbols);
    memcpy(m->bytes + m->at[STRINGS], strings, sizeof strings);
}

static void make(image *m, const int order[TABLES]) {
    static const size_t sizes[] = {sizeof m->sections, sizeof m->symbols, sizeof strings};
    *m = (image){.size = sizeof m->head};
    for (int i = 0; i < TABLES; i++) {
        m->at[order[i]] = m->size;
        m->ends[order[i]] = m->size += sizes[order[i]];
    }
    m->head.e_shoff = m->at[SECTIONS];
    m->head.e_shnum = 3;
    m->head.e_shentsize = sizeof(section);
    m->sections[DYNSYM] =
        (section){.sh_type = SHT_DYNSYM, .sh_link = DYNSTR, .sh_offset = m->at[SYMBOLS], .sh_size = sizeof m->symbols};
    m->sections[DYNSTR] = (section){.sh_type = SHT_STRTAB, .sh_offset = m->at[STRINGS], .sh_size = sizeof strings};
    m->symbols[1] = named(6, STB_GLOBAL, STT_FUNC, 1);
    m->symbols[2] = named(1, STB_GLOBAL, STT_FUNC, 1);
    m->symbols[3] = named(3, STB_GLOBAL, STT_FUNC, 1);         /* begins with _ */
    m->symbols[4] = named(9, STB_GLOBAL, STT_OBJECT, 1);       /* no function */
    m->symbols[5] = named(7, STB_LOCAL, STT_FUNC, 1);          /* not for others */
    m->symbols[6] = named(7, STB_GLOBAL, STT_FUNC, SHN_UNDEF); /* not here */
    m->symbols[7] = named(14, STB_GLOBAL, STT_FUNC, 1);        /* a name that does not end */
}

/* In memory of just this size, so that a sanitizer sees the first byte behind it. */
static void expect(const image *m, size_t size, const char *names) {
    char *got;
    uint8_t *exact = malloc(size);
    memcpy(exact, m->bytes, size);
    must(vt__elf_functions(NULL, exact, size, diag, &got));
    assert_string_equal(got, names);
    vt_strfree(NULL, got);
    free(exact);
}

static const int orders[][TABLES] = {
    {SECTIONS, SYMBOLS, STRINGS}, {SECTIONS, STRINGS, SYMBOLS}, {SYMBOLS, SECTIONS, STRINGS},
    {SYMBOLS, STRINGS, SECTIONS}, {STRINGS, SECTIONS, SYMBOLS}, {STRINGS, SYMBOLS, SECTIONS},
};

TEST_CASE(tables_anywhere) {
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        image m;
        make(&m, orders[i]);
        write_image(&m);
        expect(&m, m.size, "f\ngh");
        for (int t = 0; t < TABLES; t++) expect(&m, m.ends[t] - 1, "");
        expect(&m, sizeof(header) - 1, "");
    }
}

typedef void change(image *m);
#define CHANGE(name, ...)                                                                                              \
    static void name(image *m) { __VA_ARGS__; }

CHANGE(no_sections, m->head.e_shnum = 0)
CHANGE(one_section, m->head.e_shnum = 1)
CHANGE(other_sections, m->head.e_shentsize++)
CHANGE(far_sections, m->head.e_shoff = (ElfW(Off))-8)
CHANGE(sections_beyond, m->head.e_shoff++)
CHANGE(no_symbols, m->sections[DYNSYM].sh_type = SHT_SYMTAB)
CHANGE(no_strings, m->sections[DYNSYM].sh_link = 3)
CHANGE(symbols_beyond, m->sections[DYNSYM].sh_offset = m->size - sizeof m->symbols + 1)
CHANGE(strings_beyond, m->sections[DYNSTR].sh_offset = m->size - sizeof strings + 1)
CHANGE(many_symbols, m->sections[DYNSYM].sh_size = (ElfW(Xword))-1)
CHANGE(two_symbols, m->sections[DYNSYM].sh_size = 3 * sizeof(symbol) - 1)
CHANGE(names_beyond, m->symbols[1].st_name = sizeof strings; m->symbols[2].st_name = 1u << 31)
CHANGE(one_name_less, m->symbols[2].st_name = 0; m->symbols[1].st_name++)

TEST_CASE(other_headers) {
    static const struct {
        change *how;
        const char *names;
    } changes[] = {
        {no_sections, ""},   {one_section, ""},  {other_sections, ""}, {far_sections, ""},   {sections_beyond, ""},
        {no_symbols, ""},    {no_strings, ""},   {symbols_beyond, ""}, {strings_beyond, ""}, {many_symbols, ""},
        {two_symbols, "gh"}, {names_beyond, ""}, {one_name_less, "h"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        image m;
        make(&m, orders[3]); /* the sections are the last */
        changes[i].how(&m);
        write_image(&m);
        expect(&m, m.size, changes[i].names);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
