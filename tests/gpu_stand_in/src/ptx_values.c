/* What single instructions of PTX make of their operands, as its manual says (PTX ISA). */
#define _GNU_SOURCE
#include "ptx.h"

#include <math.h>
#include <string.h>

/* Registers hold bits; an instruction says what they are to it. */
int64_t ptx_as(Type type, uint64_t bits) {
    if (type.bits >= 64) return (int64_t)bits;
    uint64_t kept = bits & ((1UL << type.bits) - 1);
    if (type.kind == SIGNED && kept >> (type.bits - 1)) kept -= 1UL << type.bits;
    return (int64_t)kept;
}

static double real(Type type, uint64_t bits) {
    uint32_t half = (uint32_t)bits;
    float single;
    double whole;
    if (type.kind == BRAIN) half <<= 16;
    memcpy(&single, &half, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    return type.bits == 64 ? whole : (double)single;
}

static uint64_t bits_of(Type type, double value) {
    float single = (float)value;
    uint32_t half;
    uint64_t whole;
    memcpy(&half, &single, sizeof half);
    memcpy(&whole, &value, sizeof whole);
    return type.bits == 64 ? whole : half;
}

static int compared(Mode mode, int less, int equal, int unordered) {
    switch (mode) {
    case M_eq: return equal;
    case M_ne: return !equal && !unordered;
    case M_lt: return less;
    case M_le: return less || equal;
    case M_gt: return !less && !equal && !unordered;
    case M_ge: return !less && !unordered;
    case M_equ: return equal || unordered;
    case M_neu: return !equal;
    case M_ltu: return less || unordered;
    case M_leu: return less || equal || unordered;
    case M_gtu: return !less && !equal;
    case M_geu: return !less;
    case M_num: return !unordered;
    default: return unordered;
    }
}

static uint64_t comparison(const Instruction *what, uint64_t a, uint64_t b, uint64_t c) {
    int found;
    if (what->type.kind == FLOAT) {
        double x = real(what->type, a), y = real(what->type, b);
        found = compared(what->mode, x < y, x == y, isnan(x) || isnan(y));
    } else {
        int64_t x = ptx_as(what->type, a), y = ptx_as(what->type, b);
        int less = what->type.kind == SIGNED ? x < y : (uint64_t)x < (uint64_t)y;
        found = compared(what->mode, less, x == y, 0);
    }
    switch (what->joined) {
    case I_and: return found && c & 1;
    case I_or: return found || c & 1;
    case I_xor: return found != (int)(c & 1);
    default: return (uint64_t)found;
    }
}

static uint64_t of_reals(const Instruction *what, double a, double b, double c) {
    Type type = what->type;
    switch (what->name) {
    case I_add: return bits_of(type, a + b);
    case I_sub: return bits_of(type, a - b);
    case I_mul: return bits_of(type, a * b);
    case I_fma: return bits_of(type, type.bits == 64 ? fma(a, b, c) : fmaf(a, b, c));
    case I_div: return bits_of(type, a / b);
    case I_neg: return bits_of(type, -a);
    case I_abs: return bits_of(type, fabs(a));
    case I_min: return bits_of(type, fmin(a, b));
    default: return bits_of(type, fmax(a, b));
    }
}

static uint64_t converted(const Instruction *what, uint64_t a) {
    Type to = what->type, from = what->from;
    int is_real = from.kind >= FLOAT, to_real = to.kind >= FLOAT;
    if (!is_real && !to_real) return (uint64_t)ptx_as(to, (uint64_t)ptx_as(from, a));
    if (!is_real) {
        int64_t whole = ptx_as(from, a);
        return bits_of(to, from.kind == SIGNED ? (double)whole : (double)(uint64_t)whole);
    }
    double value = real(from, a);
    if (what->mode == M_rzi) value = trunc(value);
    if (what->mode == M_rni) value = nearbyint(value);
    if (what->mode == M_rmi) value = floor(value);
    if (what->mode == M_rpi) value = ceil(value);
    if (to_real) return bits_of(to, value);
    /* "Out of range: the nearest there is; not a number: 0." */
    double least = to.kind == SIGNED ? -ldexp(1, to.bits - 1) : 0;
    double most = ldexp(1, to.bits - (to.kind == SIGNED));
    if (isnan(value)) return 0;
    if (value <= least) return (uint64_t)(int64_t)least;
    if (value >= most) return to.kind == SIGNED ? (1UL << (to.bits - 1)) - 1 : ~0UL;
    return to.kind == SIGNED ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t product(const Instruction *what, int64_t a, int64_t b) {
    int is_signed = what->type.kind == SIGNED;
    if (what->mode != M_hi) return (uint64_t)a * (uint64_t)b;
    if (what->type.bits < 64) return (uint64_t)(a * b) >> what->type.bits;
    if (is_signed) return (uint64_t)((__int128)a * b >> 64);
    return (uint64_t)((unsigned __int128)(uint64_t)a * (uint64_t)b >> 64);
}

/* "A sequence of 4 bytes out of 8; a selector's highest bit says: its sign." */
static uint64_t permuted(uint64_t a, uint64_t b, uint64_t selectors) {
    uint64_t all = (a & 0xffffffff) | b << 32, found = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t selector = selectors >> 4 * i & 15, byte = all >> 8 * (selector & 7) & 255;
        if (selector & 8) byte = byte & 128 ? 255 : 0;
        found |= byte << 8 * i;
    }
    return found;
}

static uint64_t extracted(Type type, uint64_t a, uint64_t from, uint64_t length) {
    from &= 255, length &= 255;
    if (!length) return 0;
    uint64_t rest = from < 64 ? (uint64_t)ptx_as(type, a) >> from : 0;
    if (length > 63) return rest;
    Type field = {type.kind, (unsigned char)length};
    return (uint64_t)ptx_as(field, rest);
}

static uint64_t funnel(const Instruction *what, uint64_t low, uint64_t high, uint64_t by) {
    uint64_t both = (low & 0xffffffff) | high << 32;
    by &= 31;
    return what->mode == M_l ? both << by >> 32 : both >> by;
}

static uint64_t of_integers(const Instruction *what, int64_t a, int64_t b, int64_t c) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    int is_signed = what->type.kind == SIGNED, bits = what->type.bits;
    switch (what->name) {
    case I_add: return x + y;
    case I_sub: return x - y;
    case I_mul: return product(what, a, b);
    case I_mad: return product(what, a, b) + (uint64_t)c;
    case I_div:
        if (!b) return ~0UL; /* "an undefined value" */
        return !is_signed ? x / y : b == -1 ? -x : (uint64_t)(a / b);
    case I_rem:
        if (!b) return x;
        return !is_signed ? x % y : b == -1 ? 0 : (uint64_t)(a % b);
    case I_neg: return -x;
    case I_abs: return a < 0 ? -x : x;
    case I_min: return is_signed ? (uint64_t)(a < b ? a : b) : x < y ? x : y;
    case I_max: return is_signed ? (uint64_t)(a > b ? a : b) : x > y ? x : y;
    case I_and: return x & y;
    case I_or: return x | y;
    case I_xor: return x ^ y;
    case I_not: return ~x;
    case I_popc: return (uint64_t)__builtin_popcountl(x);
    case I_clz: return x ? (uint64_t)(__builtin_clzl(x) - (64 - bits)) : (uint64_t)bits;
    default: return x;
    }
}

uint64_t ptx_value(const Instruction *what, uint64_t a, uint64_t b, uint64_t c) {
    Type type = what->type;
    switch (what->name) {
    case I_mov:
    case I_cvta: return a;
    case I_setp: return comparison(what, a, b, c);
    case I_selp: return c & 1 ? a : b;
    case I_cvt: return converted(what, a);
    case I_prmt: return permuted(a, b, c);
    case I_bfe: return extracted(type, a, b, c);
    case I_shf: return funnel(what, a, b, c);
    case I_shl: return (b & 0xffffffff) < 64 ? a << (b & 0xffffffff) : 0;
    case I_shr: {
        int64_t value = ptx_as(type, a);
        uint64_t by = b & 0xffffffff;
        if (by >= type.bits) return type.kind == SIGNED && value < 0 ? ~0UL : 0;
        return type.kind == SIGNED ? (uint64_t)(value >> by) : (uint64_t)value >> by;
    }
    default:
        if (type.kind == FLOAT)
            return of_reals(what, real(type, a), real(type, b), real(type, c));
        return of_integers(what, ptx_as(type, a), ptx_as(type, b), ptx_as(type, c));
    }
}
