/* The CUDA runtime: memory, copies, pools. */
#define _GNU_SOURCE
#include "cudart.h"
#include "observed.h"

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    return told(no_device() ? no_device() : device_allocate(pointer, bytes));
}

/* "cudaFree waits for the device"; the stream-ordered functions do not. */
cudaError_t cudaFree(void *pointer) {
    RUNTIME(cudaFree_v3020);
    int error = no_device();
    if (!error && pointer) error = device_wait();
    return told(error ? error : device_release(pointer));
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
    (void)stream;
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    (void)pool, (void)stream;
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    (void)stream;
    return told(device_release(pointer));
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
    (void)flags;
    return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    if (no_device()) return told(no_device());
    memory_info(available, total);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    (void)flags;
    return told(host_allocate(pointer, bytes));
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
    return told(host_allocate(pointer, bytes));
}

cudaError_t cudaFreeHost(void *pointer) { return told(host_release(pointer)); }

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
    (void)flags;
    return told(host_register(pointer, bytes));
}

cudaError_t cudaHostUnregister(void *pointer) { return told(host_unregister(pointer)); }

cudaError_t cudaHostGetDevicePointer(void **there, void *here, unsigned flags) {
    (void)flags;
    *there = here;
    return told(is_pinned(here) ? OK : INVALID_VALUE);
}

/* "Memory that is not known has the type unregistered, and no error is returned." */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *found, const void *pointer) {
    void *address = (void *)pointer;
    int device = device_of(pointer);
    *found = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered, .device = -2};
    found->hostPointer = address;
    if (device >= 0) {
        found->type = cudaMemoryTypeDevice;
        found->device = device;
        found->devicePointer = address;
        found->hostPointer = NULL;
    } else if (is_pinned(pointer)) {
        found->type = cudaMemoryTypeHost;
        found->device = current_device();
        found->devicePointer = address;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    RUNTIME(cudaMemcpy_v3020);
    (void)kind; /* the addresses say it */
    return told(copy(NULL, to, from, bytes, 1));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    RUNTIME(cudaMemcpyAsync_v3020);
    (void)kind;
    return told(copy(stream, to, from, bytes, 0));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    RUNTIME(cudaMemcpyPeerAsync_v4000);
    (void)to_device, (void)from_device;
    return told(copy(stream, to, from, bytes, 0));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    RUNTIME(cudaMemcpy2DAsync_v3020);
    (void)kind;
    return told(copy_rows(stream, to, to_pitch, from, from_pitch, width, height, 0));
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    RUNTIME(cudaMemset_v3020);
    return told(set_memory(NULL, to, (unsigned)value & 255, 1, bytes, 1));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    RUNTIME(cudaMemsetAsync_v3020);
    return told(set_memory(stream, to, (unsigned)value & 255, 1, bytes, 0));
}

static void *address_of(const void *variable) {
    Symbol *symbol = symbol_of(variable);
    if (symbol && !symbol->there) device_allocate(&symbol->there, symbol->bytes);
    return symbol ? symbol->there : NULL;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *variable) {
    *pointer = address_of(variable);
    return told(*pointer ? OK : cudaErrorInvalidSymbol);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *variable, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    char *to = address_of(variable);
    (void)kind;
    return told(to ? copy(stream, to + offset, from, bytes, 0) : cudaErrorInvalidSymbol);
}

cudaError_t cudaMemcpyToSymbol(const void *variable, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
    return cudaMemcpyToSymbolAsync(variable, from, bytes, offset, kind, NULL);
}

/* One pool for each device, which keeps nothing back: what is freed is free at once. */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int number) {
    if (!visible_device(number)) return told(cudaErrorInvalidDevice);
    *pool = (cudaMemPool_t)visible_device(number);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int number) {
    return cudaDeviceGetDefaultMemPool(pool, number);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    int number = (int)((const Device *)pool - settings.devices);
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: *(int *)value = 1; break;
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)value = 0; break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = counts()->used[number]; break;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = counts()->peak[number]; break;
    default: return told(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}
