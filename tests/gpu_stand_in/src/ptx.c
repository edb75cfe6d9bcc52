/* Small kernels that make integers are computed from their PTX: loops of XLA end by such values,
 * and the host reads them. All others compute nothing, as everywhere here.
 *
 * Threads of a block take turns: each runs until it ends or meets others of its warp or block. */
#define _GNU_SOURCE
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 4096 /* of a launch: more would take the host longer than what is tested */
#define MOST_STEPS (1 << 24)

typedef struct {
    enum { RUNS, MEETS, ENDED } state;
    int at; /* its next instruction */
    uint64_t carry;
    uint64_t *registers;
    char *local;
    uint64_t special[14];
} Thread;
typedef struct {
    const Call *call;
    Thread *threads;
    int n;
    char *shared;
} Block;

static uint64_t value_of(const Thread *thread, const Operand *operand) {
    if (operand->kind == NUMBER) return (uint64_t)operand->number;
    if (operand->kind == SPECIAL) return thread->special[operand->place];
    return thread->registers[operand->place];
}

static char *address_of(const Block *block, const Thread *thread, const Instruction *what,
                        const Operand *operand) {
    uint64_t address = (uint64_t)operand->number;
    if (operand->place >= 0) address += thread->registers[operand->place];
    if (what->space == PARAMETER) return (char *)block->call->arguments + address;
    if (what->space == SHARED) return block->shared + address;
    return what->space == LOCAL ? thread->local + address : (char *)address;
}

static void load(const Block *block, Thread *thread, const Instruction *what) {
    size_t bytes = what->type.bits / 8;
    char *from = address_of(block, thread, what, &what->operands[what->width]);
    for (int i = 0; i < what->width; i++) {
        uint64_t bits = 0;
        memcpy(&bits, from + (size_t)i * bytes, bytes);
        thread->registers[what->operands[i].place] = (uint64_t)ptx_as(what->type, bits);
    }
}

static void store(const Block *block, const Thread *thread, const Instruction *what) {
    size_t bytes = what->type.bits / 8;
    char *to = address_of(block, thread, what, &what->operands[0]);
    for (int i = 0; i < what->width; i++) {
        uint64_t bits = value_of(thread, &what->operands[1 + i]);
        memcpy(to + (size_t)i * bytes, &bits, bytes);
    }
}

/* A register of 64 bits and two of 32 that are it, or the like. */
static void unpack(Thread *thread, const Instruction *what) {
    int n = what->width, bits = what->type.bits / n;
    Type part = {BITS, (unsigned char)bits};
    uint64_t whole = value_of(thread, &what->operands[n]);
    for (int i = 0; i < n; i++)
        thread->registers[what->operands[i].place] = (uint64_t)ptx_as(part, whole >> i * bits);
}

static void pack(Thread *thread, const Instruction *what) {
    int n = -what->width, bits = what->type.bits / n;
    Type part = {BITS, (unsigned char)bits};
    uint64_t whole = 0;
    for (int i = 0; i < n; i++)
        whole |= (uint64_t)ptx_as(part, value_of(thread, &what->operands[1 + i])) << i * bits;
    thread->registers[what->operands[0].place] = whole;
}

/* "add.cc" leaves a carry, which "addc" adds. */
static void add(Thread *thread, const Instruction *what) {
    Type type = {BITS, what->type.bits};
    unsigned __int128 sum = what->name == I_addc ? thread->carry : 0;
    for (int i = 1; i < 3; i++)
        sum += (uint64_t)ptx_as(type, value_of(thread, &what->operands[i]));
    if (what->mode == M_cc) thread->carry = (uint64_t)(sum >> type.bits);
    thread->registers[what->operands[0].place] = (uint64_t)sum;
}

