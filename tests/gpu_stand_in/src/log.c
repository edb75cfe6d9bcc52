/* What each process did, in a file that its killing does not lose: counts, kernels, fences.
 *
 * The file is mapped and written in place, so that NVML in another process sees what this one
 * holds, and a test reads how often each kernel was launched (tests/gpu_stand_in/log.py). */
#define _GNU_SOURCE
#include "stand_in.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_KERNELS 8192
#define MOST_FENCES 65536
#define SLOTS 65536 /* of the table from a name's address to its kernel; a power of 2 */

typedef struct {
    Counts counts;
    char rest[4096 - sizeof(Counts)];
    Kernel kernels[MOST_KERNELS];
    Fence fences[MOST_FENCES];
} Log;
static Log *own;
static struct {
    const char *address;
    Kernel *kernel;
} slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* When a process was started, in ticks of the kernel; 0 where there is none. Its number alone does
 * not name it: another process may have it by now. */
static int64_t start_of(int64_t pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    char *at = strrchr(text, ')');
    for (int i = 0; at && i < 20; i++) at = strchr(at + 1, ' ');
    return at ? atoll(at) : 0;
}

static void open_log(void) {
    char path[600];
    int64_t pid = getpid(), started = start_of(pid);
    n_visible(); /* the settings are read */
    snprintf(path, sizeof path, "%s/%ld-%ld.log", settings.folder, (long)pid, (long)started);
    int file = *settings.folder ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)
                                : memfd_create("stand-in", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof(Log))) {
        perror("gpu stand-in: its log");
        abort();
    }
    own = mmap(NULL, sizeof(Log), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (own == MAP_FAILED) abort();
    close(file);
    own->counts.started = started;
    own->counts.pid = pid;
}

Counts *counts(void) {
    pthread_once(&once, open_log);
    return &own->counts;
}

/* By the name itself: the same name may be at several addresses. */
static Kernel *added(const char *name) {
    Counts *all = counts();
    for (uint64_t i = 0; i < all->kernels; i++)
        if (!strncmp(own->kernels[i].name, name, sizeof own->kernels->name - 1))
            return &own->kernels[i];
    if (all->kernels == MOST_KERNELS) {
        fprintf(stderr, "gpu stand-in: more than %d kernels\n", MOST_KERNELS);
        abort();
    }
    Kernel *kernel = &own->kernels[all->kernels++];
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->cost_ns = (int64_t)(us_of_kernel(name) * 1e3);
    return kernel;
}

/* Names live as long as the process: a library's text, or a copy that is never freed. */
Kernel *kernel_named(const char *name) {
    counts();
    pthread_mutex_lock(&lock);
    size_t i = ((uintptr_t)name >> 3) * 0x9E3779B97F4A7C15UL >> 48 & (SLOTS - 1);
    while (slots[i].address && slots[i].address != name) i = (i + 1) & (SLOTS - 1);
    if (!slots[i].address) {
        slots[i].address = name;
        slots[i].kernel = added(name);
    }
    Kernel *kernel = slots[i].kernel;
    pthread_mutex_unlock(&lock);
    return kernel;
}

void log_fence(int device) {
    Counts *all = counts();
    uint64_t waits = __atomic_load_n(&all->waits, __ATOMIC_RELAXED);
    pthread_mutex_lock(&lock);
    if (all->fences < MOST_FENCES)
        own->fences[all->fences] = (Fence){now_ns(), all->launches, waits, all->busy_ns[device],
                                           all->idle_ns[device]};
    all->fences++;
    pthread_mutex_unlock(&lock);
}

int log_missing(const char *name) {
    static const char *told[256];
    static int n_told;
    pthread_mutex_lock(&lock);
    int known = 0;
    for (int i = 0; i < n_told && !known; i++) known = !strcmp(told[i], name);
    if (!known && n_told < 256) told[n_told++] = name;
    pthread_mutex_unlock(&lock);
    if (!known) fprintf(stderr, "gpu stand-in: %s is not implemented\n", name);
    return NOT_SUPPORTED;
}

int for_each_process(int (*see)(const Counts *, int alive, void *), void *to) {
    DIR *folder = *settings.folder ? opendir(settings.folder) : NULL;
    int found = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[900];
        Counts theirs;
        if (!strstr(entry->d_name, ".log")) continue;
        snprintf(path, sizeof path, "%s/%s", settings.folder, entry->d_name);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (pread(file, &theirs, sizeof theirs, 0) == sizeof theirs && theirs.pid > 0)
            found += see(&theirs, start_of(theirs.pid) == theirs.started, to);
        close(file);
    }
    if (folder) closedir(folder);
    return found;
}

static int has_lost(const Counts *theirs, int alive, void *to) {
    (void)alive, (void)to;
    return theirs->failed == DEVICE_LOST;
}

int is_lost(void) { return for_each_process(has_lost, NULL); }

int is_slow(uint64_t launches) {
    return settings.slow_launch && launches >= settings.slow_launch;
}

struct sum {
    int device;
    uint64_t bytes;
};

static int add_used(const Counts *theirs, int alive, void *to) {
    struct sum *sum = to;
    if (alive && theirs->pid != getpid()) sum->bytes += theirs->used[sum->device];
    return 1;
}

uint64_t used_by_others(int machine_number) {
    struct sum sum = {machine_number, 0};
    for_each_process(add_used, &sum);
    return sum.bytes;
}
