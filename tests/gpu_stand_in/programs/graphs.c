/* What the documentation of CUDA promises of graphs, case by case.
 *
 *   PROGRAM CASE      exit status 0 where it holds; else the line that does not */
#include "check.h"

static void a_graph_replays_what_was_captured(void) {
    cudaStream_t one, other;
    cudaEvent_t fork, join, begin, end;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaGraphNode_t seven[7];
    size_t nodes;
    float ms;
    char *device, host[4] = "abc";
    FINE(cudaMalloc((void **)&device, 4));
    FINE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    FINE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    FINE(cudaEventCreate(&fork));
    FINE(cudaEventCreate(&join));
    FINE(cudaEventCreate(&begin));
    FINE(cudaEventCreate(&end));
    FINE(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    FINE(cudaEventRecord(fork, one));
    FINE(cudaStreamWaitEvent(other, fork, 0));
    FINE(run(lasting, other));
    for (int i = 0; i < 3; i++) FINE(run(usual, one));
    FINE(cudaMemcpyAsync(device, host, 4, cudaMemcpyHostToDevice, one));
    FINE(cudaEventRecord(join, other));
    FINE(cudaStreamWaitEvent(one, join, 0));
    FINE(run(usual, one));
    FINE(cudaStreamEndCapture(one, &graph));
    FINE(cudaGraphGetNodes(graph, NULL, &nodes));
    HOLDS(nodes == 6);
    nodes = 7;
    FINE(cudaGraphGetNodes(graph, seven, &nodes));
    HOLDS(nodes == 6 && seven[5] && !seven[6]);
    FINE(cudaGraphInstantiate(&instance, graph, 0));
    FINE(cudaGraphDestroy(graph)); /* an instance does not need it */
    FINE(cudaMemset(device, 0, 4));
    FINE(cudaDeviceSynchronize());
    FINE(cudaEventRecord(begin, one));
    for (int i = 0; i < 2; i++) FINE(cudaGraphLaunch(instance, one));
    FINE(cudaEventRecord(end, one));
    FINE(cudaStreamSynchronize(one));
    FINE(cudaEventElapsedTime(&ms, begin, end));
    HOLDS(exactly(ms, 2 * 11)); /* the longest path: 10 ms beside 3, then 1 */
    memset(host, 0, 4);
    FINE(cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost));
    HOLDS(!memcmp(device, host, 4));
    FINE(cudaGraphExecDestroy(instance));
    FINE(cudaFree(device));
    for (int i = 0; i < 4; i++) FINE(cudaEventDestroy((cudaEvent_t[]){fork, join, begin, end}[i]));
    FINE(cudaStreamDestroy(one));
    FINE(cudaStreamDestroy(other));
}

static void a_capture_that_is_waited_for_ends(void) {
    cudaStream_t one, other;
    cudaEvent_t fork;
    cudaGraph_t graph;
    FINE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    FINE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    FINE(cudaEventCreate(&fork));
    HOLDS(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal) ==
          cudaErrorStreamCaptureUnsupported);
    FINE(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    HOLDS(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
    HOLDS(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated);
    FINE(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    FINE(cudaEventRecord(fork, one));
    FINE(cudaStreamWaitEvent(other, fork, 0));
    FINE(run(usual, other));
    HOLDS(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureUnjoined);
    HOLDS(graph == NULL);
    FINE(run(usual, one));
    FINE(cudaDeviceSynchronize());
    FINE(cudaEventDestroy(fork));
    FINE(cudaStreamDestroy(one));
    FINE(cudaStreamDestroy(other));
}

/* As XLA does: a copy, two kernels after it and beside each other, the longer one in a graph of
 * its own; then the copy is from another place, and the short kernel is a long one. */
static void a_graph_of_the_driver_is_put_together_and_changed(void) {
    CUmodule module;
    CUfunction short_one, long_one;
    CUstream stream;
    CUevent begin, end;
    CUgraph graph, inner;
    CUgraphExec instance;
    CUgraphNode copied, each, nested, root;
    size_t roots = 1;
    CUdeviceptr device;
    float ms;
    char first[4] = "abc", second[4] = "xyz";
    HOLDS(!cuModuleLoadData(&module, "code"));
    HOLDS(!cuModuleGetFunction(&short_one, module, "usual"));
    HOLDS(!cuModuleGetFunction(&long_one, module, "long"));
    HOLDS(!cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    HOLDS(!cuEventCreate(&begin, 0) && !cuEventCreate(&end, 0));
    HOLDS(!cuMemAlloc(&device, 4));
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = first,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = device,
                          .WidthInBytes = 4, .Height = 1, .Depth = 1};
    CUDA_KERNEL_NODE_PARAMS kernel = {.func = short_one, .gridDimX = 1, .gridDimY = 1,
                                      .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
                                      .blockDimZ = 1};
    HOLDS(!cuGraphCreate(&graph, 0) && !cuGraphCreate(&inner, 0));
    HOLDS(!cuGraphAddMemcpyNode(&copied, graph, NULL, 0, &copy, NULL));
    HOLDS(!cuGraphAddKernelNode(&each, graph, &copied, 1, &kernel));
    kernel.func = long_one;
    HOLDS(!cuGraphAddKernelNode(&nested, inner, NULL, 0, &kernel));
    HOLDS(!cuGraphAddChildGraphNode(&nested, graph, &copied, 1, inner));
    HOLDS(!cuGraphGetRootNodes(graph, NULL, &roots) && roots == 1);
    HOLDS(!cuGraphGetRootNodes(graph, &root, &roots) && root == copied);
    HOLDS(!cuGraphInstantiate(&instance, graph, 0));
    for (int turn = 0; turn < 2; turn++) {
        HOLDS(!cuEventRecord(begin, stream));
        HOLDS(!cuGraphLaunch(instance, stream));
        HOLDS(!cuEventRecord(end, stream) && !cuStreamSynchronize(stream));
        HOLDS(!cuEventElapsedTime(&ms, begin, end));
        HOLDS(ms > 9.99 && ms < 10.01);
        HOLDS(!memcmp((void *)device, turn ? second : first, 4));
        copy.srcHost = second;
        HOLDS(!cuGraphExecMemcpyNodeSetParams(instance, copied, &copy, NULL));
        HOLDS(!cuGraphExecKernelNodeSetParams(instance, each, &kernel));
    }
    HOLDS(cuGraphExecKernelNodeSetParams(instance, copied, &kernel) == CUDA_ERROR_INVALID_VALUE);
    HOLDS(!cuGraphExecDestroy(instance) && !cuGraphDestroy(graph) && !cuGraphDestroy(inner));
    HOLDS(!cuMemFree(device) && !cuEventDestroy(begin) && !cuEventDestroy(end));
    HOLDS(!cuStreamDestroy(stream) && !cuModuleUnload(module));
}

static const Case cases[] = {
    CASE(a_graph_replays_what_was_captured),
    CASE(a_capture_that_is_waited_for_ends),
    CASE(a_graph_of_the_driver_is_put_together_and_changed),
};

MAIN(cases)
