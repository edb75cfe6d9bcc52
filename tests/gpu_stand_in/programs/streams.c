/* What the documentation of CUDA promises of streams and events, case by case.
 *
 *   PROGRAM CASE      exit status 0 where it holds; else the line that does not */
#include "check.h"

#include <pthread.h>
#include <time.h>

static void launches_return_and_synchronising_waits(void) {
    double start = now_ms();
    for (int i = 0; i < 100; i++) FINE(run(lasting, NULL));
    HOLDS(now_ms() == start);
    HOLDS(cudaStreamQuery(NULL) == cudaErrorNotReady);
    FINE(cudaDeviceSynchronize());
    HOLDS(exactly(now_ms() - start, 1000));
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
    FINE(run(lasting, stream));
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
    HOLDS(exactly(now_ms() - start, 100));
    start = now_ms();
    FINE(run(lasting, one));
    FINE(cudaEventRecord(reached, one));
    FINE(cudaStreamWaitEvent(other, reached, 0));
    FINE(run(lasting, other));
    HOLDS(cudaStreamQuery(other) == cudaErrorNotReady);
    FINE(cudaStreamSynchronize(other));
    HOLDS(exactly(now_ms() - start, 20));
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
    HOLDS(exactly(now_ms() - start, 1)); /* it waits for none of the others */
    FINE(cudaStreamSynchronize(blocking));
    HOLDS(exactly(now_ms() - start, 300));
    FINE(cudaStreamDestroy(blocking));
    FINE(cudaStreamDestroy(free_one));
}

static void the_queue_is_finite(void) {
    double start = now_ms();
    for (int i = 0; i < 1124; i++) FINE(run(usual, NULL));
    HOLDS(exactly(now_ms() - start, 100));
    FINE(cudaDeviceSynchronize());
    HOLDS(exactly(now_ms() - start, 1124));
}

static double called_ms[3];
static void note(void *which) { called_ms[*(int *)which] = now_ms(); }

static void host_functions_are_called_when_their_stream_has_come_there(void) {
    int first = 0, second = 1, other = 2;
    cudaStream_t stream, fast;
    FINE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    FINE(cudaStreamCreateWithFlags(&fast, cudaStreamNonBlocking));
    double start = now_ms();
    FINE(run(lasting, stream));
    FINE(cudaLaunchHostFunc(stream, note, &first));
    for (int i = 0; i < 100; i++) FINE(run(lasting, stream));
    FINE(cudaLaunchHostFunc(stream, note, &second));
    FINE(run(lasting, fast)); /* issued last and due before the others */
    FINE(cudaLaunchHostFunc(fast, note, &other));
    FINE(cudaStreamSynchronize(stream));
    HOLDS(exactly(called_ms[0] - start, 10) && exactly(called_ms[1] - start, 1010));
    HOLDS(exactly(called_ms[2] - start, 10));
    FINE(cudaStreamDestroy(stream));
    FINE(cudaStreamDestroy(fast));
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

/* On the host's own clock, of which nothing but this can be said for sure. */
static void waiting_takes_as_long_as_the_work(void) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < 10; i++) FINE(run(lasting, NULL));
    FINE(cudaDeviceSynchronize());
    clock_gettime(CLOCK_MONOTONIC, &end);
    double s = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    HOLDS(s >= 0.1);
}

static const Case cases[] = {
    CASE(launches_return_and_synchronising_waits),
    CASE(events_time_a_stream),
    CASE(events_without_timing_have_none),
    CASE(streams_run_side_by_side_and_events_order_them),
    CASE(the_legacy_stream_waits_for_blocking_streams),
    CASE(the_queue_is_finite),
    CASE(host_functions_are_called_when_their_stream_has_come_there),
    CASE(threads_may_work_at_once),
    CASE(waiting_takes_as_long_as_the_work),
};

MAIN(cases)
