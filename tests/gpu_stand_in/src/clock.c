/* The clock of all devices is the host's own, so that what is waited for is real time; or one that
 * stands still but where the host waits for a device, and so is the same on any processor. */
#define _GNU_SOURCE
#include "streams.h"

#include <time.h>

#define SECOND 1000000000L
#define TOO_SHORT_TO_SLEEP 100000 /* ns: a sleep ends some 50 microseconds late */

static int64_t stands_at_ns = SECOND;

int64_t now_ns(void) {
    struct timespec time;
    if (settings.clock_stands) return __atomic_load_n(&stands_at_ns, __ATOMIC_SEQ_CST);
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

void move_clock(int64_t ns) {
    if (ns > stands_at_ns) __atomic_store_n(&stands_at_ns, ns, __ATOMIC_SEQ_CST);
}

/* Sleeps, and spins at the end, as cudaDeviceScheduleAuto does throughout. */
void wait_until(int64_t ns) {
    for (int64_t left; (left = ns - now_ns()) > 0;) {
        if (settings.clock_stands) {
            pass_until(ns);
            continue;
        }
        if (left < TOO_SHORT_TO_SLEEP) continue;
        int64_t until = ns - TOO_SHORT_TO_SLEEP * 6 / 10;
        struct timespec time = {until / SECOND, until % SECOND};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    }
}
