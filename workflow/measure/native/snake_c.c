/* Snake for ctypes. */
#include "operations.h"

void c_snake_forward(const float *x, float *y, float a, int64_t n) { snake_forward(x, y, a, n); }

void c_snake_backward(const float *x, const float *dy, float *dx, float a, int64_t n) {
    snake_backward(x, dy, dx, a, n);
}
