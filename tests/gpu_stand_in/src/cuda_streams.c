/* The driver: streams, functions of the host and events. */
#define _GNU_SOURCE
#include "cuda_driver.h"

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    *stream = (CUstream)stream_new(flags, priority);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream) { return (CUresult)stream_free((Stream *)stream); }
CUresult cuStreamQuery(CUstream stream) { return (CUresult)stream_query(stream); }

CUresult cuStreamSynchronize(CUstream stream) {
    CALLED(cuStreamSynchronize, stream);
    return (CUresult)stream_wait(stream);
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
    int number, error = stream_facts(handle, NULL, NULL, NULL, &number);
    if (!error) *context = context_of(number);
    return (CUresult)error;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    (void)flags;
    return (CUresult)stream_wait_event(stream, (Event *)event);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority) {
    return (CUresult)stream_facts(stream, priority, NULL, NULL, NULL);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *argument) {
    return (CUresult)host_function(stream, function, argument);
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    *event = (CUevent)event_new(flags);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) { return (CUresult)event_free((Event *)event); }

CUresult cuEventRecord(CUevent event, CUstream stream) {
    return (CUresult)event_record((Event *)event, stream);
}

CUresult cuEventSynchronize(CUevent event) {
    CALLED(cuEventSynchronize, event);
    return (CUresult)event_wait((Event *)event);
}

CUresult cuEventQuery(CUevent event) { return (CUresult)event_query((Event *)event); }

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
    return (CUresult)event_elapsed(ms, (Event *)from, (Event *)to);
}
