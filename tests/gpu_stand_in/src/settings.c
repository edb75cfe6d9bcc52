/* What this machine is: the file that GPU_STAND_IN names, a line for each setting.
 *
 *   devices a100-40gb h100      what is in the machine, in the order of its bus
 *   memory_mib 1024             of every device, instead of its own
 *   mig 1g.5gb                  the devices are divided: one instance each, of that profile
 *   driver 580.82.07 13000      its version, and the CUDA that it has
 *   kernel_us 5                 what a kernel takes ...
 *   kernel_us_of *gemm* 50      ... and one whose name fits a pattern (the last that fits counts)
 *   block_ns 10                 what each block of a grid takes more
 *   copy_gb_s 20, memset_gb_s 1500
 *   fault 1000 700              after the 1000th launch the device has error 700, for good
 *   fault 1000 999              ... it is lost: for NVML and for later processes, too
 *   fault 1000 2                ... it has no more memory for this process
 *   slow 1000 0.5               after the 1000th launch clocks fall to half, and say so
 *   clock host                  what is waited for is real time; "stands": but where it is waited
 *   folder /tmp/x               where each process leaves its log
 */
#define _GNU_SOURCE
#include "stand_in.h"

#include <ctype.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PATTERNS 64
#define GIB ((size_t)1 << 30)

Settings settings;
static struct {
    char pattern[200];
    double us;
} patterns[MOST_PATTERNS];
static int n_patterns;
static int seen[MOST_DEVICES], n_seen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* NVIDIA's data sheets and the tables of compute capabilities in the CUDA programming guide. */
static const struct {
    const char *word;
    Device device;
} known[] = {
    {"a100-40gb",
     {.model = "NVIDIA A100-SXM4-40GB (stand-in)", .bytes = 40 * GIB, .major = 8, .minor = 0,
      .processors = 108, .clock_mhz = 1410, .memory_clock_mhz = 1215, .bus_bits = 5120,
      .l2_bytes = 40 << 20, .shared_bytes = 164 << 10, .power_limit_w = 400}},
    {"a100-80gb",
     {.model = "NVIDIA A100-SXM4-80GB (stand-in)", .bytes = 80 * GIB, .major = 8, .minor = 0,
      .processors = 108, .clock_mhz = 1410, .memory_clock_mhz = 1593, .bus_bits = 5120,
      .l2_bytes = 40 << 20, .shared_bytes = 164 << 10, .power_limit_w = 400}},
    {"h100",
     {.model = "NVIDIA H100 80GB HBM3 (stand-in)", .bytes = 80 * GIB, .major = 9, .minor = 0,
      .processors = 132, .clock_mhz = 1980, .memory_clock_mhz = 2619, .bus_bits = 5120,
      .l2_bytes = 50 << 20, .shared_bytes = 228 << 10, .power_limit_w = 700}},
};

static void stop(const char *line) {
    fprintf(stderr, "gpu stand-in: %s: not understood: %s\n", getenv("GPU_STAND_IN"), line);
    abort();
}

static void add_device(const char *word) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(word, known[i].word) || settings.n_devices == MOST_DEVICES) continue;
        Device *device = &settings.devices[settings.n_devices];
        *device = known[i].device;
        snprintf(device->uuid, sizeof device->uuid, "GPU-5374616e-642d-696e-0000-%012d",
                 settings.n_devices);
        snprintf(device->part_uuid, sizeof device->part_uuid, "MIG-5374616e-642d-696e-0001-%012d",
                 settings.n_devices);
        device->whole_bytes = device->bytes;
        settings.n_devices++;
        return;
    }
    stop(word);
}

/* 1g.5gb: a seventh of the multiprocessors and 5 GB. */
static void divide(const char *profile) {
    int parts = 0, gib = 0;
    if (sscanf(profile, "%dg.%dgb", &parts, &gib) != 2) stop(profile);
    for (int i = 0; i < settings.n_devices; i++) {
        Device *device = &settings.devices[i];
        snprintf(device->profile, sizeof device->profile, "%s", profile);
        device->bytes = gib * GIB;
        device->processors = 14 * parts;
    }
}

static void set_size(double mib) {
    for (int i = 0; i < settings.n_devices; i++)
        settings.devices[i].bytes = settings.devices[i].whole_bytes = (size_t)mib << 20;
}

