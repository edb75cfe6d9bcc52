/* The driver: memory, copies and virtual memory management. */
#define _GNU_SOURCE
#include "cuda_driver.h"

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
    return bytes ? (CUresult)device_allocate((void **)pointer, bytes) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
    (void)stream;
    return cuMemAlloc(pointer, bytes);
}

CUresult cuMemFree(CUdeviceptr pointer) {
    CALLED(cuMemFree_v2, pointer);
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

CUresult cuMemAllocHost(void **pointer, size_t bytes) {
    return (CUresult)host_allocate(pointer, bytes);
}

CUresult cuMemFreeHost(void *pointer) { return (CUresult)host_release(pointer); }

CUresult cuMemHostRegister(void *pointer, size_t bytes, unsigned flags) {
    (void)flags;
    return (CUresult)host_register(pointer, bytes);
}

CUresult cuMemHostUnregister(void *pointer) { return (CUresult)host_unregister(pointer); }

CUresult cuMemHostGetDevicePointer(CUdeviceptr *there, void *here, unsigned flags) {
    (void)flags;
    *there = (CUdeviceptr)here;
    return is_pinned(here) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

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
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)value = 0; break; /* nothing is */
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: device_range(pointer, value, NULL); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: device_range(pointer, NULL, value); break;
    default: return (CUresult)log_missing("cuPointerGetAttribute of another attribute");
    }
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
    CALLED(cuMemcpyHtoD_v2, to, from, bytes);
    return (CUresult)copy(NULL, (void *)to, from, bytes, 1);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
    CALLED(cuMemcpyDtoH_v2, to, from, bytes);
    return (CUresult)copy(NULL, to, (void *)from, bytes, 1);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    CALLED(cuMemcpyDtoD_v2, to, from, bytes);
    return (CUresult)copy(NULL, (void *)to, (void *)from, bytes, 1);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    CALLED(cuMemcpyHtoDAsync_v2, to, from, bytes, stream);
    return (CUresult)copy(stream, (void *)to, from, bytes, 0);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CALLED(cuMemcpyDtoHAsync_v2, to, from, bytes, stream);
    return (CUresult)copy(stream, to, (void *)from, bytes, 0);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    CALLED(cuMemcpyDtoDAsync_v2, to, from, bytes, stream);
    return (CUresult)copy(stream, (void *)to, (void *)from, bytes, 0);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
    CALLED(cuMemsetD8Async, to, value, n, stream);
    return (CUresult)set_memory(stream, (void *)to, value, 1, n, 0);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) {
    CALLED(cuMemsetD32Async, to, value, n, stream);
    return (CUresult)set_memory(stream, (void *)to, value, 4, n, 0);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t n) {
    CALLED(cuMemsetD8_v2, to, value, n);
    return (CUresult)set_memory(NULL, (void *)to, value, 1, n, 1);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t n) {
    CALLED(cuMemsetD32_v2, to, value, n);
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
    CALLED(cuMemUnmap, at, bytes);
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
