/* libcuda: the driver API as its reference describes it, for Triton and for what PyTorch and XLA
 * ask of it by name. One context for each device, its primary one. */
#define _GNU_SOURCE
#include <cuda.h>

#include "stand_in.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int stand_in_driver = 1; /* for libcudart: no other driver is ever called */
static char contexts[MOST_DEVICES];
static __thread CUcontext current;

int missing_cuda(const char *name) { return log_missing(name); }

static CUcontext context_of(int number) { return (CUcontext)&contexts[number]; }
static CUcontext in_use(void) { return current ? current : context_of(current_device()); }

CUresult cuInit(unsigned flags) {
    (void)flags;
    return n_visible() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int *version) {
    *version = settings.cuda;
    return CUDA_SUCCESS;
}

/* ---- errors ---- */

static const struct {
    CUresult code;
    const char *name, *words;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

CUresult cuGetErrorString(CUresult error, const char **words) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error) return *words = errors[i].words, CUDA_SUCCESS;
    return *words = NULL, CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == error) return *name = errors[i].name, CUDA_SUCCESS;
    return *name = NULL, CUDA_ERROR_INVALID_VALUE;
}

/* ---- devices and contexts ---- */

CUresult cuDeviceGetCount(int *count) {
    *count = n_visible();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int number) {
    *device = number;
    return visible_device(number) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int room, CUdevice number) {
    const Device *device = visible_device(number);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    const char *part = *device->profile ? " MIG " : "";
    snprintf(name, (size_t)room, "%s%s%s", device->model, part, device->profile);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice number) {
    const Device *device = visible_device(number);
    if (!device) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = device->bytes;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice number) {
    if (!visible_device(number)) return CUDA_ERROR_INVALID_DEVICE;
    *value = device_attribute((int)attribute, number);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int room, CUdevice number) {
    if (!visible_device(number)) return CUDA_ERROR_INVALID_DEVICE;
    snprintf(text, (size_t)room, "0000:%02x:00.0",
             device_attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, number));
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    (void)device, (void)peer;
    *can = 0;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice number) {
    if (!visible_device(number)) return CUDA_ERROR_INVALID_DEVICE;
    *context = context_of(number);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice number, unsigned *flags, int *active) {
    if (!visible_device(number)) return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    *context = in_use();
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
    current = context;
    if (context) set_current_device((int)((char *)context - contexts));
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxSetCurrent(context); }

CUresult cuCtxPopCurrent(CUcontext *context) {
    if (context) *context = in_use();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *number) {
    *number = current_device();
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) { return (CUresult)fence(); }

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
}

/* ---- modules: what is in them is not looked at; a function is its name ---- */

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    *module = malloc(1);
    return (CUresult)device_error();
}

CUresult cuModuleLoad(CUmodule *module, const char *path) {
    return access(path, R_OK) ? CUDA_ERROR_FILE_NOT_FOUND : cuModuleLoadData(module, path);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options,
                            void **values) {
    (void)n, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule module) {
    free(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    (void)module;
    *function = (CUfunction)strdup(name); /* kept: the log refers to it */
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    const Device *device = visible_device(current_device());
    (void)function;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 10 * device->major + device->minor; break;
    default: *value = 0; /* no shared, constant or local memory */
    }
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared) {
    (void)function, (void)shared;
    if (threads < 1) return CUDA_ERROR_INVALID_VALUE;
    *blocks = 2048 / threads > 32 ? 32 : 2048 / threads;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra) {
    (void)shared, (void)arguments, (void)extra;
    if (!grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t blocks = (uint64_t)grid_x * grid_y * grid_z;
    return (CUresult)launch(stream, (const char *)function, blocks);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *how, CUfunction function, void **arguments,
                          void **extra) {
    return cuLaunchKernel(function, how->gridDimX, how->gridDimY, how->gridDimZ, how->blockDimX,
                          how->blockDimY, how->blockDimZ, how->sharedMemBytes, how->hStream,
                          arguments, extra);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *argument) {
    return (CUresult)host_function(stream, function, argument);
}

/* ---- memory ---- */

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
    return bytes ? (CUresult)device_allocate((void **)pointer, bytes) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
    (void)stream;
    return cuMemAlloc(pointer, bytes);
}

CUresult cuMemFree(CUdeviceptr pointer) {
    int error = device_wait();
    return (CUresult)(error ? error : device_release((void *)pointer));
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
    (void)stream;
    return (CUresult)device_release((void *)pointer);
}

CUresult cuMemGetInfo(size_t *available, size_t *total) {
    memory_info(available, total);
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    (void)flags;
    return (CUresult)host_allocate(pointer, bytes);
}

