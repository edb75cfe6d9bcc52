/* Code of a kernel out of the text of PTX that it was assembled from. */
#define _GNU_SOURCE
#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name(Named *list, int *n, int most, const char *word, int64_t place) {
    if (*n == most) return; /* what is not found is not understood */
    snprintf(list[*n].name, sizeof list->name, "%s", word);
    list[(*n)++].place = place;
}

/* ".reg .b32 %r<14>", ".reg .b64 %SP", ".shared .align 4 .b8 shared_0[128]", ".local" as that:
 * whether it is understood. */
static int declare(Reader *reader, const char *text) {
    Code *code = reader->code;
    char word[200];
    int n = 1;
    if (sscanf(text, ".reg %*s %199[^<]<%d>", word, &n) >= 1) {
        name(reader->names, &reader->n_names, MOST_NAMES, word, code->n_registers);
        code->n_registers += n;
        return 1;
    }
    int is_local = !strncmp(text, ".local", 6), is_array = is_local || !strncmp(text, ".shared", 7);
    if (is_array && sscanf(text, ".%*s .align %*d .b8 %199[^[][%d]", word, &n) == 2) {
        size_t *bytes = is_local ? &code->local_bytes : &code->shared_bytes;
        name(reader->names, &reader->n_names, MOST_NAMES, word, (int64_t)*bytes);
        *bytes += ((size_t)n + 15) & ~(size_t)15;
        return 1;
    }
    return !strncmp(text, ".pragma", 7);
}

static void not_understood(Code *code, const char *text) {
    if (!*code->unknown) snprintf(code->unknown, sizeof code->unknown, "%s", text);
}

/* Only parameters of 64 bits are understood: XLA's are pointers. */
static void read_parameters(Reader *reader, char *text) {
    char *rest = NULL;
    for (char *each = strtok_r(text, ",", &rest); each; each = strtok_r(NULL, ",", &rest)) {
        char *end = each + strlen(each), *last;
        while (end > each && isspace((unsigned char)end[-1])) *--end = 0;
        if (!(last = strrchr(each, ' '))) continue;
        if (!strstr(each, ".u64") && !strstr(each, ".b64")) not_understood(reader->code, each);
        name(reader->names, &reader->n_names, MOST_NAMES, last + 1,
             8 * reader->code->n_parameters++);
    }
}

static void read_part(Reader *reader, char *part) {
    char whole[sizeof reader->code->unknown];
    while (*part && strchr(" \t{}", *part)) part++;
    if (!*part) return;
    snprintf(whole, sizeof whole, "%s", part);
    reader->code->has_floats |= strstr(part, ".f16") || strstr(part, ".bf16") ||
                                strstr(part, ".f32") || strstr(part, ".f64") ||
                                strstr(part, ".tf32");
    if (!(*part == '.' ? declare(reader, part) : read_statement(reader, part)))
        not_understood(reader->code, whole);
}

static void read_body(Reader *reader, char *text) {
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *comment = strstr(line, "//"), *end;
        if (comment) *comment = 0;
        if (*line == '$' && (end = strchr(line, ':'))) {
            *end = 0;
            name(reader->labels, &reader->n_labels, MOST_LABELS, line, reader->code->n);
        } else
            for (char *part = line; (end = strchr(part, ';')); part = end + 1) {
                *end = 0; /* what has none is about lines of source */
                read_part(reader, part);
            }
    }
}

static void resolve_branches(const Reader *reader) {
    Code *code = reader->code;
    for (int i = 0; i < code->n; i++) {
        Instruction *what = &code->instructions[i];
        if (!what->label) continue;
        const Named *to = named(reader->labels, reader->n_labels, what->label,
                                strlen(what->label));
        if (to) what->target = (int)to->place;
        else not_understood(code, what->label);
        free(what->label);
    }
}

/* Whether something is stored that no instruction for floats has made: those move it at most. */
static int makes_integers(const Code *code) {
    int found = 0, n = code->n_registers;
    char *is_float = calloc((size_t)n, 1);
    for (int pass = 0; pass < 2; pass++) /* a loop uses what is made further down */
        for (int i = 0; i < code->n; i++) {
            const Instruction *what = &code->instructions[i];
            int moves = what->name == I_mov || what->name == I_selp || what->name == I_shfl;
            int made = what->type.kind >= FLOAT && what->name != I_setp;
            for (int k = 1; k < what->n; k++) {
                const Operand *from = &what->operands[k];
                int is = from->kind == REGISTER && is_float[from->place];
                made |= moves && is;
                found |= pass && what->name == I_st && what->space <= GLOBAL && !is;
            }
            if (made && what->n && what->operands[0].kind == REGISTER)
                is_float[what->operands[0].place] = 1;
        }
    free(is_float);
    return found;
}

/* ".entry NAME( parameters ) ... { body }" */
Code *code_read(const char *text, const char *wanted) {
    const char *begin = text, *open = NULL, *close = NULL, *body = NULL;
    size_t length = strlen(wanted);
    while (begin && (begin = strstr(begin, ".entry "))) {
        begin += strlen(".entry ");
        if (!strncmp(begin, wanted, length) && strchr("( \t\n", begin[length])) break;
    }
    if (!begin || !(open = strchr(begin, '(')) || !(close = strchr(open, ')')) ||
        !(body = strchr(close, '{')))
        return NULL;
    const char *end = body;
    for (int depth = 0; *end && (depth += (*end == '{') - (*end == '}')); end++) continue;
    Reader *reader = calloc(1, sizeof *reader);
    Code *code = reader->code = calloc(1, sizeof *code);
    code->n_registers = 1; /* the first is "_" */
    char *parameters = strndup(open + 1, (size_t)(close - open - 1));
    char *statements = strndup(body + 1, (size_t)(end - body - 1));
    read_parameters(reader, parameters);
    read_body(reader, statements);
    resolve_branches(reader);
    code->makes_integers = makes_integers(code);
    free(parameters), free(statements), free(reader);
    return code;
}
