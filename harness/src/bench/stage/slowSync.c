/* Loaded before a program (LD_PRELOAD): every sync to disk takes DELAY_US longer, in the calling thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <time.h>

static int sync_late(const char *name, int fd)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    struct timespec left = {DELAY_US / 1000000, DELAY_US % 1000000 * 1000};

    /* A signal must not make it shorter. */
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
    return real(fd);
}

int fsync(int fd) { return sync_late("fsync", fd); }

int fdatasync(int fd) { return sync_late("fdatasync", fd); }
