/* What the files about streams share; all of it is read and written under one lock. */
#ifndef STREAMS_H
#define STREAMS_H

#include "observed.h"

#include <pthread.h>

#define STREAM 0x53545245u
#define EVENT 0x4556454eu

struct Stream {
    unsigned magic, flags;
    int priority, device, waiting_functions;
    uint64_t id;
    int64_t end_ns, queue[QUEUE_LENGTH];
    unsigned queued;
    Graph *graph;  /* that it is captured into */
    Node *last;    /* of its nodes there, the one after which the next begins */
    int origin, unjoined;
    Stream *next;
};
struct Event {
    unsigned magic, flags;
    int recorded, device;
    int64_t at_ns;
    Stream *stream;
    Graph *graph; /* recorded in a capture: where, and after what */
    Node *last;
};

#pragma GCC visibility push(hidden)
extern Stream *streams; /* all of them */
extern pthread_mutex_t stream_lock;
extern pthread_cond_t function_ended; /* of the host's, which a stream has called */
int64_t end_of(const Stream *stream);
int is_legacy(const Stream *stream);
int issue(Stream *stream, Node node, int64_t *end_ns); /* whether it was captured for later */
int refused(Graph *graph);
void pass_until(int64_t ns); /* of a clock that stands, as is the next */
void move_clock(int64_t ns);
void border(int device); /* the host knows how far a device is: told in the log where all is done */
#pragma GCC visibility pop

static inline void lock_all(void) { pthread_mutex_lock(&stream_lock); }
static inline void unlock_all(void) { pthread_mutex_unlock(&stream_lock); }

#endif
