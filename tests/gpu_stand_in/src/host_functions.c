/* Functions of the host that streams call when their work has come that far: by one thread, in
 * the order in which they are due. What a stream does next does not wait for them here. */
#define _GNU_SOURCE
#include "streams.h"

#include <stdlib.h>
#include <time.h>

#define SECOND 1000000000L
#define EARLY 100000 /* ns: the thread wakes so much before a function is due, and spins */
#define EARLIEST (settings.clock_stands ? 0 : EARLY)

struct call {
    Stream *stream;
    void (*function)(void *);
    void *argument;
    int64_t at_ns;
    struct call *next;
};
static struct call *calls;
static int being_called;
static pthread_cond_t called;

static void wait_for_call(const struct call *first) {
    if (!first || settings.clock_stands) {
        pthread_cond_wait(&called, &stream_lock);
        return;
    }
    int64_t until = first->at_ns - EARLY / 2;
    struct timespec time = {until / SECOND, until % SECOND};
    pthread_cond_timedwait(&called, &stream_lock, &time);
}

static void *call_them(void *nothing) {
    (void)nothing;
    lock_all();
    for (;;) {
        struct call *call = calls;
        if (!call || call->at_ns - now_ns() > EARLIEST) {
            wait_for_call(call);
            continue;
        }
        calls = call->next;
        being_called = 1;
        int number = call->stream->device;
        unlock_all();
        wait_until(call->at_ns);
        border(number); /* before the function: whom it wakes may issue more */
        call->function(call->argument);
        lock_all();
        being_called = 0;
        call->stream->waiting_functions--;
        pthread_cond_broadcast(&function_ended);
        free(call);
    }
    return NULL;
}

static void start_caller(void) {
    pthread_t thread;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&called, &clock);
    pthread_create(&thread, NULL, call_them, NULL);
    pthread_detach(thread);
}

int host_function(void *handle, void (*function)(void *), void *argument) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Stream *stream = stream_of(handle);
    if (!stream) return INVALID_HANDLE;
    int64_t at_ns;
    Node node = {.kind = HOST, .function = function, .argument = argument};
    if (issue(stream, node, &at_ns)) return OK;
    pthread_once(&once, start_caller);
    struct call *call = malloc(sizeof *call), **link = &calls;
    *call = (struct call){stream, function, argument, at_ns, NULL};
    lock_all();
    while (*link && (*link)->at_ns <= at_ns) link = &(*link)->next;
    call->next = *link;
    *link = call;
    stream->waiting_functions++;
    pthread_cond_signal(&called);
    unlock_all();
    return OK;
}

/* A clock that stands goes on to each function that is due, and waits there until it has ended. */
void pass_until(int64_t ns) {
    lock_all();
    for (;;) {
        int due = calls && calls->at_ns <= ns;
        if (!being_called) move_clock(due ? calls->at_ns : ns);
        if (!being_called && !due) break;
        pthread_cond_signal(&called);
        pthread_cond_wait(&function_ended, &stream_lock);
    }
    unlock_all();
}
