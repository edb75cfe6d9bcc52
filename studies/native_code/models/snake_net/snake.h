/* Snake, x + sin(a x)^2 / a, and its gradient: the derivative of sin(u)^2 is sin(2 u). */
#include <math.h>
#include <stdint.h>

static inline void snake_forward(const float *x, float *y, float a, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        float s = sinf(a * x[i]);
        y[i] = x[i] + s * s / a;
    }
}

static inline void snake_backward(const float *x, const float *dy, float *dx, float a, int64_t n) {
    for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * (1.0f + sinf(2.0f * a * x[i]));
}