static void step(const Block *block, Thread *thread) {
    const Instruction *what = &block->call->code->instructions[thread->at++];
    if (what->guard >= 0 && (int)(thread->registers[what->guard] & 1) != what->guard_is) return;
    uint64_t from[3] = {0};
    switch (what->name) {
    case I_bra: thread->at = what->target; break;
    case I_ret:
    case I_exit: thread->state = ENDED; break;
    case I_bar:
    case I_barrier:
    case I_shfl:
    case I_redux: thread->state = MEETS; break;
    case I_griddepcontrol: break; /* streams are in order */
    case I_ld: load(block, thread, what); break;
    case I_st: store(block, thread, what); break;
    default:
        if (what->name == I_addc || what->mode == M_cc) add(thread, what);
        else if (what->width > 1) unpack(thread, what);
        else if (what->width < 0) pack(thread, what);
        else {
            for (int i = 1; i < what->n && i <= 3; i++)
                from[i - 1] = value_of(thread, &what->operands[i]);
            thread->registers[what->operands[0].place] =
                ptx_value(what, from[0], from[1], from[2]);
        }
    }
}

static const Instruction *met(const Block *block, const Thread *thread) {
    return &block->call->code->instructions[thread->at - 1];
}

/* The lanes of a warp that stand before an instruction, and what they have for it. */
static uint64_t lanes_at(const Block *block, int first, const Instruction *what,
                         const Operand *operand, uint64_t values[WARP]) {
    uint64_t lanes = 0;
    for (int i = 0; i < WARP && first + i < block->n; i++) {
        const Thread *thread = &block->threads[first + i];
        if (thread->state != MEETS || met(block, thread) != what) continue;
        lanes |= 1UL << i;
        values[i] = value_of(thread, operand);
    }
    return lanes;
}

/* "redux.sync": all lanes get what an operation makes of all their values. */
static void reduce(const Block *block, int first, const Instruction *what) {
    uint64_t values[WARP], found = 0;
    uint64_t lanes = lanes_at(block, first, what, &what->operands[1], values);
    Instruction by = *what;
    by.name = what->joined;
    int least = __builtin_ctzl(lanes);
    for (int i = least; i < WARP; i++)
        if (lanes >> i & 1) found = i == least ? values[i] : ptx_value(&by, found, values[i], 0);
    for (int i = 0; i < WARP; i++) {
        if (!(lanes >> i & 1)) continue;
        block->threads[first + i].registers[what->operands[0].place] = found;
        block->threads[first + i].state = RUNS;
    }
}

/* "bar.warp.sync": nothing but that all have come there. */
static void meet(const Block *block, int first, const Instruction *what) {
    for (int i = first; i < first + WARP && i < block->n; i++) {
        Thread *thread = &block->threads[i];
        if (thread->state == MEETS && met(block, thread) == what) thread->state = RUNS;
    }
}

/* "shfl.sync": each lane takes the value of another one, or keeps its own where there is none. */
static void shuffle(const Block *block, int first, const Instruction *what) {
    uint64_t values[WARP];
    uint64_t lanes = lanes_at(block, first, what, &what->operands[what->n - 4], values);
    for (int i = 0; i < WARP; i++) {
        if (!(lanes >> i & 1)) continue;
        Thread *thread = &block->threads[first + i];
        int by = (int)value_of(thread, &what->operands[what->n - 3]) & 31;
        int bounds = (int)value_of(thread, &what->operands[what->n - 2]);
        int mask = bounds >> 8 & 31, least = i & mask, most = least | (bounds & ~mask & 31);
        int j = what->mode == M_up     ? i - by
                : what->mode == M_down ? i + by
                : what->mode == M_bfly ? i ^ by
                                       : least | (by & ~mask);
        int is_there = what->mode == M_up ? j >= most : j <= most;
        if (!is_there || !(lanes >> (j & 31) & 1)) j = i;
        thread->registers[what->operands[0].place] = values[j];
        if (what->n == 6) thread->registers[what->operands[1].place] = (uint64_t)is_there;
        thread->state = RUNS;
    }
}

