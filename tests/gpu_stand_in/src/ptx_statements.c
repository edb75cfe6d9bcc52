/* A statement of PTX: an instruction with its modifiers and operands. What is not understood is
 * said, never guessed. */
#define _GNU_SOURCE
#include "ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN " ,{}|\t" /* operands */
#define AS_WORD(name) #name,
static const char *const instructions[] = {INSTRUCTIONS(AS_WORD)};
static const char *const modes[] = {"", MODES(AS_WORD)};
static const char *const spaces[] = {"", "global", "shared", "param", "local"};
/* What changes no result here: where it is cached, who else sees it, how a float is rounded. */
static const char *const harmless[] = {
    "sync", "aligned", "uni", "nc", "ftz", "rn", "to", "wrap", "full", "approx", "relaxed", "weak",
    "volatile", "cta", "gpu", "launch_dependents", "wait", "ca", "cg", "cs", "lu", "cv", "wb", "wt",
    "L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::128B", "L2::256B"};
static const char *const specials[] = {
    "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y",
    "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid"};

#define FIND(list, word) find(list, sizeof(list) / sizeof *(list), word)
static int find(const char *const *list, size_t n, const char *word) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], word)) return (int)i;
    return -1;
}

const Named *named(const Named *list, int n, const char *word, size_t length) {
    for (int i = 0; i < n; i++)
        if (!strncmp(list[i].name, word, length) && !list[i].name[length]) return &list[i];
    return NULL;
}

static int type_of(const char *word, Type *type) {
    static const struct {
        char letter;
        Kind kind;
    } kinds[] = {{'b', BITS}, {'u', UNSIGNED}, {'s', SIGNED}, {'f', FLOAT}};
    if (!strcmp(word, "pred")) return *type = (Type){PREDICATE, 1}, 1;
    if (!strcmp(word, "bf16")) return *type = (Type){BRAIN, 16}, 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *rest;
        long bits = word[0] == kinds[i].letter ? strtol(word + 1, &rest, 10) : 0;
        if (bits && !*rest) return *type = (Type){kinds[i].kind, (unsigned char)bits}, 1;
    }
    return 0;
}

/* A word after a point: whether it is understood. */
static int modify(Instruction *what, const char *word) {
    Type type;
    int found;
    if (type_of(word, &type)) {
        if (!what->type.kind) what->type = type;
        else what->from = type;
        return type.kind != FLOAT || type.bits >= 32;
    }
    if (!strcmp(word, "v2") || !strcmp(word, "v4")) return what->width = word[1] - '0';
    if ((found = FIND(spaces, word)) > 0) return what->space = (Space)found, 1;
    int carries = what->name == I_add || what->name == I_addc;
    if ((found = FIND(modes, word)) > 0) return what->mode = (Mode)found, found != M_cc || carries;
    if (FIND(harmless, word) >= 0) return 1;
    found = FIND(instructions, word);
    what->joined = (Name)found;
    if (what->name == I_redux) return found >= 0;
    return what->name == I_setp && (found == I_and || found == I_or || found == I_xor);
}

/* 42, -1, or the bits of a float: 0f3F800000. */
static int number_of(const char *word, int64_t *number) {
    char *rest;
    int is_real = word[0] == '0' && (word[1] == 'f' || word[1] == 'd');
    *number = (int64_t)strtoull(word + 2 * is_real, &rest, is_real ? 16 : 0);
    return rest != word && (!*rest || !strcmp(rest, "U"));
}

static int register_of(const Reader *reader, const char *word) {
    if (!strcmp(word, "_")) return 0; /* that nobody reads */
    size_t letters = strcspn(word, "0123456789");
    const Named *class = named(reader->names, reader->n_names, word, letters);
    return class && *word == '%' ? (int)class->place + atoi(word + letters) : -1;
}

