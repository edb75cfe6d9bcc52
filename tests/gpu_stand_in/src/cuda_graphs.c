/* The driver: capture and graphs, which XLA puts together node by node and changes in place. */
#define _GNU_SOURCE
#include "cuda_driver.h"

#include <stdlib.h>
#include <string.h>

#define NODES(list) ((Node *const *)(list))

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    (void)mode;
    return (CUresult)capture_begin(stream, NULL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after,
                                     const CUgraphEdgeData *edges, size_t n,
                                     CUstreamCaptureMode mode) {
    (void)after, (void)edges, (void)n, (void)mode;
    return (CUresult)capture_begin(stream, (Graph *)graph);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
    return (CUresult)capture_end(stream, (Graph **)graph);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
    *status = (CUstreamCaptureStatus)stream_capturing(stream, NULL, NULL, NULL, NULL);
    return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    *mode = (CUstreamCaptureMode)capture_mode(*mode);
    return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
    (void)flags;
    *graph = (CUgraph)graph_new();
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
    graph_free((Graph *)graph);
    return CUDA_SUCCESS;
}

/* ---- what a node does ---- */

static Node kernel_node(CUfunction function, CUkernel kernel, const unsigned grid[3],
                        const unsigned block[3], size_t shared, void **arguments) {
    const char *name = function ? (const char *)function : (const char *)kernel;
    double blocks = (double)grid[0] * grid[1] * grid[2];
    int64_t cost_ns = kernel_named(name)->cost_ns + (int64_t)(settings.block_ns * blocks);
    return (Node){.kind = KERNEL, .name = name, .cost_ns = cost_ns,
                  .call = call_of(name, grid, block, shared, arguments)};
}
#define KERNEL_NODE(what)                                                             \
    kernel_node((what)->func, (what)->kern,                                           \
                (unsigned[]){(what)->gridDimX, (what)->gridDimY, (what)->gridDimZ},    \
                (unsigned[]){(what)->blockDimX, (what)->blockDimY, (what)->blockDimZ}, \
                (what)->sharedMemBytes, (what)->kernelParams)

/* One row: XLA copies whole buffers. */
static Node copy_node(const CUDA_MEMCPY3D *what) {
    int from_host = what->srcMemoryType == CU_MEMORYTYPE_HOST;
    int to_host = what->dstMemoryType == CU_MEMORYTYPE_HOST;
    const void *from = from_host ? what->srcHost : (const void *)what->srcDevice;
    void *to = to_host ? what->dstHost : (void *)what->dstDevice;
    if (what->Height > 1 || what->Depth > 1) log_missing("a copy of several rows in a graph");
    size_t bytes = what->WidthInBytes;
    return (Node){.kind = COPY, .to = to, .from = from, .bytes = bytes, .cost_ns = copy_ns(bytes)};
}

static Node memset_node(CUdeviceptr to, unsigned value, unsigned width, size_t n, size_t rows) {
    size_t bytes = width * n;
    if (rows > 1) log_missing("setting several rows in a graph");
    return (Node){.kind = MEMSET, .to = (void *)to, .bytes = bytes, .value = value,
                  .width = width, .cost_ns = memset_ns(bytes)};
}

static Node understood(const CUgraphNodeParams *what) {
    switch (what->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return KERNEL_NODE(&what->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return copy_node(&what->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return memset_node(what->memset.dst, what->memset.value, what->memset.elementSize,
                           what->memset.width, what->memset.height);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return (Node){.kind = CHILD, .child = (Graph *)what->graph.graph};
    case CU_GRAPH_NODE_TYPE_EMPTY: return (Node){.kind = EMPTY};
    default: log_missing("a node of another kind in a graph"); return (Node){.kind = EMPTY};
    }
}

/* ---- nodes are added ---- */

static CUresult added(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                      Node what) {
    int error = call_refused(what.call);
    if (!error) *node = (CUgraphNode)graph_add((Graph *)graph, what, NODES(after), n);
    free(what.call); /* the node has its own */
    return (CUresult)error;
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                           const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *what) {
    (void)edges;
    return added(node, graph, after, n, understood(what));
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                              const CUDA_KERNEL_NODE_PARAMS *what) {
    return added(node, graph, after, n, KERNEL_NODE(what));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                              const CUDA_MEMCPY3D *what, CUcontext context) {
    (void)context;
    return added(node, graph, after, n, copy_node(what));
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n,
                              const CUDA_MEMSET_NODE_PARAMS *what, CUcontext context) {
    (void)context;
    return added(node, graph, after, n,
                 memset_node(what->dst, what->value, what->elementSize, what->width, what->height));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t n) {
    return added(node, graph, after, n, (Node){.kind = EMPTY});
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after,
                                  size_t n, CUgraph child) {
    return added(node, graph, after, n, (Node){.kind = CHILD, .child = (Graph *)child});
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
    *graph = (CUgraph)((Node *)node)->child;
    return *graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

#if CUDA_VERSION < 13000 /* where what knows of edges has a name of its own */
#define cuGraphAddDependencies cuGraphAddDependencies_v2
#endif
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                const CUgraphEdgeData *edges, size_t n) {
    (void)graph, (void)edges;
    for (size_t i = 0; i < n; i++) graph_depend((Node *)to[i], (Node *)from[i]);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *n) {
    graph_list(((Graph *)graph)->nodes, ((Graph *)graph)->n, (void **)nodes, n);
    return CUDA_SUCCESS;
}

/* Those that depend on no other. */
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *n) {
    const Graph *all = (const Graph *)graph;
    Node *roots[all->n + 1];
    size_t found = 0;
    for (size_t i = 0; i < all->n; i++)
        if (!all->nodes[i]->n_after) roots[found++] = all->nodes[i];
    graph_list(roots, found, (void **)nodes, n);
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
    static const CUgraphNodeType types[] = {
        [KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL, [COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
        [MEMSET] = CU_GRAPH_NODE_TYPE_MEMSET, [HOST] = CU_GRAPH_NODE_TYPE_HOST,
        [CHILD] = CU_GRAPH_NODE_TYPE_GRAPH,   [EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
    };
    *type = types[((Node *)node)->kind];
    return CUDA_SUCCESS;
}

/* ---- instances, and what their nodes do from now on ---- */

CUresult cuGraphInstantiateWithFlags(CUgraphExec *instance, CUgraph graph,
                                     unsigned long long flags) {
    (void)flags;
    *instance = (CUgraphExec)graph_copy((Graph *)graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec instance) {
    graph_free((Graph *)instance);
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec instance, CUstream stream) {
    CALLED(cuGraphLaunch, instance, stream);
    return (CUresult)graph_launch((Graph *)instance, stream);
}

static CUresult changed(CUgraphExec instance, CUgraphNode node, Node what) {
    Node *own = graph_find((Graph *)instance, (Node *)node);
    int fits = own && own->kind == what.kind;
    if (fits) graph_change(own, what);
    free(what.call);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphExecNodeSetParams(CUgraphExec instance, CUgraphNode node, CUgraphNodeParams *what) {
    return changed(instance, node, understood(what));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec instance, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *what) {
    return changed(instance, node, KERNEL_NODE(what));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec instance, CUgraphNode node,
                                        const CUDA_MEMCPY3D *what, CUcontext context) {
    (void)context;
    return changed(instance, node, copy_node(what));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec instance, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *what, CUcontext context) {
    (void)context;
    return changed(instance, node, memset_node(what->dst, what->value, what->elementSize,
                                               what->width, what->height));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec instance, CUgraphNode node, CUgraph child) {
    return changed(instance, node, (Node){.kind = CHILD, .child = (Graph *)child});
}
