/* Monotonic alignment search for ctypes: a batch of value[batch][frames][tokens]. */
#include <stdlib.h>

#include "operations.h"

int c_mas(const float *value, int32_t *path, int64_t batch, int64_t frames, int64_t tokens) {
    float *best = malloc(sizeof(float) * frames * tokens);
    if (!best) return 1;
    for (int64_t item = 0; item < batch; ++item)
        mas(value + item * frames * tokens, path + item * frames, frames, tokens, best);
    free(best);
    return 0;
}
