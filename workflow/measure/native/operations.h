/* The arithmetic of the operations: plain C99, also valid C++, on float32.
 *
 * Nothing here knows a framework, a batch or a thread; what binds it to one does. */
#ifndef MILLISTEP_OPERATIONS_H
#define MILLISTEP_OPERATIONS_H

#include <math.h>
#include <stdint.h>

/* Monotonic alignment search: the path of the largest sum through value[frames][tokens], which
 * begins at the first token, ends at the last one, and with each frame stays or advances by one;
 * of equal sums the one that stayed. path[frames] are the tokens; frames >= tokens.
 * best[frames][tokens] is scratch: the largest sum of a path up to there. */
static inline void mas(const float *value, int32_t *path, int64_t frames, int64_t tokens,
                       float *best) {
    const float unreachable = -1e30f; /* not infinite: -ffast-math takes all numbers for finite */
    for (int64_t token = 0; token < tokens; ++token) best[token] = unreachable;
    best[0] = value[0];
    for (int64_t frame = 1; frame < frames; ++frame) {
        const float *before = best + (frame - 1) * tokens;
        const float *gained = value + frame * tokens;
        float *now = best + frame * tokens;
        now[0] = before[0] + gained[0];
        for (int64_t token = 1; token < tokens; ++token) {
            float stay = before[token], advance = before[token - 1];
            now[token] = (advance > stay ? advance : stay) + gained[token];
        }
    }
    int64_t token = tokens - 1;
    for (int64_t frame = frames - 1; frame > 0; --frame) {
        const float *before = best + (frame - 1) * tokens;
        path[frame] = (int32_t)token;
        if (token > 0 && before[token - 1] > before[token]) --token;
    }
    path[0] = 0;
}

/* TeLU: x tanh(exp x). */
static inline void telu_forward(const float *x, float *y, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] * tanhf(expf(x[i]));
}

static inline void telu_backward(const float *x, const float *dy, float *dx, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        float e = expf(x[i]), t = tanhf(e);
        dx[i] = dy[i] * (t + x[i] * (e < 20.0f ? e * (1.0f - t * t) : 0.0f));
    }
}

/* Snake: x + sin(a x)^2 / a. */
static inline void snake_forward(const float *x, float *y, float a, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        float s = sinf(a * x[i]);
        y[i] = x[i] + s * s / a;
    }
}

/* The derivative of sin(u)^2 is sin(2 u). */
static inline void snake_backward(const float *x, const float *dy, float *dx, float a, int64_t n) {
    for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * (1.0f + sinf(2.0f * a * x[i]));
}

#endif
