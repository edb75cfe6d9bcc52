/* The host waits for the device, or asks how far it is. */
#define _GNU_SOURCE
#include "streams.h"

static int is_busy(int number) {
    int64_t now = now_ns();
    for (Stream *stream = streams; stream; stream = stream->next)
        if (stream->device == number && stream->end_ns > now) return 1;
    return 0;
}

void border(int number) {
    lock_all();
    if (visible_device(number) && !is_busy(number))
        log_fence((int)(visible_device(number) - settings.devices));
    unlock_all();
}

void waited_until(int64_t ns) {
    __atomic_fetch_add(&counts()->waits, 1, __ATOMIC_RELAXED);
    wait_until(ns);
    border(current_device());
}

static void wait_for_functions(Stream *stream) {
    lock_all();
    while (stream->waiting_functions) pthread_cond_wait(&function_ended, &stream_lock);
    unlock_all();
}

int stream_wait(void *handle) {
    RUNTIME(cudaStreamSynchronize_v3020);
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    if (refused(stream->graph)) return CAPTURE_UNSUPPORTED;
    lock_all();
    int64_t until = end_of(stream);
    unlock_all();
    waited_until(until);
    wait_for_functions(stream);
    return device_error();
}

int stream_query(void *handle) {
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    if (refused(stream->graph)) return CAPTURE_UNSUPPORTED;
    lock_all();
    int busy = end_of(stream) > now_ns() || stream->waiting_functions;
    unlock_all();
    if (!busy) border(stream->device);
    return busy ? NOT_READY : device_error();
}

int device_wait(void) {
    RUNTIME(cudaDeviceSynchronize_v3020);
    int64_t until = 0;
    int captured = 0, functions = 0;
    lock_all();
    for (Stream *stream = streams; stream; stream = stream->next) {
        if (stream->device != current_device()) continue;
        if (stream->end_ns > until) until = stream->end_ns;
        captured |= refused(stream->graph);
        functions |= stream->waiting_functions;
    }
    unlock_all();
    if (captured) return CAPTURE_UNSUPPORTED;
    waited_until(until);
    lock_all();
    for (Stream *stream = functions ? streams : NULL; stream; stream = stream->next)
        while (stream->waiting_functions) pthread_cond_wait(&function_ended, &stream_lock);
    unlock_all();
    return device_error();
}
