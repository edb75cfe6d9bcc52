/* The driver: streams, functions of the host and events. */
#define _GNU_SOURCE
#include "cuda_driver.h"

#include <stdlib.h>

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    *stream = (CUstream)stream_new(flags, priority);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream) { return (CUresult)stream_free((Stream *)stream); }
CUresult cuStreamSynchronize(CUstream stream) { return (CUresult)stream_wait(stream); }
CUresult cuStreamQuery(CUstream stream) { return (CUresult)stream_query(stream); }

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
    Stream *stream = stream_of(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    *context = context_of(stream_device(stream));
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    (void)flags;
    return (CUresult)stream_wait_event(stream, (Event *)event);
}

CUresult cuStreamGetPriority(CUstream handle, int *priority) {
    Stream *stream = stream_of(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    *priority = stream_priority(stream);
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *argument) {
    return (CUresult)host_function(stream, function, argument);
}

typedef struct {
    CUstreamCallback function;
    CUstream stream;
    void *argument;
} Callback;

static void call_back(void *call) {
    Callback *callback = call;
    callback->function(callback->stream, (CUresult)device_error(), callback->argument);
    free(callback);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *argument,
                             unsigned flags) {
    (void)flags;
    Callback *callback = malloc(sizeof *callback);
    *callback = (Callback){function, stream, argument};
    return (CUresult)host_function(stream, call_back, callback);
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    *event = (CUevent)event_new(flags);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) { return (CUresult)event_free((Event *)event); }

CUresult cuEventRecord(CUevent event, CUstream stream) {
    return (CUresult)event_record((Event *)event, stream);
}

CUresult cuEventSynchronize(CUevent event) { return (CUresult)event_wait((Event *)event); }
CUresult cuEventQuery(CUevent event) { return (CUresult)event_query((Event *)event); }

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
    return (CUresult)event_elapsed(ms, (Event *)from, (Event *)to);
}
