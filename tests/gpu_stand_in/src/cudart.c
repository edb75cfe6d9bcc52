/* libcudart: the CUDA runtime API as its reference describes it, on the simulated machine.
 *
 * Not here: what build.py lists as harmless (does nothing) or leaves out (fails by its name). */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>

#include "stand_in.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread cudaError_t last;

/* "Returns the last error produced by any of the runtime calls in the same host thread." */
static cudaError_t told(int error) {
    if (error && error != cudaErrorNotReady) last = (cudaError_t)error;
    return (cudaError_t)error;
}

int missing_cudart(const char *name) { return told(log_missing(name)); }

/* Without a device every call that needs one says so; as does a driver that is too old. */
static int no_device(void) {
    if (!n_visible()) return cudaErrorNoDevice;
    if (settings.cuda / 1000 < CUDART_VERSION / 1000) return cudaErrorInsufficientDriver;
    return device_error();
}

/* ---- kernels: what nvcc makes of <<<>>> registers each by the address of its stub ---- */

typedef struct {
    const void *stub;
    const char *name;
    size_t bytes; /* of a variable */
    void *there;  /* on the device */
} Symbol;
static Symbol *symbols;
static size_t n_symbols, room; /* room: a power of 2 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static Symbol *slot(Symbol *table, size_t size, const void *stub) {
    size_t i = ((uintptr_t)stub >> 3) * 0x9E3779B97F4A7C15UL >> 20 & (size - 1);
    while (table[i].stub && table[i].stub != stub) i = (i + 1) & (size - 1);
    return &table[i];
}

static void grow(void) {
    size_t more = room ? room * 2 : 1 << 16;
    Symbol *table = calloc(more, sizeof *table);
    for (size_t i = 0; i < room; i++)
        if (symbols[i].stub) *slot(table, more, symbols[i].stub) = symbols[i];
    free(symbols);
    symbols = table;
    room = more;
}

static void put(const void *stub, const char *name, size_t bytes) {
    pthread_mutex_lock(&lock);
    if (n_symbols * 2 >= room) grow();
    Symbol *symbol = slot(symbols, room, stub);
    n_symbols += !symbol->stub;
    *symbol = (Symbol){stub, name, bytes, NULL};
    pthread_mutex_unlock(&lock);
}

static Symbol *symbol_of(const void *stub) {
    pthread_mutex_lock(&lock);
    Symbol *found = room ? slot(symbols, room, stub) : NULL;
    pthread_mutex_unlock(&lock);
    return found && found->stub ? found : NULL;
}

void **__cudaRegisterFatBinary(void *binary) {
    void **handle = malloc(sizeof *handle);
    *handle = binary;
    return handle;
}

char __cudaInitModule(void **handle) {
    (void)handle;
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_name, const char *name,
                            int limit, void *a, void *b, void *c, void *d, int *e) {
    (void)handle, (void)device_name, (void)limit, (void)a, (void)b, (void)c, (void)d, (void)e;
    put(stub, name, 0);
}

void __cudaRegisterVar(void **handle, char *variable, char *device_name, const char *name,
                       int external, size_t bytes, int constant, int global) {
    (void)handle, (void)device_name, (void)external, (void)constant, (void)global;
    put(variable, name, bytes);
}

typedef struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} Configuration;
#define DEEPEST 16
static __thread Configuration configurations[DEEPEST];
static __thread int n_configurations;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream) {
    if (n_configurations == DEEPEST) return 1;
    configurations[n_configurations++] = (Configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (!n_configurations) return cudaErrorMissingConfiguration;
    Configuration *top = &configurations[--n_configurations];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
    *kernel = (cudaKernel_t)stub;
    return cudaSuccess;
}

static int fits(dim3 grid, dim3 block) {
    size_t threads = (size_t)block.x * block.y * block.z;
    return grid.x && grid.y && grid.z && grid.y <= 65535 && grid.z <= 65535 && threads &&
           threads <= 1024 && block.z <= 64;
}

static cudaError_t start(const void *stub, dim3 grid, dim3 block, cudaStream_t stream) {
    Symbol *symbol = symbol_of(stub);
    if (no_device()) return told(no_device());
    if (!symbol) return told(cudaErrorInvalidDeviceFunction);
    if (!fits(grid, block)) return told(cudaErrorInvalidConfiguration);
    return told(launch(stream, symbol->name, (uint64_t)grid.x * grid.y * grid.z));
}

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream) {
    (void)arguments, (void)shared;
    return start(stub, grid, block, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream) {
    (void)arguments, (void)shared;
    return start(kernel, grid, block, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream) {
    (void)arguments, (void)shared;
    return start(stub, grid, block, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *how, const void *stub, void **arguments) {
    (void)arguments;
    return start(stub, how->gridDim, how->blockDim, how->stream);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *found, const void *stub) {
    const Device *device = visible_device(current_device());
    if (!device || !symbol_of(stub)) return told(cudaErrorInvalidDeviceFunction);
    *found = (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024, .numRegs = 32};
    found->ptxVersion = found->binaryVersion = 10 * device->major + device->minor;
    found->maxDynamicSharedSizeBytes = 49152;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *stub) {
    Symbol *symbol = symbol_of(stub);
    if (!symbol) return told(cudaErrorInvalidDeviceFunction);
    *name = symbol->name;
    return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *stub) {
    *function = (cudaFunction_t)stub;
    return cudaSuccess;
}

/* As many as threads allow: a kernel of ours has no registers and no shared memory. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub,
                                                          int threads, size_t shared) {
    (void)stub, (void)shared;
    if (threads < 1) return told(cudaErrorInvalidValue);
    *blocks = 2048 / threads > 32 ? 32 : 2048 / threads;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub,
                                                                   int threads, size_t shared,
                                                                   unsigned flags) {
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, stub, threads, shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub, int blocks,
                                                      int threads) {
    (void)stub, (void)blocks, (void)threads;
    *bytes = 49152;
    return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *options, void **values, unsigned n,
                                enum cudaLibraryOption *more, void **more_values, unsigned m) {
    (void)code, (void)options, (void)values, (void)n, (void)more, (void)more_values, (void)m;
    *library = malloc(1);
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    free(library);
    return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    (void)library;
    char *own = strdup(name); /* kept: the log refers to it */
    put(own, own, 0);
    *kernel = (cudaKernel_t)own;
    return cudaSuccess;
}