/* Those who stand before the same exchange go on together; else all who are left, at a barrier. */
static int let_go(const Block *block) {
    int exchanged = 0, left = 0;
    for (int first = 0; first < block->n; first += WARP) {
        const Instruction *next = NULL;
        for (int i = first; i < first + WARP && i < block->n; i++) {
            if (block->threads[i].state != MEETS) continue;
            const Instruction *what = met(block, &block->threads[i]);
            int of_warp = what->name == I_shfl || what->name == I_redux || what->mode == M_warp;
            if (of_warp && (!next || what < next)) next = what;
        }
        if (!next) continue;
        exchanged = 1;
        if (next->name == I_shfl) shuffle(block, first, next);
        else if (next->name == I_redux) reduce(block, first, next);
        else meet(block, first, next);
    }
    for (int i = 0; i < block->n && !exchanged; i++)
        if (block->threads[i].state == MEETS) block->threads[i].state = RUNS, left = 1;
    return exchanged || left;
}

static void start(const Block *block, int number, unsigned at_block) {
    const unsigned *grid = block->call->grid, *size = block->call->block, n = (unsigned)number;
    Thread *thread = &block->threads[number];
    uint64_t special[] = {n % size[0], n / size[0] % size[1], n / size[0] / size[1],
                          size[0], size[1], size[2],
                          at_block % grid[0], at_block / grid[0] % grid[1],
                          at_block / grid[0] / grid[1],
                          grid[0], grid[1], grid[2], n % WARP, n / WARP};
    thread->state = RUNS;
    thread->at = 0;
    memcpy(thread->special, special, sizeof special);
}

static int is_small(const Call *call) {
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) threads *= (uint64_t)call->grid[i] * call->block[i];
    return threads <= MOST_THREADS;
}

/* Whether it should be computed and cannot be, which is said. What only moves data, or works on
 * floats, too, is as all other kernels then. */
int call_refused(const Call *call) {
    const Code *code = call ? call->code : NULL;
    if (!code || !*code->unknown || code->has_floats || !is_small(call)) return OK;
    int matters = code->unknown_makes || code->stores == BY_INTEGERS;
    return matters ? log_missing(code->unknown) : OK;
}

void call_compute(const Call *call) {
    const Code *code = call->code;
    if (!is_small(call) || *code->unknown) return;
    int n = (int)(call->block[0] * call->block[1] * call->block[2]);
    unsigned blocks = call->grid[0] * call->grid[1] * call->grid[2];
    size_t room = (size_t)code->n_registers;
    char *shared = calloc(1, DYNAMIC_AT + call->shared_bytes);
    Block block = {call, calloc((size_t)n, sizeof(Thread)), n, shared};
    uint64_t *registers = calloc((size_t)n * room, sizeof *registers);
    char *local = calloc((size_t)n, code->local_bytes + 1);
    long steps = 0;
    for (int i = 0; i < n; i++) {
        block.threads[i].registers = registers + (size_t)i * room;
        block.threads[i].local = local + (size_t)i * code->local_bytes;
    }
    for (unsigned at = 0; at < blocks && steps < MOST_STEPS; at++) {
        for (int i = 0; i < n; i++) start(&block, i, at);
        do
            for (int i = 0; i < n; i++)
                while (block.threads[i].state == RUNS && steps++ < MOST_STEPS)
                    step(&block, &block.threads[i]);
        while (steps < MOST_STEPS && let_go(&block));
    }
    if (steps >= MOST_STEPS) log_missing("a kernel that makes integers and does not end");
    free(registers), free(local), free(block.threads), free(shared);
}

static size_t bytes_of(const Code *code) {
    return sizeof(Call) + (size_t)code->n_parameters * sizeof(uint64_t);
}

Call *call_new(const Code *code, const unsigned grid[3], const unsigned block[3], size_t shared,
               void **arguments) {
    if (!code || code->stores == BY_FLOATS || !arguments) return NULL;
    Call *call = malloc(bytes_of(code));
    call->code = code;
    call->shared_bytes = shared;
    memcpy(call->grid, grid, sizeof call->grid);
    memcpy(call->block, block, sizeof call->block);
    for (int i = 0; i < code->n_parameters && !*code->unknown; i++)
        memcpy(&call->arguments[i], arguments[i], code->parameter_bytes[i]);
    return call;
}

Call *call_copy(const Call *call) {
    return call ? memcpy(malloc(bytes_of(call->code)), call, bytes_of(call->code)) : NULL;
}
