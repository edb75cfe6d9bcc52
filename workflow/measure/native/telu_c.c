/* TeLU for ctypes. */
#include "operations.h"

void c_telu_forward(const float *x, float *y, int64_t n) { telu_forward(x, y, n); }

void c_telu_backward(const float *x, const float *dy, float *dx, int64_t n) {
    telu_backward(x, dy, dx, n);
}
