/* The clock of all devices is the host's own, so that what is waited for is real time. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <time.h>

#define SECOND 1000000000L
#define TOO_SHORT_TO_SLEEP 100000 /* ns: a sleep ends some 50 microseconds late */

int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

/* Sleeps, and spins at the end, as cudaDeviceScheduleAuto does throughout. */
void wait_until(int64_t ns) {
    for (int64_t left; (left = ns - now_ns()) > 0;) {
        if (left < TOO_SHORT_TO_SLEEP) continue;
        int64_t until = ns - TOO_SHORT_TO_SLEEP * 6 / 10;
        struct timespec time = {until / SECOND, until % SECOND};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    }
}
