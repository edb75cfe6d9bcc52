/* What the files about PTX share: a kernel's code, read from the text it was assembled from. */
#ifndef PTX_H
#define PTX_H

#include "stand_in.h"

#define MOST_OPERANDS 10 /* a load of four: four registers and an address */
#define WARP 32
#define MOST_PARAMETERS 128
#define DYNAMIC_AT 49152 /* where a launch's own shared memory begins: after all of a kernel's */

typedef enum { PREDICATE = 1, BITS, UNSIGNED, SIGNED, FLOAT, BRAIN } Kind; /* BRAIN: bf16 */
typedef struct {
    unsigned char kind, bits;
} Type;

#define INSTRUCTIONS(X)                                                                       \
    X(ld) X(st) X(mov) X(cvta) X(cvt) X(add) X(sub) X(mul) X(mad) X(fma) X(div) X(rem) X(neg) \
    X(abs) X(min) X(max) X(and) X(or) X(xor) X(not) X(shl) X(shr) X(shf) X(setp) X(selp)      \
    X(prmt) X(bfe) X(popc) X(clz) X(bra) X(ret) X(exit) X(bar) X(barrier) X(shfl) X(redux)    \
    X(addc) X(griddepcontrol)
#define AS_NUMBER(name) I_##name,
typedef enum { INSTRUCTIONS(AS_NUMBER) N_INSTRUCTIONS } Name;

/* Modifiers that change what an instruction does, of which it has one. */
#define MODES(X)                                                                              \
    X(lo) X(hi) X(wide) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(equ) X(neu) X(ltu) X(leu)       \
    X(gtu) X(geu) X(num) X(nan) X(up) X(down) X(bfly) X(idx) X(rzi) X(rni) X(rmi) X(rpi) X(l) \
    X(r) X(warp) X(cc)
#define AS_MODE(name) M_##name,
typedef enum { NO_MODE, MODES(AS_MODE) N_MODES } Mode;
typedef enum { NO_SPACE, GLOBAL, SHARED, PARAMETER, LOCAL } Space;

typedef struct {
    enum { REGISTER, NUMBER, ADDRESS, SPECIAL } kind;
    int place;      /* of a register, of an address' register (-1: none), of a special register */
    int64_t number; /* or what is added to an address */
} Operand;
typedef struct {
    Name name;
    Mode mode;
    Name joined; /* what joins a comparison with a predicate (setp), or lanes (redux) */
    Space space;
    Type type, from; /* from: what is converted */
    int guard, guard_is; /* only where this predicate (-1: none) is so */
    int width;           /* registers of a vector, or of a pair that is one value */
    int target;          /* of a branch */
    int n;
    Operand operands[MOST_OPERANDS];
    char *label;
} Instruction;
/* Where a value comes from: an instruction for floats, memory, or an instruction for integers. */
typedef enum { BY_FLOATS, MOVED, BY_INTEGERS } Value;
struct Code {
    int n_parameters, n_registers, n, room;
    unsigned char parameter_bytes[MOST_PARAMETERS];
    size_t shared_bytes, local_bytes;
    Instruction *instructions;
    char unknown[80];   /* the first instruction that is not understood; empty where all are */
    int unknown_makes;  /* one that is not does more than to move or to wait */
    int has_floats;     /* it works on some */
    Value stores;       /* the last of these in what it stores */
};

/* Names of a kernel: "%r" of a class of registers, an array that is shared, a parameter. */
#define MOST_NAMES 192
#define MOST_LABELS 1024
typedef struct {
    char name[200];
    int64_t place;
} Named;
typedef struct {
    Code *code;
    Named names[MOST_NAMES], labels[MOST_LABELS];
    int n_names, n_labels;
} Reader;

#pragma GCC visibility push(hidden)
const Named *named(const Named *list, int n, const char *word, size_t length);
int read_statement(Reader *reader, char *text);
uint64_t ptx_value(const Instruction *what, uint64_t a, uint64_t b, uint64_t c);
int64_t ptx_as(Type type, uint64_t bits);
#pragma GCC visibility pop

#endif