/* ---- errors ---- */

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last;
    last = (cudaError_t)device_error(); /* "an error that corrupts the context stays" */
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return last; }

/* Names and words as the reference lists them. */
static const struct {
    cudaError_t code;
    const char *name, *words;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error) return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error) return errors[i].words;
    return "unrecognized error code";
}

/* ---- devices ---- */

cudaError_t cudaDriverGetVersion(int *version) {
    *version = settings.cuda;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 0;
    if (no_device()) return told(no_device());
    *count = n_visible();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *number) {
    *number = current_device();
    return told(no_device());
}

cudaError_t cudaSetDevice(int number) {
    return told(no_device() ? no_device() : set_current_device(number));
}

cudaError_t cudaInitDevice(int number, unsigned flags, unsigned more) {
    (void)flags, (void)more;
    return told(no_device() ? no_device() : visible_device(number) ? OK : INVALID_DEVICE);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    *flags = cudaDeviceScheduleAuto;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) { return told(fence()); }

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    (void)device, (void)peer;
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int room_for, int number) {
    if (!visible_device(number)) return told(cudaErrorInvalidDevice);
    snprintf(text, (size_t)room_for, "0000:%02x:00.0", device_attribute(33, number));
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *number, const char *text) {
    char own[32];
    for (*number = 0; *number < n_visible(); ++*number) {
        cudaDeviceGetPCIBusId(own, sizeof own, *number);
        if (strstr(text, own)) return cudaSuccess;
    }
    return told(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int number) {
    if (!visible_device(number)) return told(cudaErrorInvalidDevice);
    *value = device_attribute(attribute, number);
    return cudaSuccess;
}

static void from_attributes(struct cudaDeviceProp *found, int number) {
    const struct {
        int *field, attribute;
    } ints[] = {
        {&found->major, cudaDevAttrComputeCapabilityMajor},
        {&found->minor, cudaDevAttrComputeCapabilityMinor},
        {&found->multiProcessorCount, cudaDevAttrMultiProcessorCount},
        {&found->warpSize, cudaDevAttrWarpSize},
        {&found->regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
        {&found->regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
        {&found->maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
        {&found->maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
        {&found->maxThreadsDim[0], cudaDevAttrMaxBlockDimX},
        {&found->maxThreadsDim[1], cudaDevAttrMaxBlockDimY},
        {&found->maxThreadsDim[2], cudaDevAttrMaxBlockDimZ},
        {&found->maxGridSize[0], cudaDevAttrMaxGridDimX},
        {&found->maxGridSize[1], cudaDevAttrMaxGridDimY},
        {&found->maxGridSize[2], cudaDevAttrMaxGridDimZ},
        {&found->l2CacheSize, cudaDevAttrL2CacheSize},
        {&found->memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
        {&found->pciBusID, cudaDevAttrPciBusId},
        {&found->maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
        {&found->asyncEngineCount, cudaDevAttrAsyncEngineCount},
        {&found->ECCEnabled, cudaDevAttrEccEnabled},
        {&found->unifiedAddressing, cudaDevAttrUnifiedAddressing},
        {&found->managedMemory, cudaDevAttrManagedMemory},
        {&found->concurrentKernels, cudaDevAttrConcurrentKernels},
        {&found->canMapHostMemory, cudaDevAttrCanMapHostMemory},
        {&found->cooperativeLaunch, cudaDevAttrCooperativeLaunch},
        {&found->memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
        {&found->streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
        {&found->clusterLaunch, cudaDevAttrClusterLaunch},
    };
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        *ints[i].field = device_attribute(ints[i].attribute, number);
}

static void uuid_bytes(char *bytes, const Device *device) {
    const char *text = *device->profile ? device->part_uuid : device->uuid;
    for (text += 4; *text; text++) {
        unsigned value;
        if (*text == '-' || sscanf(text++, "%2x", &value) != 1) continue;
        *bytes++ = (char)value;
    }
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *found, int number) {
    const Device *device = visible_device(number);
    if (no_device()) return told(no_device());
    if (!device) return told(cudaErrorInvalidDevice);
    memset(found, 0, sizeof *found);
    const char *part = *device->profile ? " MIG " : "";
    snprintf(found->name, sizeof found->name, "%s%s%s", device->model, part, device->profile);
    uuid_bytes(found->uuid.bytes, device);
    from_attributes(found, number);
    found->totalGlobalMem = device->bytes;
    found->totalConstMem = 65536;
    found->memPitch = 2147483647;
    found->textureAlignment = 512;
    found->sharedMemPerBlock = 49152;
    found->sharedMemPerMultiprocessor = (size_t)device->shared_bytes;
    found->sharedMemPerBlockOptin = (size_t)device->shared_bytes - 1024;
    found->reservedSharedMemPerBlock = 1024;
    return cudaSuccess;
}

/* ---- memory ---- */

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    return told(no_device() ? no_device() : device_allocate(pointer, bytes));
}

/* "cudaFree waits for the device"; the stream-ordered functions do not. */
cudaError_t cudaFree(void *pointer) {
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
    (void)kind; /* the addresses say it */
    return told(copy(NULL, to, from, bytes, 1));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    (void)kind;
    return told(copy(stream, to, from, bytes, 0));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    (void)to_device, (void)from_device;
    return told(copy(stream, to, from, bytes, 0));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    (void)kind;
    return told(copy_rows(stream, to, to_pitch, from, from_pitch, width, height, 0));
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return told(set_memory(NULL, to, (unsigned)value & 255, 1, bytes, 1));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
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

/* ---- streams and events ---- */

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (no_device()) return told(no_device());
    *stream = (cudaStream_t)stream_new(flags, priority);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return told(stream_free((Stream *)stream)); }

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return told(stream_wait(stream)); }

cudaError_t cudaStreamQuery(cudaStream_t stream) { return told(stream_query(stream)); }

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
    Stream *stream = stream_of(handle);
    if (stream) *priority = stream_priority(stream);
    return told(stream ? OK : INVALID_HANDLE);
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
    Stream *stream = stream_of(handle);
    if (stream) *flags = stream_flags(stream);
    return told(stream ? OK : INVALID_HANDLE);
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
    Stream *stream = stream_of(handle);
    if (stream) *id = stream_id(stream);
    return told(stream ? OK : INVALID_HANDLE);
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *number) {
    Stream *stream = stream_of(handle);
    if (stream) *number = stream_device(stream);
    return told(stream ? OK : INVALID_HANDLE);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)flags;
    return told(stream_wait_event(stream, (Event *)event));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
    return told(host_function(stream, function, argument));
}

typedef struct {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *argument;
} Callback;

static void call_back(void *call) {
    Callback *callback = call;
    callback->function(callback->stream, (cudaError_t)device_error(), callback->argument);
    free(callback);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *argument, unsigned flags) {
    (void)flags;
    Callback *callback = malloc(sizeof *callback);
    *callback = (Callback){function, stream, argument};
    return told(host_function(stream, call_back, callback));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (no_device()) return told(no_device());
    *event = (cudaEvent_t)event_new(flags);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) { return told(event_free((Event *)event)); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    (void)flags;
    return told(event_record((Event *)event, stream));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return told(event_record((Event *)event, stream));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return told(event_wait((Event *)event)); }

cudaError_t cudaEventQuery(cudaEvent_t event) { return told(event_query((Event *)event)); }

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    return told(event_elapsed(ms, (Event *)from, (Event *)to));
}

/* ---- capture and graphs ---- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    (void)mode; /* what other threads may do meanwhile: here, all */
    return told(capture_begin(stream, NULL));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode) {
    (void)after, (void)edges, (void)n, (void)mode;
    return told(capture_begin(stream, (Graph *)graph));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    return told(capture_end(stream, (Graph **)graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    *status = stream_capturing(stream, NULL, NULL, NULL, NULL);
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **after,
                                     const cudaGraphEdgeData **edges, size_t *n) {
    uint64_t number = 0;
    *status = stream_capturing(stream, &number, (Graph **)graph, (Node *const **)after, n);
    if (id && *status) *id = number;
    if (edges) *edges = NULL;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    static __thread enum cudaStreamCaptureMode own = cudaStreamCaptureModeGlobal;
    enum cudaStreamCaptureMode old = own;
    own = *mode;
    *mode = old;
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    (void)flags;
    *graph = (cudaGraph_t)graph_new();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    graph_free((Graph *)graph);
    return cudaSuccess;
}

/* "If the array is longer, the rest of it is NULL": how many there are, and where asked for, which. */
static cudaError_t listed(Node **found, size_t n_found, cudaGraphNode_t *to, size_t *n) {
    for (size_t i = 0; to && i < *n; i++) to[i] = i < n_found ? (cudaGraphNode_t)found[i] : NULL;
    if (!to || *n > n_found) *n = n_found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
    return listed(((Graph *)graph)->nodes, ((Graph *)graph)->n, nodes, n);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *after,
                                         cudaGraphEdgeData *edges, size_t *n) {
    (void)edges;
    return listed(((Node *)node)->after, ((Node *)node)->n_after, after, n);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *instance, cudaGraph_t graph,
                                          unsigned long long flags) {
    (void)flags;
    *instance = (cudaGraphExec_t)graph_copy((Graph *)graph);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *instance, cudaGraph_t graph,
                                 unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(instance, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
    graph_free((Graph *)instance);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream) {
    return told(graph_launch((Graph *)instance, stream));
}

/* ---- the driver's functions, by name ---- */

static void *driver_function(const char *name) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library || !dlsym(library, "stand_in_driver")) return NULL;
    for (int version = 4; version > 1; version--) {
        char versioned[200];
        snprintf(versioned, sizeof versioned, "%s_v%d", name, version);
        void *function = dlsym(library, versioned);
        if (function) return function;
    }
    return dlsym(library, name);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result) {
    (void)version, (void)flags;
    *function = driver_function(name);
    if (result)
        *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (!*function) log_missing(name);
    return cudaSuccess;
}
