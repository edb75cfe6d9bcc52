/* Tells a profiler what this process does, where there is one. */
#define _GNU_SOURCE
#include "observed.h"

static const Observer *observer;
static __thread ApiCall *outermost;

void observe(const Observer *with) { __atomic_store_n(&observer, with, __ATOMIC_RELEASE); }

static const Observer *who(void) { return __atomic_load_n(&observer, __ATOMIC_ACQUIRE); }

void api_begins(ApiCall *call) {
    static uint32_t calls;
    const Observer *there = who();
    if (!there || outermost) return;
    outermost = call;
    call->number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    there->begun(call);
    call->start_ns = now_ns();
}

void api_ends(ApiCall *call) {
    if (!call->number) return;
    int64_t end_ns = now_ns();
    const Observer *there = who();
    if (there) there->ended(call, end_ns);
    outermost = NULL;
}

/* Of a graph each node: when it begins and ends there, at the clocks that the device has now. */
static void tell_nodes(const Observer *there, const Graph *graph, Work work) {
    int64_t start_ns = work.start_ns;
    double slower = (double)(work.end_ns - start_ns) / (double)graph->length_ns;
    work.graph = graph->id;
    for (size_t i = 0; i < graph->n; i++) {
        const Node *node = work.node = graph->nodes[i];
        work.end_ns = start_ns + (int64_t)((double)node->end_ns * slower);
        work.start_ns = work.end_ns - (int64_t)((double)node->cost_ns * slower);
        if (node->kind == CHILD) tell_nodes(there, node->child, work);
        else if (node->kind <= MEMSET) there->work(&work);
    }
}

void tell_work(const Node *node, int device, uint64_t stream, int64_t start_ns, int64_t end_ns) {
    const Observer *there = who();
    if (!there) return;
    Work work = {node, device, stream, 0, start_ns, end_ns, outermost};
    if (node->kind == CHILD && node->child->length_ns) tell_nodes(there, node->child, work);
    else if (node->kind <= MEMSET) there->work(&work);
}
