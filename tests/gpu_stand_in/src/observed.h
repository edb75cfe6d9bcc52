/* What a profiler is told: calls of the host that issue work or wait for it, and the work itself.
 *
 * The core knows nothing of CUPTI but the numbers of functions; cupti.c is who observes it. */
#ifndef OBSERVED_H
#define OBSERVED_H

#include "stand_in.h"

#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>

typedef struct ApiCall {
    int driver; /* a function of it, or of the runtime */
    unsigned function;
    const char *name;
    const char *kernel;    /* that it launches */
    unsigned grid[3], block[3]; /* of it; 0: a library's own, or of a graph, which say none */
    const void *arguments; /* as CUPTI's headers put a function's together; NULL: not asked for */
    int64_t start_ns;
    uint32_t number; /* of this call, by which its work is known; 0: nobody observes it */
    uint64_t kept;   /* by who observes, from its beginning to its end */
} ApiCall;

/* From here to the end of the block this thread is in a function of CUDA. What a function calls
 * of others itself is not told, as a library's own calls of itself are not. */
#define CALL(whose, is_driver, called, ...)                                   \
    ApiCall own_api_call __attribute__((cleanup(api_ends))) = {               \
        .driver = is_driver, .function = CUPTI_##whose##_TRACE_CBID_##called, \
        .name = #called, __VA_ARGS__};                                        \
    api_begins(&own_api_call)
#define RUNTIME(called, ...) CALL(RUNTIME, 0, called, __VA_ARGS__)
#define DRIVER(called, ...) CALL(DRIVER, 1, called, __VA_ARGS__)
void api_begins(ApiCall *call);
void api_ends(ApiCall *call);

typedef struct {
    const Node *node; /* KERNEL, COPY or MEMSET */
    int device;
    uint64_t stream, graph; /* graph: that it is a node of; 0: of none */
    int64_t start_ns, end_ns;
    const ApiCall *call;
} Work;
void tell_work(const Node *node, int device, uint64_t stream, int64_t start_ns, int64_t end_ns);

typedef struct {
    void (*begun)(ApiCall *);
    void (*ended)(ApiCall *, int64_t end_ns);
    void (*work)(const Work *); /* the one after the other: no stream changes meanwhile */
} Observer;
void observe(const Observer *observer);

#endif
