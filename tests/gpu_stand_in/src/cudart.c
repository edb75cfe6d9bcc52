/* libcudart: the CUDA runtime API as its reference describes it, on the simulated machine.
 *
 * Here errors, devices and the way to the driver; cudart_*.c have the rest. What is not here is
 * listed as harmless (does nothing) in symbols.py, or fails by its name. */
#define _GNU_SOURCE
#include "cudart.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static __thread cudaError_t last;

/* "Returns the last error produced by any of the runtime calls in the same host thread." */
cudaError_t told(int error) {
    if (error && error != cudaErrorNotReady) last = (cudaError_t)error;
    return (cudaError_t)error;
}

int missing_cudart(const char *name) { return told(log_missing(name)); }

/* Without a device every call that needs one says so; as does a driver that is too old. */
int no_device(void) {
    if (!n_visible()) return cudaErrorNoDevice;
    if (settings.cuda / 1000 < CUDART_VERSION / 1000) return cudaErrorInsufficientDriver;
    return device_error();
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

cudaError_t cudaDeviceSynchronize(void) { return told(device_wait()); }

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

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *found, int number) {
    const Device *device = visible_device(number);
    if (no_device()) return told(no_device());
    if (!device) return told(cudaErrorInvalidDevice);
    memset(found, 0, sizeof *found);
    const char *part = *device->profile ? " MIG " : "";
    snprintf(found->name, sizeof found->name, "%s%s%s", device->model, part, device->profile);
    device_uuid(found->uuid.bytes, device);
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
