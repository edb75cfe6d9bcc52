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

/* ".extern .shared .align 16 .b8 global_smem[]" before a kernel, of a size that a launch says. */
static void declare_dynamic(Reader *reader, const char *text) {
    char word[200];
    const char *found = strstr(text, ".extern .shared");
    if (found && sscanf(found, ".extern .shared .align %*d .b8 %199[^[]", word) == 1)
        name(reader->names, &reader->n_names, MOST_NAMES, word, DYNAMIC_AT);
}

static void not_understood(Code *code, const char *text) {
    const char *const harmless[] = {"ld.", "st.", "mov.", "cvta.", "cp.", "ldmatrix.", "stmatrix.",
                                    "bar.", "barrier.", "fence.", "membar."};
    int makes = 1;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        makes &= strncmp(text, harmless[i], strlen(harmless[i])) != 0;
    code->unknown_makes |= makes;
    if (!*code->unknown) snprintf(code->unknown, sizeof code->unknown, "%s", text);
}

/* Pointers and numbers are understood, each in a place of 8 bytes; no structures. */
static void read_parameters(Reader *reader, char *text) {
    char *rest = NULL;
    for (char *each = strtok_r(text, ",", &rest); each; each = strtok_r(NULL, ",", &rest)) {
        char *end = each + strlen(each), *last;
        while (end > each && isspace((unsigned char)end[-1])) *--end = 0;
        if (!(last = strrchr(each, ' '))) continue;
        char *type = each;
        int bits = 0;
        while ((type = strpbrk(type, ".")) && sscanf(type, ".%*1[ubsf]%d", &bits) != 1) type++;
        if (bits < 8 || strchr(last, '[') || reader->code->n_parameters == MOST_PARAMETERS) {
            not_understood(reader->code, last);
            continue;
        }
        reader->code->parameter_bytes[reader->code->n_parameters] = (unsigned char)(bits / 8);
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

/* What an instruction gives: what it is made of where it moves it at most. */
static Value given(const Instruction *what, const Value *values) {
    Name name = what->name;
    if (what->type.kind >= FLOAT && name != I_setp) return BY_FLOATS;
    if (name == I_ld) return MOVED;
    if (name != I_mov && name != I_selp && name != I_shfl) return BY_INTEGERS;
    Value most = BY_INTEGERS; /* a choice of two numbers is, too */
    for (int i = what->n - 1; i > 0; i--)
        if (what->operands[i].kind == REGISTER && !(name == I_selp && i == 3)) {
            Value one = values[what->operands[i].place];
            if (one < most) most = one;
        }
    return most;
}

static Value stored(const Code *code) {
    Value found = BY_FLOATS, *values = malloc((size_t)code->n_registers * sizeof *values);
    for (int i = 0; i < code->n_registers; i++) values[i] = MOVED;
    for (int pass = 0; pass < 2; pass++) /* a loop uses what is made further down */
        for (int i = 0; i < code->n; i++) {
            const Instruction *what = &code->instructions[i];
            const Operand *first = what->operands;
            for (int k = 1; pass && what->name == I_st && k < what->n; k++) {
                int is_held = first[k].kind == REGISTER;
                Value one = is_held ? values[first[k].place] : BY_INTEGERS;
                if (what->space <= GLOBAL && one > found) found = one;
            }
            for (int k = 0; k < (what->width > 1 ? what->width : 1); k++)
                if (what->n && first[k].kind == REGISTER)
                    values[first[k].place] = given(what, values);
        }
    free(values);
    return found;
}

/* ".entry NAME( parameters ) ... { body }" */
Code *code_read(const char *text, const char *wanted, const Variable *variables, size_t n) {
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
    for (size_t i = 0; i < n; i++)
        name(reader->names, &reader->n_names, MOST_NAMES, variables[i].name,
             (int64_t)variables[i].place);
    declare_dynamic(reader, text);
    read_parameters(reader, parameters);
    read_body(reader, statements);
    resolve_branches(reader);
    code->stores = stored(code);
    free(parameters), free(statements), free(reader);
    return code;
}
