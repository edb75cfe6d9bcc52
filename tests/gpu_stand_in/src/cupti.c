/* libcupti: the activity API as its reference describes it, of what the simulated devices do.
 *
 * Records are kept until a client asks for all that has ended, and only then written into buffers
 * of its own. cupti_records.c makes them, cupti_callbacks.c calls back. */
#define _GNU_SOURCE
#include "cupti_shared.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the buffer and of the clock */
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static struct {
    uint8_t *start;
    size_t size, used, records, most; /* most: records, 0: no limit */
} buffer;
static size_t dropped;

int missing_cupti(const char *name) {
    log_missing(name);
    return CUPTI_ERROR_NOT_SUPPORTED;
}

CUptiResult cuptiGetVersion(uint32_t *version) {
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **words) {
    switch (result) {
    case CUPTI_SUCCESS: *words = "CUPTI_SUCCESS"; break;
    case CUPTI_ERROR_INVALID_PARAMETER: *words = "CUPTI_ERROR_INVALID_PARAMETER"; break;
    case CUPTI_ERROR_MAX_LIMIT_REACHED: *words = "CUPTI_ERROR_MAX_LIMIT_REACHED"; break;
    case CUPTI_ERROR_INVALID_KIND: *words = "CUPTI_ERROR_INVALID_KIND"; break;
    case CUPTI_ERROR_QUEUE_EMPTY: *words = "CUPTI_ERROR_QUEUE_EMPTY"; break;
    case CUPTI_ERROR_INVALID_OPERATION: *words = "CUPTI_ERROR_INVALID_OPERATION"; break;
    case CUPTI_ERROR_NOT_SUPPORTED: *words = "CUPTI_ERROR_NOT_SUPPORTED"; break;
    default: *words = "CUPTI_ERROR_UNKNOWN"; break;
    }
    return CUPTI_SUCCESS;
}

/* ---- the clock ---- */

typedef struct {
    int64_t ns;      /* of the devices' clock */
    uint64_t theirs; /* of the client's, at the same time */
} Moment;
static CUpti_TimestampCallbackFunc their_clock;
static Moment first;

/* The closest of a few looks at both. */
static Moment moment(void) {
    Moment best = {0, 0};
    int64_t shortest = INT64_MAX;
    for (int i = 0; i < 9; i++) {
        int64_t before = now_ns();
        uint64_t theirs = their_clock();
        int64_t took = now_ns() - before;
        if (took >= shortest) continue;
        best = (Moment){before + took / 2, theirs};
        shortest = took;
    }
    return best;
}

/* "A callback that provides the timestamps of records": here on the line through two moments. */
static uint64_t stamp(int64_t ns, const Moment *last) {
    if (!their_clock || last->ns == first.ns) return (uint64_t)ns;
    double rate = (double)(int64_t)(last->theirs - first.theirs) / (double)(last->ns - first.ns);
    return first.theirs + (uint64_t)(int64_t)(rate * (double)(ns - first.ns));
}

CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
    *timestamp = their_clock ? their_clock() : (uint64_t)now_ns();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
    if (!clock) return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    their_clock = clock;
    first = moment();
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

/* ---- what is recorded ---- */

/* Of what never happens here (costs of CUPTI's own, memory that moves by itself, copies from one
 * device to another) there is no record, which is as it should be; other kinds are unknown. */
static int never_happens(CUpti_ActivityKind kind) {
    return kind == CUPTI_ACTIVITY_KIND_OVERHEAD || kind == CUPTI_ACTIVITY_KIND_MEMCPY2 ||
           kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
}

static CUptiResult enable(CUpti_ActivityKind kind, int on) {
    CUpti_Activity one = {.kind = kind};
    if (form_of(&one)) {
        enabled[kind] = (unsigned char)on;
        watch();
    } else if (!never_happens(kind)) {
        log_missing("a kind of CUPTI's activities");
        return CUPTI_ERROR_INVALID_KIND;
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return enable(kind, 1); }
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return enable(kind, 0); }

/* ---- buffers ---- */

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
    if (!requested || !completed) return CUPTI_ERROR_INVALID_PARAMETER;
    request = requested;
    complete = completed;
    return CUPTI_SUCCESS;
}

static void ask(void) {
    buffer.used = buffer.records = 0;
    request(&buffer.start, &buffer.size, &buffer.most);
}

static void hand_over(void) {
    complete(NULL, 0, buffer.start, buffer.size, buffer.used);
    buffer.start = NULL;
}

void have_buffer(void) {
    if (!request || __atomic_load_n(&buffer.start, __ATOMIC_RELAXED)) return;
    pthread_mutex_lock(&lock);
    if (!buffer.start) ask();
    pthread_mutex_unlock(&lock);
}

/* A record that has not ended has no end. */
static void put(const Kept *kept, const Moment *last, int64_t now) {
    const Form *form = form_of(&kept->record.any);
    int full = buffer.start && (buffer.used + form->size > buffer.size ||
                                (buffer.most && buffer.records == buffer.most));
    if (full) hand_over();
    if (!buffer.start) ask();
    if (!buffer.start || form->size > buffer.size) {
        dropped++;
        return;
    }
    uint8_t *to = buffer.start + buffer.used;
    memcpy(to, &kept->record, form->size);
    uint64_t times[2] = {stamp(kept->start_ns, last)};
    if (kept->end_ns <= now) times[1] = stamp(kept->end_ns, last);
    if (form->times) memcpy(to + form->times, times, sizeof times);
    buffer.used += form->size;
    buffer.records++;
}

/* "All that is completed; forced, also what is not." */
CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    size_t n;
    int forced = flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;
    if (!request) return CUPTI_ERROR_INVALID_OPERATION;
    pthread_mutex_lock(&lock);
    Moment last = their_clock ? moment() : first;
    int64_t now = now_ns();
    Kept *ended = take_ended(&n, forced ? INT64_MAX : now);
    for (size_t i = 0; i < n; i++) put(&ended[i], &last, now);
    if (buffer.start && (buffer.used || forced)) hand_over();
    pthread_mutex_unlock(&lock);
    free(ended);
    return CUPTI_SUCCESS;
}

void forget(void) {
    size_t n;
    pthread_mutex_lock(&lock);
    free(take_ended(&n, INT64_MAX));
    if (buffer.start) hand_over();
    pthread_mutex_unlock(&lock);
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *start, size_t bytes, CUpti_Activity **record) {
    if (!start || !record) return CUPTI_ERROR_INVALID_PARAMETER;
    uint8_t *next = *record ? (uint8_t *)*record + form_of(*record)->size : start;
    if (next >= start + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *number) {
    (void)context, (void)stream;
    *number = __atomic_exchange_n(&dropped, 0, __ATOMIC_RELAXED);
    return CUPTI_SUCCESS;
}