/* [%rd1+4], [shared_0], [parameter_1+8] */
static int read_address(const Reader *reader, char *word, Operand *operand) {
    operand->kind = ADDRESS;
    word++;
    char *end = word + strcspn(word, "+]"), *more = *end == '+' ? end + 1 : NULL;
    *end = 0;
    if (more) operand->number = strtoll(more, NULL, 0);
    operand->place = register_of(reader, word);
    if (operand->place >= 0) return 1;
    const Named *symbol = named(reader->names, reader->n_names, word, strlen(word));
    if (symbol) operand->number += symbol->place;
    return symbol != NULL;
}

static int read_operand(const Reader *reader, char *word, Operand *operand) {
    *operand = (Operand){NUMBER, -1, 0};
    if (*word == '[') return read_address(reader, word, operand);
    operand->place = FIND(specials, word);
    if (operand->place >= 0) return operand->kind = SPECIAL, 1;
    operand->place = register_of(reader, word);
    if (operand->place >= 0) return operand->kind = REGISTER, 1;
    const Named *symbol = named(reader->names, reader->n_names, word, strlen(word));
    if (symbol) return operand->number = symbol->place, 1;
    return number_of(word, &operand->number);
}

static int read_operands(const Reader *reader, Instruction *what, char *words) {
    char *rest = NULL, *open = strchr(words, '{');
    int unpacks = what->name == I_mov && open == words, packs = what->name == I_mov && open;
    for (char *each = strchr(words, '['); each && *each != ']'; each++)
        if (*each == ' ') memmove(each, each + 1, strlen(each)), each--; /* [ %rd1 + 0 ] */
    for (char *word = strtok_r(words, BETWEEN, &rest); word; word = strtok_r(NULL, BETWEEN, &rest))
        if (what->n == MOST_OPERANDS || !read_operand(reader, word, &what->operands[what->n++]))
            return 0;
    if (unpacks) what->width = what->n - 1; /* mov.b64 {%r1, %r2}, %rd1 */
    else if (packs) what->width = 1 - what->n;
    return 1;
}

static int is_complete(const Instruction *what) {
    switch (what->name) {
    case I_setp: return what->n == 3 + (what->joined != N_INSTRUCTIONS);
    case I_ld: return what->n == what->width + 1 && what->operands[what->n - 1].kind == ADDRESS;
    case I_st: return what->n == what->width + 1 && what->operands[0].kind == ADDRESS;
    case I_cvta: return what->space == GLOBAL;
    case I_mul:
    case I_mad: return what->type.kind == FLOAT || what->mode;
    case I_shfl: return what->n >= 5;
    default: return 1;
    }
}

static char *after(char *text) {
    text += strcspn(text, " \t");
    if (*text) *text++ = 0;
    return text + strspn(text, " \t");
}

/* "@!%p1 setp.lt.and.s32 %p2, %r1, 5, %p3": whether it is understood. */
int read_statement(Reader *reader, char *text) {
    Code *code = reader->code;
    Instruction what = {.guard = -1, .guard_is = 1, .width = 1, .joined = N_INSTRUCTIONS};
    if (*text == '@') {
        char *guard = text + 1;
        text = after(text);
        if (*guard == '!') guard++, what.guard_is = 0;
        what.guard = register_of(reader, guard);
        if (what.guard < 0) return 0;
    }
    char *operands = after(text), *rest = NULL, *word = strtok_r(text, ".", &rest);
    int found = word ? FIND(instructions, word) : -1;
    if (found < 0) return 0;
    what.name = (Name)found;
    while ((word = strtok_r(NULL, ".", &rest)))
        if (!modify(&what, word)) return 0;
    if (what.name == I_bra) what.label = strdup(operands);
    else if (!read_operands(reader, &what, operands) || !is_complete(&what)) return 0;
    if (code->n == code->room) {
        code->room = code->room ? code->room * 2 : 64;
        code->instructions = realloc(code->instructions, (size_t)code->room * sizeof what);
    }
    code->instructions[code->n++] = what;
    return 1;
}
