/* What an assembled module says besides its code: the text of PTX that it was assembled from, where
 * the assembler was told to write line info (XLA is told so), and its variables. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *image;
    const Elf64_Shdr *sections;
    const char *names;
    int n;
} File;

static int opened(const void *image, File *file) {
    const Elf64_Ehdr *header = image;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG)) return 0;
    const Elf64_Shdr *sections = (const void *)((const char *)image + header->e_shoff);
    const char *names = (const char *)image + sections[header->e_shstrndx].sh_offset;
    *file = (File){image, sections, names, header->e_shnum};
    return 1;
}

static const Elf64_Shdr *section(const File *file, const char *name) {
    for (int i = 0; i < file->n; i++)
        if (!strcmp(file->names + file->sections[i].sh_name, name)) return &file->sections[i];
    return NULL;
}

char *ptx_text(const void *image) {
    File file;
    const Elf64_Shdr *found = opened(image, &file) ? section(&file, ".nv_debug_ptx_txt") : NULL;
    if (!found) return NULL;
    char *text = malloc(found->sh_size + 1);
    memcpy(text, file.image + found->sh_offset, found->sh_size);
    for (size_t i = 0; i < found->sh_size; i++)
        if (!text[i]) text[i] = '\n'; /* its lines end so */
    text[found->sh_size] = 0;
    return text;
}

/* A variable of a module in memory of the device, as the module initialises it. */
static Variable variable(const File *file, const Elf64_Sym *symbol, const char *name) {
    const Elf64_Shdr *of = &file->sections[symbol->st_shndx];
    Variable made = {strdup(name), NULL, symbol->st_size};
    if (device_allocate(&made.place, made.bytes)) made.place = NULL;
    else if (of->sh_type == SHT_NOBITS) memset(made.place, 0, made.bytes);
    else memcpy(made.place, file->image + of->sh_offset + symbol->st_value, made.bytes);
    return made;
}

Variable *module_variables(const void *image, size_t *n) {
    File file;
    const Elf64_Shdr *found = opened(image, &file) ? section(&file, ".symtab") : NULL;
    size_t n_symbols = found ? found->sh_size / sizeof(Elf64_Sym) : 0;
    Variable *variables = calloc(n_symbols + 1, sizeof *variables);
    *n = 0;
    for (size_t i = 0; i < n_symbols; i++) {
        const Elf64_Sym *symbol = (const Elf64_Sym *)(file.image + found->sh_offset) + i;
        const char *names = file.image + file.sections[found->sh_link].sh_offset;
        if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size)
            variables[(*n)++] = variable(&file, symbol, names + symbol->st_name);
    }
    return variables;
}
