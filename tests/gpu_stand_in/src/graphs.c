/* Graphs: what a capture has seen or a program has put together, and how long it takes. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

static uint64_t next_id = 1;

Graph *graph_new(void) {
    Graph *graph = calloc(1, sizeof *graph);
    graph->id = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);
    return graph;
}

static void ends(Node *node) {
    int64_t start = 0;
    for (size_t i = 0; i < node->n_after; i++)
        if (node->after[i]->end_ns > start) start = node->after[i]->end_ns;
    node->end_ns = start + node->cost_ns;
    if (node->end_ns > node->graph->length_ns) node->graph->length_ns = node->end_ns;
}

Node *graph_add(Graph *graph, Node what, Node *const *after, size_t n_after) {
    Node *node = malloc(sizeof *node);
    *node = what;
    node->graph = graph;
    node->index = graph->n;
    node->copied_from = NULL;
    node->n_after = n_after;
    node->after = n_after ? malloc(n_after * sizeof *after) : NULL;
    if (n_after) memcpy(node->after, after, n_after * sizeof *after);
    node->call = call_copy(what.call);
    if (what.child) {
        node->child = graph_copy(what.child); /* "the child graph is cloned" */
        node->cost_ns = node->child->length_ns;
    }
    if (graph->n == graph->room) {
        graph->room = graph->room ? graph->room * 2 : 64;
        graph->nodes = realloc(graph->nodes, graph->room * sizeof *graph->nodes);
    }
    graph->nodes[graph->n++] = node;
    ends(node);
    return node;
}

/* Nodes are in an order in which each comes after what it depends on, so one pass is enough. */
static void end_again(Graph *graph) {
    graph->length_ns = 0;
    for (size_t i = 0; i < graph->n; i++) ends(graph->nodes[i]);
}

void graph_depend(Node *node, Node *on) {
    node->after = realloc(node->after, (node->n_after + 1) * sizeof *node->after);
    node->after[node->n_after++] = on;
    end_again(node->graph);
}

/* "If the array is longer, the rest of it is NULL": how many there are, and where asked for, which. */
void graph_list(Node *const *found, size_t n_found, void **to, size_t *n) {
    for (size_t i = 0; to && i < *n; i++) to[i] = i < n_found ? found[i] : NULL;
    if (!to || *n > n_found) *n = n_found;
}

/* The node of an instance that was made of one of its graph, or of a child graph in it. */
Node *graph_find(Graph *instance, const Node *original) {
    for (size_t i = 0; i < instance->n; i++) {
        Node *node = instance->nodes[i];
        Node *inside = node->child ? graph_find(node->child, original) : NULL;
        if (node->copied_from == original || inside) return inside ? inside : node;
    }
    return NULL;
}

void graph_change(Node *node, Node what) {
    what.after = node->after;
    what.n_after = node->n_after;
    what.graph = node->graph;
    what.index = node->index;
    what.copied_from = node->copied_from;
    what.call = call_copy(what.call);
    if (what.child) {
        what.child = graph_copy(what.child);
        what.cost_ns = what.child->length_ns;
    }
    if (node->child) graph_free(node->child);
    free(node->call);
    *node = what;
    end_again(node->graph);
}

Graph *graph_copy(const Graph *graph) {
    Graph *copy = graph_new();
    for (size_t i = 0; i < graph->n; i++) {
        const Node *node = graph->nodes[i];
        Node *after[node->n_after + 1];
        for (size_t k = 0; k < node->n_after; k++) after[k] = copy->nodes[node->after[k]->index];
        graph_add(copy, *node, after, node->n_after)->copied_from = node;
    }
    return copy;
}

void graph_free(Graph *graph) {
    for (size_t i = 0; i < graph->n; i++) {
        if (graph->nodes[i]->child) graph_free(graph->nodes[i]->child);
        free(graph->nodes[i]->after);
        free(graph->nodes[i]->call);
        free(graph->nodes[i]);
    }
    free(graph->nodes);
    free(graph);
}
