/* Streams that are captured: their work goes into a graph. */
#define _GNU_SOURCE
#include "streams.h"

/* Waiting for a stream that is captured is not permitted, and ends the capture. */
int refused(Graph *graph) {
    if (!graph) return OK;
    graph->invalid = 1;
    return CAPTURE_UNSUPPORTED;
}

/* What other threads may do while this one captures: here all, whatever it says. */
int capture_mode(int mode) {
    static __thread int own; /* "global", which the runtime and the driver have as 0 */
    int old = own;
    own = mode;
    return old;
}

int capture_begin(void *handle, Graph *into) {
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    if (is_legacy(stream)) return CAPTURE_UNSUPPORTED;
    if (stream->graph) return ILLEGAL_STATE;
    lock_all();
    stream->graph = into ? into : graph_new();
    stream->last = into && into->n ? into->nodes[into->n - 1] : NULL;
    stream->origin = 1;
    unlock_all();
    return OK;
}

int capture_end(void *handle, Graph **graph) {
    Stream *stream = stream_of(handle);
    *graph = NULL;
    if (!stream) return INVALID_HANDLE;
    if (!stream->graph) return ILLEGAL_STATE;
    if (!stream->origin) return CAPTURE_UNMATCHED;
    Graph *found = stream->graph;
    int unjoined = 0;
    lock_all();
    for (Stream *other = streams; other; other = other->next) {
        if (other->graph != found) continue;
        unjoined |= other->unjoined;
        other->graph = NULL;
        other->last = NULL;
        other->origin = other->unjoined = 0;
    }
    unlock_all();
    if (found->invalid) return CAPTURE_INVALIDATED;
    if (unjoined) return CAPTURE_UNJOINED;
    *graph = found;
    return OK;
}

int stream_capturing(void *handle, uint64_t *id, Graph **graph, Node *const **last, size_t *n) {
    Stream *stream = stream_of(handle);
    if (!stream || !stream->graph) return 0;
    if (id) *id = stream->graph->id;
    if (graph) *graph = stream->graph;
    if (last) *last = &stream->last;
    if (n) *n = stream->last != NULL;
    return stream->graph->invalid ? 2 : 1;
}
