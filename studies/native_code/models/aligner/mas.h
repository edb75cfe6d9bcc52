/* Monotonic alignment search: the path of the largest sum through value[frames][tokens]. It begins at
 * the first token, ends at the last one, and stays or advances by one token per frame. Of equal sums,
 * it stays. path[frames] holds the tokens; frames >= tokens.
 * best[frames][tokens] is scratch: the largest sum of a path up to there. */
#include <stdint.h>

static inline void mas(const float *value, int32_t *path, int64_t frames, int64_t tokens,
                       float *best) {
    const float unreachable = -1e30f; /* not infinite: -ffast-math assumes finite numbers */
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
