/* libcuda: the driver API as its reference describes it, for Triton and for what PyTorch and XLA
 * ask of it by name. One context for each device, its primary one. cuda_*.c have the rest. */
#define _GNU_SOURCE
#include "cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int stand_in_driver = 1; /* for libcudart: no other driver is ever called */
static char contexts[MOST_DEVICES];
static __thread CUcontext current;

int missing_cuda(const char *name) { return log_missing(name); }

CUcontext context_of(int number) { return (CUcontext)&contexts[number]; }
CUcontext in_use(void) { return current ? current : context_of(current_device()); }

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

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice number) {
    if (!visible_device(number)) return CUDA_ERROR_INVALID_DEVICE;
    device_uuid(uuid->bytes, visible_device(number));
    return CUDA_SUCCESS;
}

#ifndef cuDeviceGetUuid /* in CUDA 13 it is the name of the newer one */
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice number) { return cuDeviceGetUuid_v2(uuid, number); }
#endif

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice number) {
    if (!visible_device(number)) return CUDA_ERROR_INVALID_DEVICE;
    *major = visible_device(number)->major;
    *minor = visible_device(number)->minor;
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

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
    (void)context;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
    DRIVER(cuCtxSynchronize);
    return (CUresult)device_wait();
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
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
