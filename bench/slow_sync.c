// Preloaded library that delays every sync by SLOW_SYNC_US microseconds, to simulate a slower disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int slow(const char *name, int fd) {
    const char *delay = getenv("SLOW_SYNC_US");
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (delay) usleep((useconds_t)atoi(delay));
    return sync(fd);
}

int fdatasync(int fd) { return slow("fdatasync", fd); }
int fsync(int fd) { return slow("fsync", fd); }
