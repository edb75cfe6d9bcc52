/* Attributes of a device, by the numbers that cudaDeviceAttr and CUdevice_attribute share. */
#include "stand_in.h"

#include <driver_types.h>
#include <stdio.h>

#define VIRTUAL_MEMORY_MANAGEMENT 102 /* CU_DEVICE_ATTRIBUTE_...: the runtime has no name for it */

static int per_device(int attribute, const Device *device) {
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: return device->processors;
    case cudaDevAttrClockRate: return device->clock_mhz * 1000;
    case cudaDevAttrMemoryClockRate: return device->memory_clock_mhz * 1000;
    case cudaDevAttrGlobalMemoryBusWidth: return device->bus_bits;
    case cudaDevAttrL2CacheSize: return device->l2_bytes;
    case cudaDevAttrComputeCapabilityMajor: return device->major;
    case cudaDevAttrComputeCapabilityMinor: return device->minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return device->shared_bytes;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return device->shared_bytes - 1024;
    case cudaDevAttrClusterLaunch: return device->major >= 9;
    default: return -1;
    }
}

/* Of every device of compute capability 8.0 and 9.0: the programming guide's table of technical
 * specifications, and what the reference says of an ordinary device with unified addresses. */
int device_attribute(int attribute, int number) {
    int own = per_device(attribute, visible_device(number));
    if (own >= 0) return own;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 49152;
    case cudaDevAttrTotalConstantMemory:
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxPitch: return 2147483647;
    case cudaDevAttrTextureAlignment: return 512;
    case cudaDevAttrTexturePitchAlignment: return 32;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return 32;
    case cudaDevAttrReservedSharedMemoryPerBlock: return 1024;
    case cudaDevAttrPciBusId: return 7 + number;
    case cudaDevAttrAsyncEngineCount: return 3;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrHostRegisterSupported:
    case VIRTUAL_MEMORY_MANAGEMENT: return 1;
    default: return 0; /* what it does not have */
    }
}

void device_uuid(char *bytes, const Device *device) {
    const char *text = *device->profile ? device->part_uuid : device->uuid;
    for (text += 4; *text; text++) {
        unsigned value;
        if (*text == '-' || sscanf(text++, "%2x", &value) != 1) continue;
        *bytes++ = (char)value;
    }
}
