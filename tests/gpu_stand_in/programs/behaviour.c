/* What the documentation of CUDA promises of streams, events, graphs and memory, case by case.
 *
 *   behaviour CASE      exit status 0 where it holds; else the line that does not
 *
 * The machine has kernels of 1 ms (one named "long" of 10 ms), copies of 1 GB/s, 64 MiB. */
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB ((size_t)1 << 20)
#define HOLDS(claim) ((claim) ? (void)0 : not_so(__LINE__, #claim))
#ifdef SLOW /* under a sanitizer the host is late */
#define SOON(claim) ((void)(claim))
#else
#define SOON(claim) HOLDS(claim)
#endif
#define FINE(call) HOLDS((call) == cudaSuccess)

static void not_so(int line, const char *claim) {
    fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, line, claim);
    exit(1);
}

void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            void *, void *, int *);
static const char usual[8], lasting[8]; /* stubs of two kernels, as nvcc makes them */

static void register_kernels(void) {
    __cudaRegisterFunction(NULL, usual, NULL, "usual", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(NULL, lasting, NULL, "long", -1, NULL, NULL, NULL, NULL, NULL);
}

static cudaError_t run(const void *stub, cudaStream_t stream) {
    return cudaLaunchKernel(stub, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NULL, 0, stream);
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Not shorter than that, and not much longer: other processes may be in the way. */
static int about(double ms, double wanted_ms) {
    SOON(ms < wanted_ms + 500);
    return ms > wanted_ms * 0.99;
}

static int exactly(double ms, double wanted_ms) {
    return ms > wanted_ms * 0.9999 && ms < wanted_ms * 1.0001;
}

static void launches_return_and_synchronising_waits(void) {
    double start = now_ms();
    for (int i = 0; i < 100; i++) FINE(run(lasting, NULL));
    SOON(now_ms() - start < 900);
    HOLDS(cudaStreamQuery(NULL) == cudaErrorNotReady);
    FINE(cudaDeviceSynchronize());
    HOLDS(about(now_ms() - start, 1000));
    FINE(cudaStreamQuery(NULL));
}

static void events_time_a_stream(void) {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float ms;
    FINE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    FINE(cudaEventCreate(&begin));
    FINE(cudaEventCreate(&end));
    HOLDS(cudaEventElapsedTime(&ms, begin, end) == cudaErrorInvalidResourceHandle);
    FINE(cudaEventQuery(begin));
    FINE(run(lasting, stream)); /* so that the first event is not reached before the next launch */
    FINE(cudaEventRecord(begin, stream));
    for (int i = 0; i < 5; i++) FINE(run(usual, stream));
    FINE(cudaEventRecord(end, stream));
    HOLDS(cudaEventQuery(end) == cudaErrorNotReady);
    HOLDS(cudaEventElapsedTime(&ms, begin, end) == cudaErrorNotReady);
    FINE(cudaEventSynchronize(end));
    FINE(cudaEventElapsedTime(&ms, begin, end));
    HOLDS(exactly(ms, 5));
    FINE(cudaEventDestroy(begin));
    FINE(cudaEventDestroy(end));
    FINE(cudaStreamDestroy(stream));
}

static void events_without_timing_have_none(void) {
    cudaEvent_t event;
    float ms;
    FINE(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    FINE(cudaEventRecord(event, NULL));
    FINE(cudaEventSynchronize(event));
    HOLDS(cudaEventElapsedTime(&ms, event, event) == cudaErrorInvalidResourceHandle);
    HOLDS(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    FINE(cudaGetLastError());
    FINE(cudaEventDestroy(event));
}

static void streams_run_side_by_side_and_events_order_them(void) {
    cudaStream_t one, other;
    cudaEvent_t reached;
    FINE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    FINE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    FINE(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));
    double start = now_ms();
    for (int i = 0; i < 10; i++) {
        FINE(run(lasting, one));
        FINE(run(lasting, other));
    }
    FINE(cudaDeviceSynchronize());
    HOLDS(about(now_ms() - start, 100));
    start = now_ms();
    FINE(run(lasting, one));
    FINE(cudaEventRecord(reached, one));
    FINE(cudaStreamWaitEvent(other, reached, 0));
    FINE(run(lasting, other));
    HOLDS(cudaStreamQuery(other) == cudaErrorNotReady);
    FINE(cudaStreamSynchronize(other));
    HOLDS(about(now_ms() - start, 20));
    FINE(cudaEventDestroy(reached));
    FINE(cudaStreamDestroy(one));
    FINE(cudaStreamDestroy(other));
}

static void the_legacy_stream_waits_for_blocking_streams(void) {
    cudaStream_t blocking, free_one;
    FINE(cudaStreamCreate(&blocking));
    FINE(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
    double start = now_ms();
    for (int i = 0; i < 10; i++) {
        FINE(run(lasting, blocking));
        FINE(run(lasting, NULL));
        FINE(run(lasting, blocking));
    }
    FINE(run(usual, free_one));
    FINE(cudaStreamSynchronize(free_one));
    SOON(now_ms() - start < 290);
    FINE(cudaStreamSynchronize(blocking));
    HOLDS(about(now_ms() - start, 300));
    FINE(cudaStreamDestroy(blocking));
    FINE(cudaStreamDestroy(free_one));
}

static void the_queue_is_finite(void) {
    double start = now_ms();
    for (int i = 0; i < 1124; i++) FINE(run(usual, NULL));
    HOLDS(about(now_ms() - start, 100));
    FINE(cudaDeviceSynchronize());
    HOLDS(about(now_ms() - start, 1124));
}

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
    FINE(run(lasting, one));
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

static void copies_are_real_and_wait_as_documented(void) {
    char *device, *pinned, *pageable = malloc(10 * MIB);
    FINE(cudaMalloc((void **)&device, 10 * MIB));
    FINE(cudaHostAlloc((void **)&pinned, 10 * MIB, 0));
    memset(pageable, 7, 10 * MIB);
    FINE(cudaMemcpy(device, pageable, 10 * MIB, cudaMemcpyHostToDevice));
    FINE(cudaDeviceSynchronize());
    double start = now_ms();
    FINE(cudaMemcpyAsync(pinned, device, 10 * MIB, cudaMemcpyDeviceToHost, NULL));
    HOLDS(cudaStreamQuery(NULL) == cudaErrorNotReady || now_ms() - start > 10);
    FINE(cudaStreamSynchronize(NULL));
    HOLDS(about(now_ms() - start, 10.4));
    HOLDS(pinned[0] == 7 && pinned[10 * MIB - 1] == 7);
    FINE(cudaMemset(device, 3, 10 * MIB));
    start = now_ms();
    FINE(cudaMemcpyAsync(pageable, device, 10 * MIB, cudaMemcpyDeviceToHost, NULL));
    HOLDS(about(now_ms() - start, 10.4));
    HOLDS(pageable[10 * MIB - 1] == 3);
    FINE(cudaMemset(device, 0, 10 * MIB));
    FINE(cudaMemcpy(pageable, device, 10 * MIB, cudaMemcpyDeviceToHost));
    HOLDS(pageable[0] == 0 && pageable[10 * MIB - 1] == 0);
    FINE(cudaFreeHost(pinned));
    FINE(cudaFree(device));
    free(pageable);
}

static void memory_ends_and_comes_back(void) {
    size_t available, total;
    void *first, *second, *third;
    struct cudaPointerAttributes about_it;
    FINE(cudaMemGetInfo(&available, &total));
    HOLDS(total == 64 * MIB && available == total);
    FINE(cudaMalloc(&first, 40 * MIB));
    HOLDS(cudaMalloc(&second, 25 * MIB) == cudaErrorMemoryAllocation);
    HOLDS(cudaGetLastError() == cudaErrorMemoryAllocation);
    FINE(cudaMalloc(&second, 24 * MIB));
    HOLDS(cudaMallocAsync(&third, 1, NULL) == cudaErrorMemoryAllocation);
    FINE(cudaFree(first));
    FINE(cudaMallocAsync(&third, 40 * MIB, NULL));
    FINE(cudaMemGetInfo(&available, &total));
    HOLDS(available == 0);
    HOLDS(cudaFree((char *)third + 8) == cudaErrorInvalidValue);
    FINE(cudaPointerGetAttributes(&about_it, (char *)third + 8));
    HOLDS(about_it.type == cudaMemoryTypeDevice && about_it.device == 0);
    FINE(cudaPointerGetAttributes(&about_it, &available));
    HOLDS(about_it.type == cudaMemoryTypeUnregistered);
    FINE(cudaFree(second));
    FINE(cudaFreeAsync(third, NULL));
    FINE(cudaFree(NULL));
}

static void a_pool_says_what_it_holds(void) {
    cudaMemPool_t pool;
    void *pointer;
    uint64_t bytes;
    FINE(cudaDeviceGetDefaultMemPool(&pool, 0));
    FINE(cudaMallocFromPoolAsync(&pointer, 10 * MIB, pool, NULL));
    FINE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    HOLDS(bytes == 10 * MIB);
    FINE(cudaFreeAsync(pointer, NULL));
    FINE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    HOLDS(bytes == 0);
    FINE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &bytes));
    HOLDS(bytes == 10 * MIB);
}

static void addresses_are_mapped_to_memory(void) {
    CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    CUmemAccessDesc who = {.location = what.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle memory, more;
    CUdeviceptr place;
    size_t available, total;
    HOLDS(cuMemCreate(&memory, 3 * MIB, &what, 0) == CUDA_ERROR_INVALID_VALUE);
    HOLDS(cuMemCreate(&more, 66 * MIB, &what, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    HOLDS(!cuMemCreate(&memory, 4 * MIB, &what, 0));
    HOLDS(!cuMemAddressReserve(&place, 8 * MIB, 0, 0, 0));
    HOLDS(!cuMemMap(place, 4 * MIB, 0, memory, 0));
    HOLDS(!cuMemMap(place + 4 * MIB, 4 * MIB, 0, memory, 0));
    HOLDS(!cuMemSetAccess(place, 8 * MIB, &who, 1));
    HOLDS(!cuMemsetD8(place, 5, 4 * MIB));
    HOLDS(((char *)place)[7 * MIB] == 5); /* the same memory at two places */
    HOLDS(!cuMemRelease(memory));
    cudaMemGetInfo(&available, &total);
    HOLDS(available == 60 * MIB);
    HOLDS(!cuMemUnmap(place, 8 * MIB));
    cudaMemGetInfo(&available, &total);
    HOLDS(available == 64 * MIB);
    HOLDS(!cuMemAddressFree(place, 8 * MIB));
}

static double called_ms[2];
static void note(void *which) { called_ms[*(int *)which] = now_ms(); }

static void host_functions_are_called_in_the_stream(void) {
    int first = 0, second = 1;
    cudaStream_t stream;
    FINE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    double start = now_ms();
    FINE(run(lasting, stream));
    FINE(cudaLaunchHostFunc(stream, note, &first));
    FINE(run(lasting, stream));
    FINE(cudaLaunchHostFunc(stream, note, &second));
    FINE(cudaStreamSynchronize(stream));
    HOLDS(about(called_ms[0] - start, 10) && about(called_ms[1] - start, 20));
    FINE(cudaStreamDestroy(stream));
}

static void launches_that_cannot_be_are_refused(void) {
    dim3 one = {1, 1, 1};
    HOLDS(cudaLaunchKernel(usual, (dim3){0, 1, 1}, one, NULL, 0, NULL) ==
          cudaErrorInvalidConfiguration);
    HOLDS(cudaLaunchKernel(usual, one, (dim3){1025, 1, 1}, NULL, 0, NULL) ==
          cudaErrorInvalidConfiguration);
    HOLDS(cudaLaunchKernel(&one, one, one, NULL, 0, NULL) == cudaErrorInvalidDeviceFunction);
    HOLDS(!strcmp(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidDeviceFunction"));
    FINE(cudaPeekAtLastError());
}

static void a_function_that_is_missing_says_its_name(void) {
    void *library = dlopen("libcufft.so.12", RTLD_NOW);
    int (*missing)(void) = (int (*)(void))dlsym(library, "cufftPlan1d");
    HOLDS(library && missing && missing());
}

static void a_device_that_failed_stays_so(void) {
    FINE(run(usual, NULL));
    FINE(run(usual, NULL)); /* the second one fails, which a later call is told */
    HOLDS(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    HOLDS(cudaGetLastError() == cudaErrorIllegalAddress);
    HOLDS(cudaGetLastError() == cudaErrorIllegalAddress);
    HOLDS(run(usual, NULL) == cudaErrorIllegalAddress);
}

static void a_device_whose_clocks_fall_takes_longer(void) {
    cudaEvent_t begin, end;
    float ms;
    FINE(cudaEventCreate(&begin));
    FINE(cudaEventCreate(&end));
    FINE(run(lasting, NULL));
    FINE(cudaEventRecord(begin, NULL));
    for (int i = 0; i < 4; i++) FINE(run(usual, NULL)); /* from the third on at half the clocks */
    FINE(cudaEventRecord(end, NULL));
    FINE(cudaEventSynchronize(end));
    FINE(cudaEventElapsedTime(&ms, begin, end));
    HOLDS(exactly(ms, 2 * 1 + 2 * 2));
    FINE(cudaEventDestroy(begin));
    FINE(cudaEventDestroy(end));
}

static void *work_of_a_thread(void *nothing) {
    cudaStream_t stream;
    cudaEvent_t event;
    void *pointer;
    (void)nothing;
    FINE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    FINE(cudaEventCreate(&event));
    for (int i = 0; i < 20; i++) {
        FINE(cudaMalloc(&pointer, MIB));
        FINE(cudaMemsetAsync(pointer, i, MIB, stream));
        FINE(run(usual, stream));
        FINE(run(usual, cudaStreamPerThread));
        FINE(cudaEventRecord(event, stream));
        FINE(cudaStreamWaitEvent(cudaStreamPerThread, event, 0));
        FINE(cudaEventSynchronize(event));
        FINE(cudaFree(pointer));
    }
    FINE(cudaEventDestroy(event));
    FINE(cudaStreamDestroy(stream));
    return NULL;
}

static void threads_may_work_at_once(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work_of_a_thread, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    FINE(cudaDeviceSynchronize());
}

#define CASE(name) {#name, name}
static const struct {
    const char *name;
    void (*check)(void);
} cases[] = {
    CASE(launches_return_and_synchronising_waits),
    CASE(events_time_a_stream),
    CASE(events_without_timing_have_none),
    CASE(streams_run_side_by_side_and_events_order_them),
    CASE(the_legacy_stream_waits_for_blocking_streams),
    CASE(the_queue_is_finite),
    CASE(a_graph_replays_what_was_captured),
    CASE(a_capture_that_is_waited_for_ends),
    CASE(copies_are_real_and_wait_as_documented),
    CASE(memory_ends_and_comes_back),
    CASE(a_pool_says_what_it_holds),
    CASE(addresses_are_mapped_to_memory),
    CASE(host_functions_are_called_in_the_stream),
    CASE(launches_that_cannot_be_are_refused),
    CASE(a_function_that_is_missing_says_its_name),
    CASE(a_device_that_failed_stays_so),
    CASE(a_device_whose_clocks_fall_takes_longer),
    CASE(threads_may_work_at_once),
};

int main(int n, char **words) {
    register_kernels();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (n < 2) puts(cases[i].name);
        else if (!strcmp(words[1], cases[i].name)) return cases[i].check(), 0;
    }
    return n < 2 ? 0 : 2;
}
