/* Copyright 2026 The kane_dynamics authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The system clock of one process, set back or forward: LD_PRELOAD with the path of a file of 8
 * bytes in KANE_CLOCK, the offset [ns] of CLOCK_REALTIME. The monotonic clock stays as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static int (*real)(clockid_t, struct timespec *);
static const volatile int64_t *offset;

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("KANE_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (file >= 0) {
        void *at = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
        if (at != MAP_FAILED)
            offset = at;
    }
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!real)
        start();
    int result = real(clock, time);
    if (result == 0 && offset && clock == CLOCK_REALTIME) {
        int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec + *offset;
        time->tv_sec = ns / 1000000000;
        time->tv_nsec = ns % 1000000000;
    }
    return result;
}
