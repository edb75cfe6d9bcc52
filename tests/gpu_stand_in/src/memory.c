/* Memory of the devices: addresses of their own, host pages beneath, and a limit.
 *
 * Addresses are never used twice: what reads or writes memory that was freed is killed, as it is
 * told "illegal address" by a device. Pages that nobody writes take no room and read as zeros. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SANITIZE_THREAD__
#define SPAN ((size_t)1 << 36) /* of each device's addresses: its shadow leaves no more */
#else
#define SPAN ((size_t)1 << 42)
#endif
#define ALIGNMENT 512          /* the programming guide promises at least 256 */
#define PAGE 4096

typedef struct {
    char *start;
    size_t bytes;
} Block;
typedef struct {
    Block *blocks;
    size_t n, room;
} Table; /* sorted by address */

static char *first, *next_free[MOST_DEVICES];
static Table allocated, pinned;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void reserve_addresses(void) {
    first = mmap(NULL, SPAN * MOST_DEVICES, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED) {
        perror("gpu stand-in: addresses for devices");
        abort();
    }
    for (int i = 0; i < MOST_DEVICES; i++) next_free[i] = first + SPAN * i;
}

/* How many blocks begin at or before an address. */
static size_t place(const Table *table, const void *address) {
    size_t low = 0, high = table->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->blocks[middle].start <= (char *)address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void insert(Table *table, char *start, size_t bytes) {
    if (table->n == table->room) {
        table->room = table->room ? table->room * 2 : 256;
        table->blocks = realloc(table->blocks, table->room * sizeof(Block));
    }
    size_t i = place(table, start);
    memmove(table->blocks + i + 1, table->blocks + i, (table->n - i) * sizeof(Block));
    table->blocks[i] = (Block){start, bytes};
    table->n++;
}

static Block *holding(const Table *table, const void *address) {
    size_t i = place(table, address);
    Block *block = i ? &table->blocks[i - 1] : NULL;
    return block && (char *)address < block->start + block->bytes ? block : NULL;
}

/* The block that begins there, taken out; no bytes where none does. */
static Block removed(Table *table, void *start) {
    Block *block = holding(table, start), found = {NULL, 0};
    if (!block || block->start != (char *)start) return found;
    found = *block;
    size_t i = block - table->blocks;
    memmove(block, block + 1, (table->n - i - 1) * sizeof(Block));
    table->n--;
    return found;
}

static int machine_number(int device) {
    return (int)(visible_device(device) - settings.devices);
}

int take(int device, size_t bytes) {
    const Device *about = visible_device(device);
    if (!about) return INVALID_DEVICE;
    int number = machine_number(device);
    uint64_t others = used_by_others(number);
    Counts *all = counts();
    pthread_mutex_lock(&lock);
    int failed = bytes > about->bytes || all->used[number] + others > about->bytes - bytes ||
                 all->failed == OUT_OF_MEMORY;
    if (!failed) all->used[number] += bytes;
    if (all->used[number] > all->peak[number]) all->peak[number] = all->used[number];
    pthread_mutex_unlock(&lock);
    return failed ? OUT_OF_MEMORY : OK;
}

void give(int device, size_t bytes) {
    pthread_mutex_lock(&lock);
    counts()->used[machine_number(device)] -= bytes;
    pthread_mutex_unlock(&lock);
}

char *reserve(int device, size_t bytes, size_t alignment) {
    pthread_once(&once, reserve_addresses);
    if (alignment < PAGE) alignment = PAGE;
    pthread_mutex_lock(&lock);
    char *start = (char *)(((uintptr_t)next_free[device] + alignment - 1) / alignment * alignment);
    int there = bytes <= SPAN && start + bytes <= first + SPAN * (device + 1);
    if (there) next_free[device] = start + (bytes + PAGE - 1) / PAGE * PAGE;
    pthread_mutex_unlock(&lock);
    return there ? start : NULL;
}

int device_allocate(void **found, size_t bytes) {
    *found = NULL;
    if (device_error()) return device_error();
    if (!bytes) return OK;
    if (bytes > SPAN) return OUT_OF_MEMORY;
    int device = current_device();
    size_t taken = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    int error = take(device, taken);
    if (error) return error;
    char *start = reserve(device, taken, 2 << 20);
    if (!start || mprotect(start, taken, PROT_READ | PROT_WRITE)) {
        give(device, taken);
        return OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&lock);
    insert(&allocated, start, taken);
    pthread_mutex_unlock(&lock);
    *found = start;
    return OK;
}

int device_release(void *pointer) {
    if (!pointer) return OK;
    pthread_mutex_lock(&lock);
    Block block = removed(&allocated, pointer);
    pthread_mutex_unlock(&lock);
    if (!block.bytes) return INVALID_VALUE;
    int device = device_of(block.start);
    mmap(block.start, block.bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    give(device, block.bytes);
    return OK;
}

int device_of(const void *pointer) {
    pthread_once(&once, reserve_addresses);
    uintptr_t offset = (uintptr_t)pointer - (uintptr_t)first;
    return offset < SPAN * MOST_DEVICES ? (int)(offset / SPAN) : -1;
}

int device_range(const void *pointer, void **base, size_t *bytes) {
    pthread_mutex_lock(&lock);
    Block *block = holding(&allocated, pointer);
    if (block && base) *base = block->start;
    if (block && bytes) *bytes = block->bytes;
    pthread_mutex_unlock(&lock);
    return block != NULL;
}

void memory_info(size_t *available, size_t *total) {
    int device = current_device(), number = machine_number(device);
    *total = visible_device(device)->bytes;
    *available = *total - counts()->used[number] - used_by_others(number);
}

int host_register(void *pointer, size_t bytes) {
    pthread_mutex_lock(&lock);
    int known = holding(&pinned, pointer) != NULL;
    if (!known) insert(&pinned, pointer, bytes);
    pthread_mutex_unlock(&lock);
    return known ? ALREADY_REGISTERED : OK;
}

int host_unregister(void *pointer) {
    pthread_mutex_lock(&lock);
    Block block = removed(&pinned, pointer);
    pthread_mutex_unlock(&lock);
    return block.bytes ? OK : NOT_REGISTERED;
}

int host_allocate(void **found, size_t bytes) {
    if (posix_memalign(found, PAGE, bytes ? bytes : 1)) return OUT_OF_MEMORY;
    return host_register(*found, bytes ? bytes : 1);
}

int host_release(void *pointer) {
    if (!pointer) return OK;
    if (host_unregister(pointer)) return INVALID_VALUE;
    free(pointer);
    return OK;
}

int is_pinned(const void *pointer) {
    pthread_mutex_lock(&lock);
    int found = holding(&pinned, pointer) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}
