/* The CUDA runtime: streams, events, capture and graphs. */
#define _GNU_SOURCE
#include "cudart.h"

#include <stdlib.h>

#if CUDART_VERSION < 13000 /* where what knows of edges has a name of its own */
#undef cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#endif

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (no_device()) return told(no_device());
    *stream = (cudaStream_t)stream_new(flags, priority);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return told(stream_free((Stream *)stream)); }

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return told(stream_wait(stream)); }

cudaError_t cudaStreamQuery(cudaStream_t stream) { return told(stream_query(stream)); }

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    return told(stream_facts(stream, priority, NULL, NULL, NULL));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    return told(stream_facts(stream, NULL, flags, NULL, NULL));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    return told(stream_facts(stream, NULL, NULL, id, NULL));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *number) {
    return told(stream_facts(stream, NULL, NULL, NULL, number));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)flags;
    return told(stream_wait_event(stream, (Event *)event));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
    return told(host_function(stream, function, argument));
}

typedef struct {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *argument;
} Callback;

static void call_back(void *call) {
    Callback *callback = call;
    callback->function(callback->stream, (cudaError_t)device_error(), callback->argument);
    free(callback);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *argument, unsigned flags) {
    (void)flags;
    Callback *callback = malloc(sizeof *callback);
    *callback = (Callback){function, stream, argument};
    return told(host_function(stream, call_back, callback));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (no_device()) return told(no_device());
    *event = (cudaEvent_t)event_new(flags);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) { return told(event_free((Event *)event)); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    (void)flags;
    return told(event_record((Event *)event, stream));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return told(event_record((Event *)event, stream));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return told(event_wait((Event *)event)); }

cudaError_t cudaEventQuery(cudaEvent_t event) { return told(event_query((Event *)event)); }

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    return told(event_elapsed(ms, (Event *)from, (Event *)to));
}

/* ---- capture and graphs ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    (void)mode;
    return told(capture_begin(stream, NULL));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode) {
    (void)after, (void)edges, (void)n, (void)mode;
    return told(capture_begin(stream, (Graph *)graph));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    return told(capture_end(stream, (Graph **)graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    *status = stream_capturing(stream, NULL, NULL, NULL, NULL);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **after,
                                     const cudaGraphEdgeData **edges, size_t *n) {
    uint64_t number = 0;
    *status = stream_capturing(stream, &number, (Graph **)graph, (Node *const **)after, n);
    if (id && *status) *id = number;
    if (edges) *edges = NULL;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    *mode = (enum cudaStreamCaptureMode)capture_mode(*mode);
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    (void)flags;
    *graph = (cudaGraph_t)graph_new();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    graph_free((Graph *)graph);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    graph_list(((Graph *)graph)->nodes, ((Graph *)graph)->n, (void **)nodes, n);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *after,
                                         cudaGraphEdgeData *edges, size_t *n) {
    (void)edges;
    graph_list(((Node *)node)->after, ((Node *)node)->n_after, (void **)after, n);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *instance, cudaGraph_t graph,
                                          unsigned long long flags) {
    (void)flags;
    *instance = (cudaGraphExec_t)graph_copy((Graph *)graph);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *instance, cudaGraph_t graph,
                                 unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(instance, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
    graph_free((Graph *)instance);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream) {
    return told(graph_launch((Graph *)instance, stream));
}
