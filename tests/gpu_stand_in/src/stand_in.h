/* What the libraries of the stand-in share: one machine with simulated GPUs, in the host's memory.
 *
 * A kernel computes nothing and takes a set time on the clock of its stream. Copies are real and
 * are made when they are issued: as no kernel writes, nobody can see that they come early. */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <stddef.h>
#include <stdint.h>

#define MOST_DEVICES 8
#define QUEUE_LENGTH 1024 /* launches of a stream that are not finished; the next one waits */

/* Numbers that cudaError_t and CUresult have in common. */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_HANDLE = 400,
    ILLEGAL_STATE = 401,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    ALREADY_REGISTERED = 712,
    NOT_REGISTERED = 713,
    LAUNCH_FAILED = 719,
    DEVICE_LOST = 999, /* what CUDA calls unknown: NVML knows, and no process finds it again */
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_UNMATCHED = 903,
    CAPTURE_UNJOINED = 904,
    CAPTURE_IMPLICIT = 906,
};

/* ---- settings.c: what the file says that GPU_STAND_IN names ---- */
typedef struct {
    char model[96]; /* as NVML has it; says that it is a stand-in */
    char profile[16]; /* of the one instance that a divided GPU has: 1g.5gb; empty where whole */
    char uuid[48], part_uuid[48];
    size_t bytes, whole_bytes;
    int major, minor, processors, clock_mhz, memory_clock_mhz, bus_bits, l2_bytes, shared_bytes;
    int power_limit_w;
} Device;
typedef struct {
    int n_devices;
    Device devices[MOST_DEVICES];
    char driver[32];
    int cuda;                /* of the driver: 13000 */
    double kernel_us;        /* of a kernel that no pattern names */
    double block_ns;         /* more for each block of a launch's grid */
    double copy_gb_s;        /* 0: copies take no time */
    double memset_gb_s;      /* 0: nor does setting memory */
    uint64_t fault_launch;   /* 0: none; the launch after which the device fails ... */
    int fault_code;          /* ... with this error */
    uint64_t slow_launch;    /* 0: none; the launch after which clocks fall ... */
    double slow_to;          /* ... to this part of what they were */
    int clock_stands;        /* but where the host waits for a device */
    char folder[512];        /* of the logs, one file a process */
} Settings;
extern Settings settings;
int n_visible(void);                /* devices that CUDA_VISIBLE_DEVICES leaves to this process */
const Device *visible_device(int number); /* NULL where there is none of that number */
double us_of_kernel(const char *name);

/* ---- log.c: what this process did, in a file that others may read meanwhile ---- */
typedef struct {
    int64_t pid, started, failed; /* started: see log.c; failed: the device, with this error */
    uint64_t launches, copies, memsets, graph_launches, waits, fences, kernels;
    uint64_t used[MOST_DEVICES], peak[MOST_DEVICES]; /* bytes, by the GPU's number in the machine */
    int64_t busy_ns[MOST_DEVICES], busy_until_ns[MOST_DEVICES];
    int64_t idle_ns[MOST_DEVICES]; /* between its works: the host had issued none */
} Counts;
typedef struct {
    char name[240];
    uint64_t launches;
    int64_t cost_ns;
} Kernel;
typedef struct { /* the device had nothing left to do, and the host has found that out */
    int64_t at_ns;             /* CLOCK_MONOTONIC */
    uint64_t launches, waits;  /* so far; waits: calls in which the host waited for the device */
    int64_t busy_ns, idle_ns;  /* of the device so far */
} Fence;
Counts *counts(void);
Kernel *kernel_named(const char *name);
void log_fence(int device);
uint64_t used_by_others(int machine_number);
int is_lost(void); /* whether the device went away under any process of this machine */
int is_slow(uint64_t launches); /* whether clocks have fallen when so many were made */
int log_missing(const char *name); /* says so on stderr, once for each name; NOT_SUPPORTED */
int for_each_process(int (*see)(const Counts *, int alive, void *), void *to);

/* ---- clock.c ---- */
int64_t now_ns(void);
void wait_until(int64_t ns);

/* ---- elf.c ---- */
typedef struct {
    char *name;
    void *place;
    size_t bytes;
} Variable;
char *ptx_text(const void *image); /* of a module, to be freed; NULL where there is none */
Variable *module_variables(const void *image, size_t *n);

/* ---- ptx*.c: what small kernels compute that make integers ---- */
typedef struct Code Code; /* of a kernel */
typedef struct {          /* a launch of it */
    const Code *code;
    unsigned grid[3], block[3];
    size_t shared_bytes;
    uint64_t arguments[];
} Call;
Code *code_read(const char *text, const char *name, const Variable *variables, size_t n);
Call *call_new(const Code *code, const unsigned grid[3], const unsigned block[3], size_t shared,
               void **arguments); /* NULL where nothing of it is ever computed */
