/* libnvidia-ml: the same machine, as NVML's reference has a management library describe it.
 *
 * A handle is the address of a device, or of its UUID as an instance where the GPU is divided.
 * What processes hold is in their logs. Power and temperature are invented: a simulated device is
 * 35 degrees warm, and takes a tenth of its limit idle and all of it while a kernel runs. */
#include "stand_in.h"

#include <stdio.h>
#include <string.h>

enum {
    SUCCESS = 0,
    INVALID = 2,
    UNSUPPORTED = 3,
    NO_SUCH = 6,
    TOO_SMALL = 7,
    GPU_IS_LOST = 15,
};
enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY };

int missing_nvml(const char *name) {
    log_missing(name);
    return UNSUPPORTED;
}

static Device *whole(void *handle) {
    for (int i = 0; i < settings.n_devices; i++)
        if (handle == (void *)&settings.devices[i] || handle == settings.devices[i].part_uuid)
            return &settings.devices[i];
    return NULL;
}

static int is_part(void *handle) {
    Device *device = whole(handle);
    return device && handle != (void *)device;
}

static int number_of(void *handle) { return (int)(whole(handle) - settings.devices); }

static int written(char *into, unsigned room, const char *text) {
    return (unsigned)snprintf(into, room, "%s", text) < room ? SUCCESS : TOO_SMALL;
}

int nvmlInit_v2(void) { return n_visible(), SUCCESS; } /* reads the settings */
int nvmlInitWithFlags(unsigned flags) { return (void)flags, nvmlInit_v2(); }
int nvmlShutdown(void) { return SUCCESS; }

const char *nvmlErrorString(int error) {
    switch (error) {
    case SUCCESS: return "Success";
    case INVALID: return "Invalid Argument";
    case UNSUPPORTED: return "Not Supported";
    case NO_SUCH: return "Not Found";
    case TOO_SMALL: return "Insufficient Size";
    case GPU_IS_LOST: return "GPU is lost";
    default: return "Unknown Error";
    }
}

int nvmlSystemGetDriverVersion(char *text, unsigned room) {
    return written(text, room, settings.driver);
}

int nvmlSystemGetCudaDriverVersion(int *version) {
    *version = settings.cuda;
    return SUCCESS;
}

int nvmlSystemGetCudaDriverVersion_v2(int *version) {
    return nvmlSystemGetCudaDriverVersion(version);
}

int nvmlDeviceGetCount_v2(unsigned *n) {
    *n = (unsigned)settings.n_devices;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **handle) {
    if (number >= (unsigned)settings.n_devices) return INVALID;
    if (is_lost()) return GPU_IS_LOST;
    *handle = &settings.devices[number];
    return SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **handle) {
    if (is_lost()) return GPU_IS_LOST;
    for (int i = 0; i < settings.n_devices; i++) {
        Device *device = &settings.devices[i];
        if (!strcmp(uuid, device->uuid)) return *handle = device, SUCCESS;
        if (*device->profile && !strcmp(uuid, device->part_uuid))
            return *handle = device->part_uuid, SUCCESS;
    }
    return NO_SUCH;
}

/* "domain:bus:device.function", as the runtime and the driver give it (device_attribute). */
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **handle) {
    unsigned domain, bus;
    if (sscanf(address, "%x:%x:", &domain, &bus) != 2) return INVALID;
    for (int i = 0; i < n_visible(); i++)
        if ((unsigned)device_attribute(33, i) == bus)
            return nvmlDeviceGetHandleByUUID(visible_device(i)->uuid, handle);
    return NO_SUCH;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *part, void **handle) {
    if (!is_part(part)) return INVALID;
    *handle = whole(part);
    return SUCCESS;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned number, void **part) {
    Device *device = whole(handle);
    if (number || !*device->profile) return NO_SUCH;
    *part = device->part_uuid;
    return SUCCESS;
}

int nvmlDeviceGetMigMode(void *handle, unsigned *now, unsigned *pending) {
    *now = *pending = *whole(handle)->profile != 0;
    return SUCCESS;
}

int nvmlDeviceGetIndex(void *handle, unsigned *number) {
    *number = (unsigned)number_of(handle);
    return SUCCESS;
}

int nvmlDeviceGetName(void *handle, char *text, unsigned room) {
    char name[160];
    Device *device = whole(handle);
    snprintf(name, sizeof name, "%s%s%s", device->model, is_part(handle) ? " MIG " : "",
             is_part(handle) ? device->profile : "");
    return written(text, room, name);
}

int nvmlDeviceGetUUID(void *handle, char *text, unsigned room) {
    return written(text, room, is_part(handle) ? handle : whole(handle)->uuid);
}

int nvmlDeviceGetCudaComputeCapability(void *handle, int *major, int *minor) {
    *major = whole(handle)->major;
    *minor = whole(handle)->minor;
    return SUCCESS;
}

/* nvmlMemory_t: total, free, used. */
int nvmlDeviceGetMemoryInfo(void *handle, unsigned long long *memory) {
    Device *device = whole(handle);
    memory[0] = is_part(handle) ? device->bytes : device->whole_bytes;
    memory[2] = used_by_others(number_of(handle));
    memory[1] = memory[0] - memory[2];
    return SUCCESS;
}

