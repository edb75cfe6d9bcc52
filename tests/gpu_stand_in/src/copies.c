/* Copies and memory that is set: really, and at a set speed. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((uintptr_t)4096)
#define LARGE (1 << 20)
#define THERE ((uint64_t)3 << 62) /* of a page, in memory or swapped out: the kernel's pagemap */

static int64_t ns(size_t bytes, double gb_s) {
    return gb_s > 0 ? (int64_t)((double)bytes / gb_s) : 0; /* 1 GB/s is 1 byte/ns */
}

int64_t copy_ns(size_t bytes) { return ns(bytes, settings.copy_gb_s); }
int64_t memset_ns(size_t bytes) { return ns(bytes, settings.memset_gb_s); }

/* Zeros in whole pages of a device are what pages are that nobody has written. */
static void set_bytes(char *to, int value, size_t bytes) {
    char *start = (char *)(((uintptr_t)to + PAGE - 1) & ~(PAGE - 1));
    char *end = (char *)(((uintptr_t)to + bytes) & ~(PAGE - 1));
    void *base;
    size_t room;
    if (value || bytes < LARGE || !device_range(to, &base, &room)) {
        memset(to, value, bytes);
        return;
    }
    memset(to, 0, (size_t)(start - to));
    madvise(start, (size_t)(end - start), MADV_DONTNEED);
    memset(end, 0, (size_t)(to + bytes - end));
}

static int nobody_has_written(int pagemap, const char *from, size_t bytes) {
    uint64_t pages[LARGE / PAGE];
    size_t page = (uintptr_t)from / PAGE, n = ((uintptr_t)from + bytes - 1) / PAGE + 1 - page;
    ssize_t size = (ssize_t)(n * sizeof *pages);
    if (pread(pagemap, pages, (size_t)size, (off_t)(page * sizeof *pages)) != size) return 0;
    while (n && !(pages[n - 1] & THERE)) n--;
    return !n;
}

/* Of pages that nobody has written a copy is zeros, too: it takes no room on the host. */
static void copy_bytes(char *to, const char *from, size_t bytes) {
    void *base;
    size_t room, n;
    int within = bytes >= LARGE && device_range(from, &base, &room);
    int pagemap = within ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
    if (pagemap < 0 || (to < from + bytes && from < to + bytes)) memmove(to, from, bytes);
    else
        for (size_t done = 0; done < bytes; done += n) {
            n = LARGE - ((uintptr_t)from + done) % LARGE; /* reading a page makes it be there */
            if (n > bytes - done) n = bytes - done;
            if (nobody_has_written(pagemap, from + done, n)) set_bytes(to + done, 0, n);
            else memcpy(to + done, from + done, n);
        }
    if (pagemap >= 0) close(pagemap);
}

void effect(const Node *node) {
    if (node->kind == COPY) copy_bytes(node->to, node->from, node->bytes);
    else if (node->kind == MEMSET && node->width == 1)
        set_bytes(node->to, (int)(node->value & 255), node->bytes);
    else if (node->kind == MEMSET)
        for (size_t i = 0; i + node->width <= node->bytes; i += node->width)
            memcpy((char *)node->to + i, &node->value, node->width);
    else if (node->kind == KERNEL && node->call) call_compute(node->call);
    else if (node->kind == CHILD)
        for (size_t i = 0; i < node->child->n; i++) effect(node->child->nodes[i]);
}

/* CUDA's API reference, "API synchronization behavior": from the device to pageable memory the
 * call returns when the copy has ended, asynchronous or not; to pinned memory at once, where it is
 * asked for; within the device always. To the device, what was read may be written again: it is. */
int copy(void *stream, void *to, const void *from, size_t bytes, int blocking) {
    int64_t end_ns = 0;
    Node node = {.kind = COPY, .to = to, .from = from, .bytes = bytes, .cost_ns = copy_ns(bytes)};
    int error = issue_copy(stream, node, &end_ns);
    int from_device = device_of(from) >= 0, to_device = device_of(to) >= 0;
    if (error || (from_device && to_device)) return error;
    if (blocking || (from_device && !is_pinned(to))) waited_until(end_ns);
    return device_error();
}

int copy_rows(void *stream, void *to, size_t to_pitch, const void *from, size_t from_pitch,
              size_t width, size_t height, int blocking) {
    int error = OK;
    for (size_t row = 0; row < height && !error; row++)
        error = copy(stream, (char *)to + row * to_pitch, (const char *)from + row * from_pitch,
                     width, blocking && row == height - 1);
    return error;
}

/* "Asynchronous with respect to the host unless the target is pinned host memory." */
int set_memory(void *stream, void *to, unsigned value, unsigned width, size_t number,
               int blocking) {
    int64_t end_ns = 0;
    size_t bytes = number * width;
    Node node = {.kind = MEMSET, .to = to, .bytes = bytes, .value = value, .width = width,
                 .cost_ns = memset_ns(bytes)};
    int error = issue_copy(stream, node, &end_ns);
    if (!error && blocking && device_of(to) < 0) wait_until(end_ns);
    return error;
}