Call *call_copy(const Call *call);
int call_refused(const Call *call);
void call_compute(const Call *call);

/* ---- fills.c ---- */
void fill(const char *name, void **arguments); /* where it is such a kernel of small integers */

/* ---- streams.c ---- */
typedef struct Stream Stream;
typedef struct Event Event;
typedef struct Graph Graph;
typedef struct Node Node;
#define NON_BLOCKING 1u /* cudaStreamNonBlocking, CU_STREAM_NON_BLOCKING */
#define NO_TIMING 2u    /* cudaEventDisableTiming, CU_EVENT_DISABLE_TIMING */

int current_device(void);
int set_current_device(int number);
Stream *stream_of(void *handle); /* NULL: no such stream; 0, 1, 2 are the default ones */
Stream *stream_new(unsigned flags, int priority);
int stream_free(Stream *stream);
int stream_wait(void *stream);
int stream_query(void *stream);
int stream_capturing(void *stream, uint64_t *id, Graph **graph, Node *const **last, size_t *n);
int stream_facts(void *stream, int *priority, unsigned *flags, unsigned long long *id,
                 int *device);
int device_wait(void);
void waited_until(int64_t ns); /* the host waits for the device, which is counted */
int launch(void *stream, const char *name, uint64_t blocks);
int launch_call(void *stream, const char *name, uint64_t blocks, const Call *call);
int issue_copy(void *stream, Node node, int64_t *end_ns);
int host_function(void *stream, void (*function)(void *), void *argument);
int capture_mode(int mode); /* of this thread from now on; the one until now */
int device_error(void); /* the error that the device has had; it stays */

Event *event_new(unsigned flags);
int event_free(Event *event);
int event_record(Event *event, void *stream);
int event_wait(Event *event);
int event_query(Event *event);
int event_elapsed(float *ms, Event *from, Event *to);
int stream_wait_event(void *stream, Event *event);

/* ---- graphs.c ---- */
typedef enum { KERNEL, COPY, MEMSET, HOST, CHILD, EMPTY } NodeKind;
struct Node {
    NodeKind kind;
    const char *name; /* of a kernel */
    Call *call;       /* of one that may be computed */
    int64_t cost_ns, end_ns;
    void *to;
    const void *from;
    size_t bytes;
    unsigned value, width; /* of a MEMSET: what is written, and its bytes */
    void (*function)(void *);
    void *argument;
    Graph *child;
    Node **after; /* what must have ended before */
    size_t n_after;
    Graph *graph;
    size_t index;
    const Node *copied_from; /* by which an instance's node is found */
};
struct Graph {
    Node **nodes;
    size_t n, room;
    int64_t length_ns; /* of its longest path */
    uint64_t id;
    int invalid;
};
Graph *graph_new(void);
Graph *graph_copy(const Graph *graph);
void graph_free(Graph *graph);
Node *graph_add(Graph *graph, Node what, Node *const *after, size_t n_after);
void graph_depend(Node *node, Node *on);
void graph_list(Node *const *found, size_t n_found, void **to, size_t *n);
Node *graph_find(Graph *instance, const Node *original);
void graph_change(Node *node, Node what); /* what it does, not when */
int graph_launch(Graph *graph, void *stream);
int capture_begin(void *stream, Graph *into);
int capture_end(void *stream, Graph **graph);

/* ---- memory.c ---- */
int device_allocate(void **found, size_t bytes);
int device_release(void *pointer);
int device_of(const void *pointer); /* -1 where it is no device's */
int device_range(const void *pointer, void **base, size_t *bytes);
void memory_info(size_t *available, size_t *total);
int host_allocate(void **found, size_t bytes);
int host_release(void *pointer);
int host_register(void *pointer, size_t bytes);
int host_unregister(void *pointer);
int is_pinned(const void *pointer);
int take(int device, size_t bytes); /* of the device's memory; OUT_OF_MEMORY where it has no more */
void give(int device, size_t bytes);
char *reserve(int device, size_t bytes, size_t alignment); /* addresses of a device; NULL: no more */

/* ---- virtual_memory.c ---- */
int physical_new(void **handle, size_t bytes, int device);
int physical_release(void *handle);
int physical_map(void *at, size_t bytes, size_t offset, void *handle);
int physical_unmap(void *at, size_t bytes);
int physical_access(void *at, size_t bytes, int writable);
int physical_of(void *at, void **handle);

/* ---- copies.c ---- */
int copy(void *stream, void *to, const void *from, size_t bytes, int blocking);
int copy_rows(void *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch,
              size_t width, size_t height, int blocking);
int set_memory(void *stream, void *to, unsigned value, unsigned width, size_t number, int blocking);
void effect(const Node *node);
int64_t copy_ns(size_t bytes);
int64_t memset_ns(size_t bytes);

/* ---- attributes.c ---- */
int device_attribute(int attribute, int device);
void device_uuid(char *bytes, const Device *device); /* 16 of them */

#endif
