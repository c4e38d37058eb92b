/* Syncs that take longer, for whatever process has this preloaded: as on a disk that needs so many microseconds.
   Both what is measured and what it is compared with wait alike, where they really sync. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void) {
    const char *given = getenv("SYNC_MICROSECONDS");
    long microseconds = given ? atol(given) : 0;
    struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
    while (microseconds > 0 && nanosleep(&left, &left) != 0) {
    }
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_for_disk();
    return real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_for_disk();
    return real(file);
}
