/* Events: the time at which all work before them has ended. */
#define _GNU_SOURCE
#include "streams.h"

#include <stdlib.h>

Event *event_new(unsigned flags) {
    Event *event = calloc(1, sizeof *event);
    event->magic = EVENT;
    event->flags = flags;
    return event;
}

int event_free(Event *event) {
    if (!event || event->magic != EVENT) return INVALID_HANDLE;
    event->magic = 0;
    free(event);
    return OK;
}

/* An event has the time at which all work before it has ended, or now where it has already. */
int event_record(Event *event, void *handle) {
    Stream *stream = stream_of(handle);
    if (!stream || !event || event->magic != EVENT) return INVALID_HANDLE;
    lock_all();
    int64_t end = end_of(stream), now = now_ns();
    event->stream = stream;
    event->device = stream->device;
    event->graph = stream->graph;
    event->last = stream->last;
    if (!stream->graph) {
        event->at_ns = end > now ? end : now;
        event->recorded = 1;
    }
    unlock_all();
    return OK;
}

int event_wait(Event *event) {
    RUNTIME(cudaEventSynchronize_v3020);
    if (!event || event->magic != EVENT) return INVALID_HANDLE;
    if (refused(event->graph)) return CAPTURE_UNSUPPORTED;
    waited_until(event->recorded ? event->at_ns : 0);
    return device_error();
}

/* "Success also where the event was never recorded." */
int event_query(Event *event) {
    if (!event || event->magic != EVENT) return INVALID_HANDLE;
    if (refused(event->graph)) return CAPTURE_UNSUPPORTED;
    if (event->recorded && event->at_ns > now_ns()) return NOT_READY;
    if (event->recorded) border(event->device);
    return device_error();
}

int event_elapsed(float *ms, Event *from, Event *to) {
    if (!from || !to || from->magic != EVENT || to->magic != EVENT) return INVALID_HANDLE;
    if (!from->recorded || !to->recorded || (from->flags | to->flags) & NO_TIMING)
        return INVALID_HANDLE;
    if (from->at_ns > now_ns() || to->at_ns > now_ns()) return NOT_READY;
    *ms = (float)((double)(to->at_ns - from->at_ns) / 1e6);
    return device_error();
}

/* Waiting for an event of a capture brings a stream into it, and joins the other one. */
static void join(Stream *stream, Event *event) {
    Node *last = event->last;
    if (!stream->graph) {
        stream->graph = event->graph;
        stream->last = last;
    } else if (last && (!stream->last || last->end_ns > stream->last->end_ns)) stream->last = last;
    if (event->stream != stream && event->stream->last == last) event->stream->unjoined = 0;
}

int stream_wait_event(void *handle, Event *event) {
    Stream *stream = stream_of(handle);
    if (!stream || !event || event->magic != EVENT) return INVALID_HANDLE;
    lock_all();
    if (event->graph) join(stream, event);
    else if (!stream->graph && event->recorded && event->at_ns > stream->end_ns)
        stream->end_ns = event->at_ns;
    unlock_all();
    return OK;
}
