/* Streams, events and launches: each stream has a clock, the time at which all of it has ended.
 *
 * Streams do not share a device: kernels of two streams take no longer than each by itself. */
#define _GNU_SOURCE
#include "streams.h"

#include <stdlib.h>

static Stream *legacy[MOST_DEVICES]; /* "the legacy default stream", one of each device */
static __thread Stream *own[MOST_DEVICES]; /* kept when its thread ends: its work may go on */
Stream *streams;
static uint64_t next_id = 1;
static int failed; /* with this error, for good */
static __thread int device;
pthread_mutex_t stream_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t function_ended = PTHREAD_COND_INITIALIZER;

int current_device(void) { return device; }

int set_current_device(int number) {
    if (!visible_device(number)) return INVALID_DEVICE;
    device = number;
    return OK;
}

int device_error(void) { return __atomic_load_n(&failed, __ATOMIC_RELAXED); }

static Stream *begin(unsigned flags, int priority) {
    Stream *stream = calloc(1, sizeof *stream);
    stream->magic = STREAM;
    stream->flags = flags;
    stream->priority = priority;
    stream->device = device;
    stream->id = next_id++;
    stream->next = streams;
    return streams = stream;
}

static Stream *default_stream(Stream **stream) {
    Stream *found = __atomic_load_n(stream, __ATOMIC_ACQUIRE);
    if (found) return found;
    lock_all();
    if (!*stream) __atomic_store_n(stream, begin(0, 0), __ATOMIC_RELEASE);
    found = *stream;
    unlock_all();
    return found;
}

/* cudaStreamLegacy is 1 and cudaStreamPerThread 2, which CUDA's header says. */
Stream *stream_of(void *handle) {
    if ((uintptr_t)handle <= 1) return default_stream(&legacy[device]);
    if ((uintptr_t)handle == 2) return default_stream(&own[device]);
    Stream *stream = handle;
    return stream->magic == STREAM ? stream : NULL;
}

Stream *stream_new(unsigned flags, int priority) {
    lock_all();
    Stream *stream = begin(flags, priority);
    unlock_all();
    return stream;
}

/* "The resources are released once the device has completed all work": what waits still counts. */
int stream_free(Stream *stream) {
    if (!stream_of(stream)) return INVALID_HANDLE;
    lock_all();
    Stream **link = &streams;
    while (*link && *link != stream) link = &(*link)->next;
    if (*link) *link = stream->next;
    Stream *rest = legacy[stream->device];
    if (rest && stream->end_ns > rest->end_ns && !(stream->flags & NON_BLOCKING))
        rest->end_ns = stream->end_ns;
    while (stream->waiting_functions) pthread_cond_wait(&function_ended, &stream_lock);
    stream->magic = 0;
    unlock_all();
    free(stream);
    return OK;
}

/* Those that are asked for. */
int stream_facts(void *handle, int *priority, unsigned *flags, unsigned long long *id,
                 int *number) {
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    if (priority) *priority = stream->priority;
    if (flags) *flags = stream->flags;
    if (id) *id = stream->id;
    if (number) *number = stream->device;
    return OK;
}

int is_legacy(const Stream *stream) { return stream == legacy[stream->device]; }

/* When all of a stream has ended, and what must end before its next work begins: "the legacy
 * default stream synchronises with all blocking streams", in both directions. */
int64_t end_of(const Stream *stream) {
    int64_t end = stream->end_ns;
    if (stream->flags & NON_BLOCKING) return end;
    for (Stream *other = streams; other; other = other->next) {
        int together = is_legacy(stream) ? !(other->flags & NON_BLOCKING) : is_legacy(other);
        if (together && other->device == stream->device && other->end_ns > end)
            end = other->end_ns;
    }
    return end;
}

/* Add work to the clock of a stream; when that will have ended. */
static int64_t enqueue(Stream *stream, int64_t cost_ns) {
    int64_t start = end_of(stream), now = now_ns();
    if (start < now) start = now;
    stream->end_ns = start + cost_ns;
    int number = (int)(visible_device(stream->device) - settings.devices);
    Counts *all = counts();
    int64_t idle_ns = start - all->busy_until_ns[number];
    if (all->busy_until_ns[number] && idle_ns > 0) all->idle_ns[number] += idle_ns;
    all->busy_ns[number] += cost_ns;
    if (stream->end_ns > all->busy_until_ns[number]) all->busy_until_ns[number] = stream->end_ns;
    return stream->end_ns;
}

