/* Records of what was called and done, by the devices' clock, until a client asks for them. */
#define _GNU_SOURCE
#include "cupti_shared.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Kept *kept;
static size_t n_kept, room;
static CUpti_ActivityThreadIdType thread_ids;
unsigned char enabled[CUPTI_ACTIVITY_KIND_COUNT];

static const Form forms[] = {
    {CUPTI_ACTIVITY_KIND_KERNEL, sizeof(KernelRecord), offsetof(KernelRecord, start)},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(KernelRecord), offsetof(KernelRecord, start)},
    {CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6),
     offsetof(CUpti_ActivityMemcpy6, start)},
    {CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4),
     offsetof(CUpti_ActivityMemset4, start)},
    {CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI), offsetof(CUpti_ActivityAPI, start)},
    {CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI), offsetof(CUpti_ActivityAPI, start)},
    {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, sizeof(CUpti_ActivityExternalCorrelation), 0},
};

const Form *form_of(const CUpti_Activity *record) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].kind == record->kind) return &forms[i];
    return NULL;
}

static Record *added(CUpti_ActivityKind kind, int64_t start_ns, int64_t end_ns) {
    if (n_kept == room) {
        room = room ? room * 2 : 4096;
        kept = realloc(kept, room * sizeof *kept);
    }
    Kept *found = &kept[n_kept++];
    *found = (Kept){.start_ns = start_ns, .end_ns = end_ns};
    found->record.any.kind = kind;
    return &found->record;
}

Kept *take_ended(size_t *n, int64_t until_ns) {
    size_t left = 0;
    pthread_mutex_lock(&lock);
    Kept *found = malloc((n_kept + 1) * sizeof *found);
    *n = 0;
    for (size_t i = 0; i < n_kept; i++)
        if (kept[i].end_ns <= until_ns) found[(*n)++] = kept[i];
        else kept[left++] = kept[i];
    n_kept = left;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- what a device did ---- */

static CUpti_ActivityMemoryKind memory_of(const void *address) {
    if (device_of(address) >= 0) return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    return is_pinned(address) ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED
                              : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
}

static CUpti_ActivityMemcpyKind way(int from_device, int to_device) {
    if (to_device)
        return from_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD : CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    return from_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
}

/* Fields that all of these have, under the same names. */
#define FACTS(record, work)                                                           \
    (record)->deviceId = (uint32_t)(work)->device;                                    \
    (record)->contextId = context_id((work)->device);                                 \
    (record)->streamId = (uint32_t)(work)->stream;                                    \
    (record)->graphId = (uint32_t)(work)->graph;                                      \
    (record)->graphNodeId = (work)->graph ? (work)->node->index + 1 : 0;              \
    (record)->correlationId = (work)->call ? (work)->call->number : 0

static void add_kernel(const Work *work, CUpti_ActivityKind kind) {
    KernelRecord *kernel = &added(kind, work->start_ns, work->end_ns)->kernel;
    static const ApiCall one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    const ApiCall *shape = work->call && work->call->grid[0] ? work->call : &one;
    FACTS(kernel, work);
    kernel->gridX = (int32_t)shape->grid[0];
    kernel->gridY = (int32_t)shape->grid[1];
    kernel->gridZ = (int32_t)shape->grid[2];
    kernel->blockX = (int32_t)shape->block[0];
    kernel->blockY = (int32_t)shape->block[1];
    kernel->blockZ = (int32_t)shape->block[2];
    kernel->name = work->node->name; /* which lives as long as the process */
}

static void add_copy(const Work *work, CUpti_ActivityKind kind) {
    const Node *node = work->node;
    CUpti_ActivityMemoryKind from = memory_of(node->from), to = memory_of(node->to);
    CUpti_ActivityMemcpy6 *copy = &added(kind, work->start_ns, work->end_ns)->copy;
    FACTS(copy, work);
    copy->copyKind = (uint8_t)way(from == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                  to == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    copy->srcKind = (uint8_t)from;
    copy->dstKind = (uint8_t)to;
    copy->bytes = node->bytes;
    copy->copyCount = 1;
}

static void add_memset(const Work *work, CUpti_ActivityKind kind) {
    CUpti_ActivityMemset4 *set = &added(kind, work->start_ns, work->end_ns)->set;
    FACTS(set, work);
    set->memoryKind = (uint16_t)memory_of(work->node->to);
    set->bytes = work->node->bytes;
    set->value = work->node->value;
}

/* Kernels have two kinds, of which a client enables one: here they never wait for each other. */
void add_work(const Work *work) {
    static const struct {
        NodeKind of;
        CUpti_ActivityKind kind;
        void (*add)(const Work *, CUpti_ActivityKind);
    } ways[] = {
        {KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, add_kernel},
        {KERNEL, CUPTI_ACTIVITY_KIND_KERNEL, add_kernel},
        {COPY, CUPTI_ACTIVITY_KIND_MEMCPY, add_copy},
        {MEMSET, CUPTI_ACTIVITY_KIND_MEMSET, add_memset},
    };
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].of == work->node->kind && enabled[ways[i].kind])
            ways[i].add(work, ways[i].kind);
    pthread_mutex_unlock(&lock);
}

/* ---- what the host called, and by whose numbers ---- */

#define DEEPEST 1024
#define KINDS CUPTI_EXTERNAL_CORRELATION_KIND_SIZE
static __thread struct {
    uint64_t ids[DEEPEST];
    int n;
} outside[KINDS];

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                   uint64_t id) {
    if (kind >= KINDS || outside[kind].n == DEEPEST) return CUPTI_ERROR_INVALID_PARAMETER;
    outside[kind].ids[outside[kind].n++] = id;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  uint64_t *last) {
    if (kind >= KINDS) return CUPTI_ERROR_INVALID_PARAMETER;
    if (!outside[kind].n) return CUPTI_ERROR_QUEUE_EMPTY;
    uint64_t id = outside[kind].ids[--outside[kind].n];
    if (last) *last = id;
    return CUPTI_SUCCESS;
}

/* The last number of each kind that this thread has pushed, for each call. */
static void add_outside(const ApiCall *call) {
    for (int kind = 0; kind < KINDS; kind++) {
        if (!outside[kind].n) continue;
        CUpti_ActivityExternalCorrelation *found =
            &added(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, 0, 0)->outside;
        found->externalKind = (CUpti_ExternalCorrelationKind)kind;
        found->externalId = outside[kind].ids[outside[kind].n - 1];
        found->correlationId = call->number;
    }
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
    thread_ids = type;
    return CUPTI_SUCCESS;
}

void add_call(const ApiCall *call, int64_t end_ns) {
    int system = thread_ids == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
    CUpti_ActivityKind kind =
        call->driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
    pthread_mutex_lock(&lock);
    if (enabled[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION]) add_outside(call);
    if (enabled[kind]) {
        CUpti_ActivityAPI *record = &added(kind, call->start_ns, end_ns)->call;
        record->cbid = call->function;
        record->processId = (uint32_t)getpid();
        record->threadId = system ? (uint32_t)gettid() : (uint32_t)pthread_self();
        record->correlationId = call->number;
    }
    pthread_mutex_unlock(&lock);
}
