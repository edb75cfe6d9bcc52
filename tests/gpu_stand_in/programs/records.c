/* What the reference of CUPTI promises of activity records and callbacks, case by case.
 *
 *   PROGRAM CASE      exit status 0 where it holds; else the line that does not */
#include "check.h"

#include <cupti.h>

#define MOST 64
#define NS_OF_MS 1000000

static CUpti_Activity *found[MOST]; /* in the order in which they were delivered */
static int n_found, n_buffers;
static size_t buffer_bytes = 1 << 16;

static void requested(uint8_t **buffer, size_t *bytes, size_t *most) {
    *buffer = malloc(buffer_bytes);
    *bytes = buffer_bytes;
    *most = 0;
}

static void completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                      size_t valid) {
    (void)context, (void)stream;
    CUpti_Activity *record = NULL;
    HOLDS(valid <= bytes);
    n_buffers++;
    while (!cuptiActivityGetNextRecord(buffer, valid, &record)) {
        HOLDS(n_found < MOST);
        found[n_found++] = record; /* buffers are kept */
    }
    HOLDS(cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_ERROR_MAX_LIMIT_REACHED);
}

static void record_kinds(CUpti_ActivityKind first, CUpti_ActivityKind second) {
    HOLDS(cuptiActivityFlushAll(0) == CUPTI_ERROR_INVALID_OPERATION);
    HOLDS(!cuptiActivityRegisterCallbacks(requested, completed));
    HOLDS(!cuptiActivityEnable(first) && !cuptiActivityEnable(second));
}

static void flushed(int n) {
    n_found = 0;
    HOLDS(!cuptiActivityFlushAll(0));
    HOLDS(n_found == n);
}