/* The launch that finds the queue full waits until the oldest of it has ended. */
static int64_t room_in_queue(Stream *stream) {
    int64_t *oldest = &stream->queue[stream->queued++ % QUEUE_LENGTH], until = *oldest;
    *oldest = stream->end_ns;
    return until;
}

static void fail_where_asked(uint64_t launches) {
    if (!settings.fault_launch || launches < settings.fault_launch) return;
    __atomic_store_n(&counts()->failed, settings.fault_code, __ATOMIC_RELAXED);
    if (settings.fault_code != OUT_OF_MEMORY) /* which spoils nothing but allocations */
        __atomic_store_n(&failed, settings.fault_code, __ATOMIC_RELAXED);
}

static void captured(Stream *stream, Node node) {
    stream->last = graph_add(stream->graph, node, &stream->last, stream->last != NULL);
    stream->unjoined = !stream->origin;
}

/* What it takes at the clocks that the device has now; those of its memory do not fall. */
static int64_t at_clocks_ns(const Node *node) {
    int falls = node->kind == KERNEL || node->kind == CHILD;
    if (!falls || !is_slow(counts()->launches)) return node->cost_ns;
    return (int64_t)((double)node->cost_ns / settings.slow_to);
}

/* A node's work now, or later where the stream is captured. */
int issue(Stream *stream, Node node, int64_t *end_ns) {
    lock_all();
    int later = stream->graph != NULL;
    if (later) captured(stream, node);
    else {
        int64_t cost_ns = at_clocks_ns(&node);
        *end_ns = enqueue(stream, cost_ns);
        tell_work(&node, stream->device, stream->id, *end_ns - cost_ns, *end_ns);
    }
    unlock_all();
    return later;
}

int launch_call(void *handle, const char *name, uint64_t blocks, const Call *call) {
    if (device_error()) return device_error();
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    RUNTIME(cudaLaunchKernel_v7000, .kernel = name);
    Kernel *kernel = kernel_named(name);
    int64_t end_ns, cost_ns = kernel->cost_ns + (int64_t)(settings.block_ns * (double)blocks);
    Node node = {.kind = KERNEL, .name = name, .call = (Call *)call, .cost_ns = cost_ns};
    if (issue(stream, node, &end_ns)) return OK;
    effect(&node);
    lock_all();
    kernel->launches++;
    uint64_t launches = ++counts()->launches;
    int64_t until = room_in_queue(stream);
    unlock_all();
    fail_where_asked(launches); /* asynchronously: a later call is told */
    wait_until(until);
    return OK;
}

int launch(void *handle, const char *name, uint64_t blocks) {
    return launch_call(handle, name, blocks, NULL);
}

static void count_again(const Graph *graph) {
    for (size_t i = 0; i < graph->n; i++) {
        const Node *node = graph->nodes[i];
        if (node->kind == CHILD) count_again(node->child);
        if (node->kind != KERNEL) continue;
        kernel_named(node->name)->launches++;
        counts()->launches++;
    }
}

static void host_functions(const Graph *graph, Stream *stream) {
    for (size_t i = 0; i < graph->n; i++)
        if (graph->nodes[i]->kind == HOST)
            host_function(stream, graph->nodes[i]->function, graph->nodes[i]->argument);
}

/* A graph takes as long as its longest path: what does not depend on each other runs at once. */
int graph_launch(Graph *graph, void *handle) {
    RUNTIME(cudaGraphLaunch_v10000);
    if (device_error()) return device_error();
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    int64_t end_ns;
    Node node = {.kind = CHILD, .child = graph, .cost_ns = graph->length_ns};
    if (issue(stream, node, &end_ns)) return OK;
    for (size_t i = 0; i < graph->n; i++) effect(graph->nodes[i]);
    lock_all();
    count_again(graph);
    counts()->graph_launches++;
    uint64_t launches = counts()->launches;
    int64_t until = room_in_queue(stream);
    unlock_all();
    host_functions(graph, stream);
    fail_where_asked(launches);
    wait_until(until);
    return OK;
}

/* As kernels, without a place in the queue. */
int issue_copy(void *handle, Node node, int64_t *end_ns) {
    if (device_error()) return device_error();
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    if (issue(stream, node, end_ns)) {
        *end_ns = 0;
        return OK;
    }
    effect(&node);
    lock_all();
    if (node.kind == COPY) counts()->copies++;
    else counts()->memsets++;
    unlock_all();
    return OK;
}