CUresult cuMemFreeHost(void *pointer) { return (CUresult)host_release(pointer); }

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer) {
    int found = device_range((void *)pointer, (void **)base, bytes);
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* "Unified addresses: CU_MEMORYTYPE_DEVICE or _HOST"; an address that is not CUDA's is refused. */
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    void *pointer = (void *)address;
    int device = device_of(pointer);
    if (device < 0 && !is_pinned(pointer)) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)value = in_use(); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)value = device < 0 ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)value = address; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)value = device < 0 ? current_device() : device;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: device_range(pointer, value, NULL); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: device_range(pointer, NULL, value); break;
    default: return (CUresult)log_missing("cuPointerGetAttribute of another attribute");
    }
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
    return (CUresult)copy(NULL, (void *)to, from, bytes, 1);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
    return (CUresult)copy(NULL, to, (void *)from, bytes, 1);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return (CUresult)copy(NULL, (void *)to, (void *)from, bytes, 1);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return (CUresult)copy(stream, (void *)to, from, bytes, 0);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return (CUresult)copy(stream, to, (void *)from, bytes, 0);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return (CUresult)copy(stream, (void *)to, (void *)from, bytes, 0);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
    return (CUresult)set_memory(stream, (void *)to, value, 1, n, 0);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) {
    return (CUresult)set_memory(stream, (void *)to, value, 4, n, 0);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t n) {
    return (CUresult)set_memory(NULL, (void *)to, value, 1, n, 1);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t n) {
    return (CUresult)set_memory(NULL, (void *)to, value, 4, n, 1);
}

/* ---- virtual memory management ---- */

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *what,
                                       CUmemAllocationGranularity_flags which) {
    (void)what, (void)which;
    *bytes = 2 << 20;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *what, unsigned long long flags) {
    (void)flags;
    if (bytes % (2 << 20)) return CUDA_ERROR_INVALID_VALUE;
    return (CUresult)physical_new((void **)handle, bytes, what->location.id);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return (CUresult)physical_release((void *)handle);
}

CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags) {
    (void)wanted, (void)flags;
    char *found = reserve(current_device(), bytes, alignment < 2 << 20 ? 2 << 20 : alignment);
    *pointer = (CUdeviceptr)found;
    return found ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    (void)flags;
    return (CUresult)physical_map((void *)at, bytes, offset, (void *)handle);
}

CUresult cuMemUnmap(CUdeviceptr at, size_t bytes) {
    int error = device_wait();
    return (CUresult)(error ? error : physical_unmap((void *)at, bytes));
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *who, size_t n) {
    int writable = n && who->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return (CUresult)physical_access((void *)at, bytes, writable);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *at) {
    return (CUresult)physical_of(at, (void **)handle);
}

/* ---- streams and events ---- */

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    *stream = (CUstream)stream_new(flags, priority);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream) { return (CUresult)stream_free((Stream *)stream); }
CUresult cuStreamSynchronize(CUstream stream) { return (CUresult)stream_wait(stream); }
CUresult cuStreamQuery(CUstream stream) { return (CUresult)stream_query(stream); }

CUresult cuStreamGetCtx(CUstream handle, CUcontext *context) {
    Stream *stream = stream_of(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    *context = context_of(stream_device(stream));
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    (void)flags;
    return (CUresult)stream_wait_event(stream, (Event *)event);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
    *status = (CUstreamCaptureStatus)stream_capturing(stream, NULL, NULL, NULL, NULL);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    *event = (CUevent)event_new(flags);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) { return (CUresult)event_free((Event *)event); }

CUresult cuEventRecord(CUevent event, CUstream stream) {
    return (CUresult)event_record((Event *)event, stream);
}

CUresult cuEventSynchronize(CUevent event) { return (CUresult)event_wait((Event *)event); }
CUresult cuEventQuery(CUevent event) { return (CUresult)event_query((Event *)event); }

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
    return (CUresult)event_elapsed(ms, (Event *)from, (Event *)to);
}

/* ---- functions by name ---- */

static void *named(const char *name) {
    for (int version = 4; version > 1; version--) {
        char versioned[200];
        snprintf(versioned, sizeof versioned, "%s_v%d", name, version);
        void *function = dlsym(RTLD_DEFAULT, versioned);
        if (function) return function;
    }
    return dlsym(RTLD_DEFAULT, name);
}

#undef cuGetProcAddress
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *result) {
    (void)version, (void)flags;
    *function = named(name);
    if (result)
        *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!*function) log_missing(name);
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