static void understand(char *line) {
    char *rest = NULL, *key = strtok_r(line, " \t\n", &rest), *more = NULL;
    if (!key || *key == '#') return;
    char *value = strtok_r(NULL, " \t\n", &rest), *second = strtok_r(NULL, " \t\n", &rest);
    if (!value) stop(key);
    double number = strtod(value, &more);
    if (!strcmp(key, "devices")) {
        add_device(value);
        for (; second; second = strtok_r(NULL, " \t\n", &rest)) add_device(second);
    } else if (!strcmp(key, "mig")) divide(value);
    else if (!strcmp(key, "folder")) snprintf(settings.folder, sizeof settings.folder, "%s", value);
    else if (!strcmp(key, "clock")) settings.clock_stands = !strcmp(value, "stands");
    else if (!strcmp(key, "driver") && second) {
        snprintf(settings.driver, sizeof settings.driver, "%s", value);
        settings.cuda = atoi(second);
    } else if (!strcmp(key, "kernel_us_of") && second && n_patterns < MOST_PATTERNS) {
        snprintf(patterns[n_patterns].pattern, sizeof patterns->pattern, "%s", value);
        patterns[n_patterns++].us = atof(second);
    } else if (*more) stop(key);
    else if (!strcmp(key, "memory_mib")) set_size(number);
    else if (!strcmp(key, "kernel_us")) settings.kernel_us = number;
    else if (!strcmp(key, "block_ns")) settings.block_ns = number;
    else if (!strcmp(key, "copy_gb_s")) settings.copy_gb_s = number;
    else if (!strcmp(key, "memset_gb_s")) settings.memset_gb_s = number;
    else if (!strcmp(key, "fault") && second) {
        settings.fault_launch = (uint64_t)number;
        settings.fault_code = atoi(second);
    } else if (!strcmp(key, "slow") && second) {
        settings.slow_launch = (uint64_t)number;
        settings.slow_to = atof(second);
    } else stop(key);
}

/* The number that CUDA_VISIBLE_DEVICES means by a word: an index, or the start of a UUID. */
static int called(const char *word) {
    if (isdigit((unsigned char)*word)) {
        int number = atoi(word);
        return number < settings.n_devices ? number : -1;
    }
    for (int i = 0; i < settings.n_devices && strlen(word) > 3; i++) {
        Device *device = &settings.devices[i];
        if (!strncmp(device->uuid, word, strlen(word))) return i;
        if (*device->profile && !strncmp(device->part_uuid, word, strlen(word))) return i;
    }
    return -1;
}

/* CUDA programming guide: devices after an invalid entry of the list are not visible. */
static void look(void) {
    const char *listed = getenv("CUDA_VISIBLE_DEVICES");
    if (is_lost()) return;
    if (!listed) {
        for (n_seen = 0; n_seen < settings.n_devices; n_seen++) seen[n_seen] = n_seen;
        return;
    }
    char *copy = strdup(listed), *rest = NULL;
    for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        int number = called(word);
        if (number < 0 || n_seen == MOST_DEVICES) break;
        seen[n_seen++] = number;
    }
    free(copy);
}

static void read_settings(void) {
    settings = (Settings){.cuda = 13000, .kernel_us = 5, .driver = "580.82.07"};
    const char *path = getenv("GPU_STAND_IN");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) {
        fprintf(stderr, "gpu stand-in: GPU_STAND_IN does not name a file that can be read\n");
        abort();
    }
    for (char line[1024]; fgets(line, sizeof line, file);) understand(line);
    fclose(file);
    if (!settings.n_devices && !n_patterns && !*settings.folder) stop("it is empty");
    look();
}

__attribute__((constructor)) static void begin(void) {
    pthread_once(&once, read_settings);
}

int n_visible(void) {
    pthread_once(&once, read_settings);
    return n_seen;
}

const Device *visible_device(int number) {
    return number >= 0 && number < n_visible() ? &settings.devices[seen[number]] : NULL;
}

double us_of_kernel(const char *name) {
    double us = settings.kernel_us;
    for (int i = 0; i < n_patterns; i++)
        if (!fnmatch(patterns[i].pattern, name, 0)) us = patterns[i].us;
    return us;
}