static CUpti_ActivityKernel9 *kernel(int i) {
    HOLDS(found[i]->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    return (CUpti_ActivityKernel9 *)found[i];
}

static void kernels_have_names_streams_and_times(void) {
    cudaStream_t one, other;
    FINE(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    FINE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    FINE(run(usual, one)); /* nobody observes it yet */
    FINE(cudaDeviceSynchronize());
    record_kinds(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_OVERHEAD);
    uint64_t began;
    HOLDS(!cuptiGetTimestamp(&began));
    FINE(run(usual, one));
    FINE(run(lasting, one));
    FINE(run(usual, other));
    FINE(cudaDeviceSynchronize());
    flushed(3);
    CUpti_ActivityKernel9 *first = kernel(0), *second = kernel(1), *beside = kernel(2);
    HOLDS(!strcmp(first->name, "usual") && !strcmp(second->name, "long"));
    HOLDS(first->start == began && first->end == began + NS_OF_MS);
    HOLDS(second->start == first->end && second->end == second->start + 10 * NS_OF_MS);
    HOLDS(beside->start == began && beside->end == first->end);
    HOLDS(first->streamId == second->streamId && first->streamId != beside->streamId);
    HOLDS(first->deviceId == 0 && first->contextId == beside->contextId);
    HOLDS(!cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    FINE(run(usual, one));
    FINE(cudaDeviceSynchronize());
    flushed(0);
}

static void calls_are_known_by_what_they_have_issued(void) {
    record_kinds(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME);
    FINE(run(lasting, NULL));
    FINE(run(usual, NULL));
    FINE(cudaDeviceSynchronize());
    flushed(5);
    uint32_t last = 0;
    for (int i = 0; i < 2; i++) { /* a kernel, then the call that has returned */
        CUpti_ActivityAPI *call = (CUpti_ActivityAPI *)found[2 * i + 1];
        HOLDS(call->kind == CUPTI_ACTIVITY_KIND_RUNTIME);
        HOLDS(call->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
        HOLDS(call->correlationId == kernel(2 * i)->correlationId && call->correlationId > last);
        HOLDS(call->start <= kernel(2 * i)->start);
        last = call->correlationId;
    }
    CUpti_ActivityAPI *wait = (CUpti_ActivityAPI *)found[4];
    HOLDS(wait->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
    HOLDS(wait->end - wait->start == 11 * NS_OF_MS);
}

static void copies_and_memsets_say_what_they_moved(void) {
    char *device, *host = malloc(2 * MIB);
    FINE(cudaMalloc((void **)&device, 2 * MIB));
    record_kinds(CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET);
    FINE(cudaMemset(device, 3, MIB));
    FINE(cudaMemcpy(device, host, 2 * MIB, cudaMemcpyHostToDevice));
    FINE(cudaMemcpy(host, device, MIB, cudaMemcpyDeviceToHost));
    FINE(cudaMemcpy(device, device + MIB, MIB, cudaMemcpyDeviceToDevice));
    FINE(cudaDeviceSynchronize());
    flushed(4);
    CUpti_ActivityMemset4 *set = (CUpti_ActivityMemset4 *)found[0];
    HOLDS(set->kind == CUPTI_ACTIVITY_KIND_MEMSET && set->bytes == MIB && set->value == 3);
    static const int ways[] = {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
                               CUPTI_ACTIVITY_MEMCPY_KIND_DTOD};
    for (int i = 0; i < 3; i++) {
        CUpti_ActivityMemcpy5 *copy = (CUpti_ActivityMemcpy5 *)found[i + 1];
        HOLDS(copy->kind == CUPTI_ACTIVITY_KIND_MEMCPY && copy->copyKind == ways[i]);
        HOLDS(copy->bytes == (i ? MIB : 2 * MIB));
        HOLDS(copy->end - copy->start == copy->bytes); /* 1 GB/s */
    }
    FINE(cudaFree(device));
    free(host);
}

static void kernels_of_a_graph_are_told_one_by_one(void) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    FINE(cudaStreamCreate(&stream));
    FINE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    FINE(run(usual, stream));
    FINE(run(lasting, stream));
    FINE(cudaStreamEndCapture(stream, &graph));
    FINE(cudaGraphInstantiate(&instance, graph, 0));
    record_kinds(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME);
    FINE(cudaGraphLaunch(instance, stream));
    FINE(cudaStreamSynchronize(stream));
    flushed(4);
    CUpti_ActivityKernel9 *first = kernel(0), *second = kernel(1);
    CUpti_ActivityAPI *call = (CUpti_ActivityAPI *)found[2];
    HOLDS(call->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000);
    HOLDS(call->correlationId == first->correlationId);
    HOLDS(call->correlationId == second->correlationId);
    HOLDS(first->graphId && first->graphId == second->graphId);
    HOLDS(first->graphNodeId != second->graphNodeId);
    HOLDS(first->end - first->start == NS_OF_MS && second->start == first->end);
    HOLDS(second->end - second->start == 10 * NS_OF_MS);
}

static void what_has_not_ended_is_kept(void) {
    record_kinds(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_OVERHEAD);
    FINE(run(usual, NULL));
    flushed(0);
    FINE(cudaDeviceSynchronize());
    flushed(1);
    FINE(run(usual, NULL));
    n_found = 0;
    HOLDS(!cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    HOLDS(n_found == 1 && kernel(0)->end == 0);
}

static void full_buffers_are_handed_over(void) {
    buffer_bytes = 2 * sizeof(CUpti_ActivityKernel9) + 100;
    record_kinds(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_OVERHEAD);
    for (int i = 0; i < 5; i++) FINE(run(usual, NULL));
    FINE(cudaDeviceSynchronize());
    flushed(5);
    HOLDS(n_buffers == 3);
    for (int i = 1; i < 5; i++) HOLDS(kernel(i)->start == kernel(i - 1)->end);
    buffer_bytes = 8; /* too small for any: records are lost, and counted */
    FINE(run(usual, NULL));
    FINE(cudaDeviceSynchronize());
    flushed(0);
    size_t lost;
    HOLDS(!cuptiActivityGetNumDroppedRecords(NULL, 0, &lost) && lost == 1);
}

static void calls_have_the_last_id_that_was_pushed(void) {
    CUpti_ExternalCorrelationKind kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
    uint64_t last;
    record_kinds(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    HOLDS(!cuptiActivityPushExternalCorrelationId(kind, 71));
    HOLDS(!cuptiActivityPushExternalCorrelationId(kind, 72));
    FINE(run(usual, NULL));
    HOLDS(!cuptiActivityPopExternalCorrelationId(kind, &last) && last == 72);
    FINE(run(usual, NULL));
    HOLDS(!cuptiActivityPopExternalCorrelationId(kind, NULL));
    HOLDS(cuptiActivityPopExternalCorrelationId(kind, &last) == CUPTI_ERROR_QUEUE_EMPTY);
    FINE(run(usual, NULL));
    FINE(cudaDeviceSynchronize());
    flushed(5);
    for (int i = 0; i < 2; i++) {
        CUpti_ActivityExternalCorrelation *of = (void *)found[2 * i + 1];
        HOLDS(of->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION && of->externalKind == kind);
        HOLDS(of->externalId == (uint64_t)(72 - i));
        HOLDS(of->correlationId == kernel(2 * i)->correlationId);
    }
}

static uint64_t another_clock(void) { return 3 * (uint64_t)now_ns() + 1000; }

static void times_are_of_the_clock_that_was_asked_for(void) {
    record_kinds(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_OVERHEAD);
    HOLDS(!cuptiActivityRegisterTimestampCallback(another_clock));
    uint64_t began = another_clock(), same;
    HOLDS(!cuptiGetTimestamp(&same) && same == began);
    FINE(run(lasting, NULL));
    FINE(cudaDeviceSynchronize());
    flushed(1);
    HOLDS(kernel(0)->start == began);
    HOLDS(kernel(0)->end - kernel(0)->start == 30 * NS_OF_MS);
}

static int called[2];
static void noted(void *of, CUpti_CallbackDomain domain, CUpti_CallbackId function,
                  const CUpti_CallbackData *call) {
    static uint32_t number;
    HOLDS(of == called && domain == CUPTI_CB_DOMAIN_RUNTIME_API);
    HOLDS(function == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
    HOLDS(!strcmp(call->symbolName, "usual") && call->context);
    if (call->callbackSite == CUPTI_API_ENTER) *call->correlationData = 77;
    else HOLDS(*call->correlationData == 77 && call->correlationId == number);
    number = call->correlationId;
    called[call->callbackSite]++;
}

static void callbacks_are_called_before_and_after(void) {
    CUpti_SubscriberHandle subscriber, second;
    CUpti_CallbackId launch = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
    HOLDS(!cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)noted, called));
    HOLDS(cuptiSubscribe(&second, (CUpti_CallbackFunc)noted, NULL) ==
          CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    FINE(run(usual, NULL));
    HOLDS(!cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, launch));
    FINE(run(usual, NULL));
    FINE(cudaDeviceSynchronize());
    HOLDS(!cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, launch));
    FINE(run(usual, NULL));
    HOLDS(called[CUPTI_API_ENTER] == 1 && called[CUPTI_API_EXIT] == 1);
    HOLDS(!cuptiUnsubscribe(subscriber));
}

static const Case cases[] = {
    CASE(kernels_have_names_streams_and_times),
    CASE(calls_are_known_by_what_they_have_issued),
    CASE(copies_and_memsets_say_what_they_moved),
    CASE(kernels_of_a_graph_are_told_one_by_one),
    CASE(what_has_not_ended_is_kept),
    CASE(full_buffers_are_handed_over),
    CASE(calls_have_the_last_id_that_was_pushed),
    CASE(times_are_of_the_clock_that_was_asked_for),
    CASE(callbacks_are_called_before_and_after),
};

MAIN(cases)
