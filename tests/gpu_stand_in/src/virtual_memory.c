/* Virtual memory management of the driver (cuMemCreate and its relatives): physical memory is a
 * file in memory, so that it may be mapped twice, and is given back once nobody refers to it. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    size_t bytes;
    int device, file, references;
} Physical;
typedef struct Mapping {
    char *start;
    size_t bytes;
    Physical *physical;
    struct Mapping *next;
} Mapping;

static Mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int physical_new(void **handle, size_t bytes, int device) {
    int error = take(device, bytes);
    if (error) return error;
    Physical *physical = malloc(sizeof *physical);
    *physical = (Physical){bytes, device, memfd_create("device memory", MFD_CLOEXEC), 1};
    if (physical->file < 0 || ftruncate(physical->file, (off_t)bytes)) {
        free(physical);
        give(device, bytes);
        return OUT_OF_MEMORY;
    }
    *handle = physical;
    return OK;
}

static void let_go(Physical *physical) {
    if (--physical->references) return;
    close(physical->file);
    give(physical->device, physical->bytes);
    free(physical);
}

/* "The memory allocation is freed once it is released and all its mappings are gone." */
int physical_release(void *handle) {
    pthread_mutex_lock(&lock);
    let_go(handle);
    pthread_mutex_unlock(&lock);
    return OK;
}

/* Without cuMemSetAccess nobody may look into it. */
int physical_map(void *at, size_t bytes, size_t offset, void *handle) {
    Physical *physical = handle;
    if (offset + bytes > physical->bytes || device_of(at) < 0) return INVALID_VALUE;
    if (mmap(at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->file, (off_t)offset) != at)
        return INVALID_VALUE;
    Mapping *mapping = malloc(sizeof *mapping);
    pthread_mutex_lock(&lock);
    *mapping = (Mapping){at, bytes, physical, mappings};
    mappings = mapping;
    physical->references++;
    pthread_mutex_unlock(&lock);
    return OK;
}

int physical_unmap(void *at, size_t bytes) {
    int found = 0;
    pthread_mutex_lock(&lock);
    for (Mapping **link = &mappings; *link;) {
        Mapping *mapping = *link;
        if (mapping->start < (char *)at || mapping->start >= (char *)at + bytes) {
            link = &mapping->next;
            continue;
        }
        *link = mapping->next;
        mmap(mapping->start, mapping->bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        let_go(mapping->physical);
        free(mapping);
        found++;
    }
    pthread_mutex_unlock(&lock);
    return found ? OK : INVALID_VALUE;
}

int physical_access(void *at, size_t bytes, int writable) {
    return mprotect(at, bytes, PROT_READ | (writable ? PROT_WRITE : 0)) ? INVALID_VALUE : OK;
}

int physical_of(void *at, void **handle) {
    int error = INVALID_VALUE;
    pthread_mutex_lock(&lock);
    for (Mapping *mapping = mappings; mapping; mapping = mapping->next)
        if ((char *)at >= mapping->start && (char *)at < mapping->start + mapping->bytes) {
            *handle = mapping->physical;
            mapping->physical->references++;
            error = OK;
            break;
        }
    pthread_mutex_unlock(&lock);
    return error;
}