typedef struct {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
} Process; /* nvmlProcessInfo_v2_t, which _v3 fills */

typedef struct {
    unsigned pid;
    unsigned long long bytes;
} OldProcess; /* nvmlProcessInfo_v1_t */

typedef struct {
    int number;
    unsigned n, room;
    Process *found;
} Search;

static int add_process(const Counts *theirs, int alive, void *to) {
    Search *search = to;
    if (!alive || !theirs->used[search->number]) return 0;
    if (search->n < search->room)
        search->found[search->n] =
            (Process){(unsigned)theirs->pid, theirs->used[search->number], -1U, -1U};
    search->n++;
    return 1;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *n, Process *found) {
    Search search = {number_of(handle), 0, found ? *n : 0, found};
    for_each_process(add_process, &search);
    int fits = search.n <= search.room;
    *n = search.n;
    return fits ? SUCCESS : TOO_SMALL;
}

/* The function without a number in its name is the first one. */
int nvmlDeviceGetComputeRunningProcesses(void *handle, unsigned *n, OldProcess *found) {
    Process all[64];
    unsigned room = *n;
    *n = sizeof all / sizeof *all;
    int error = nvmlDeviceGetComputeRunningProcesses_v3(handle, n, all);
    for (unsigned i = 0; !error && i < *n && i < room; i++)
        found[i] = (OldProcess){all[i].pid, all[i].bytes};
    return error ? error : *n <= room ? SUCCESS : TOO_SMALL;
}

typedef struct {
    int number, slow;
    int64_t busy_ns, until_ns;
} Work;

static int add_work(const Counts *theirs, int alive, void *to) {
    Work *work = to;
    work->busy_ns += theirs->busy_ns[work->number];
    if (alive && theirs->busy_until_ns[work->number] > work->until_ns)
        work->until_ns = theirs->busy_until_ns[work->number];
    work->slow |= alive && is_slow(theirs->launches);
    return 1;
}

static Work work_of(void *handle) {
    Work work = {.number = number_of(handle)};
    for_each_process(add_work, &work);
    return work;
}

static int is_busy(void *handle) { return work_of(handle).until_ns > now_ns(); }

int nvmlDeviceGetUtilizationRates(void *handle, unsigned *percent) {
    if (*whole(handle)->profile) return UNSUPPORTED; /* as of a divided GPU */
    percent[0] = is_busy(handle) ? 100 : 0;
    percent[1] = 0;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *handle, unsigned *milliwatts) {
    unsigned limit = 1000u * (unsigned)whole(handle)->power_limit_w;
    *milliwatts = is_busy(handle) ? limit : limit / 10;
    return SUCCESS;
}

/* Millijoules since the machine was started. */
int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *energy) {
    double limit_w = whole(handle)->power_limit_w, busy_ns = (double)work_of(handle).busy_ns;
    *energy = (unsigned long long)(limit_w * (0.1 * (double)now_ns() + 0.9 * busy_ns) / 1e6);
    return SUCCESS;
}

int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *degrees) {
    (void)handle, (void)sensor;
    *degrees = 35;
    return SUCCESS;
}

int nvmlDeviceGetMaxClockInfo(void *handle, int which, unsigned *mhz) {
    Device *device = whole(handle);
    if (which > CLOCK_MEMORY) return INVALID;
    *mhz = (unsigned)(which == CLOCK_MEMORY ? device->memory_clock_mhz : device->clock_mhz);
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *handle, int which, unsigned *mhz) {
    int error = nvmlDeviceGetMaxClockInfo(handle, which, mhz);
    if (!error && which != CLOCK_MEMORY && work_of(handle).slow)
        *mhz = (unsigned)(*mhz * settings.slow_to);
    return error;
}

int nvmlDeviceGetApplicationsClock(void *handle, int which, unsigned *mhz) {
    return nvmlDeviceGetMaxClockInfo(handle, which, mhz);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *handle, unsigned long long *reasons) {
    if (is_lost()) return GPU_IS_LOST;
    *reasons = work_of(handle).slow ? 0x40 /* thermal slowdown by hardware */ : !is_busy(handle);
    return SUCCESS;
}

int nvmlDeviceGetCurrentClocksEventReasons(void *handle, unsigned long long *reasons) {
    return nvmlDeviceGetCurrentClocksThrottleReasons(handle, reasons);
}

int nvmlDeviceGetEccMode(void *handle, int *now, int *pending) {
    (void)handle;
    *now = *pending = 1;
    return SUCCESS;
}

int nvmlDeviceGetPersistenceMode(void *handle, int *mode) {
    (void)handle;
    *mode = 1;
    return SUCCESS;
}

int nvmlDeviceGetEnforcedPowerLimit(void *handle, unsigned *milliwatts) {
    *milliwatts = 1000u * (unsigned)whole(handle)->power_limit_w;
    return SUCCESS;
}

int nvmlDeviceGetPowerManagementDefaultLimit(void *handle, unsigned *milliwatts) {
    return nvmlDeviceGetEnforcedPowerLimit(handle, milliwatts);
}
