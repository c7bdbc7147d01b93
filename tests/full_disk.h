/* A disk that is full after some bytes. */
#ifndef OLO_TEST_FULL_DISK_H
#define OLO_TEST_FULL_DISK_H

#include <signal.h>
#include <sys/resource.h>

/* Lets files grow to `bytes` only, as if the disk were full then. */
static inline void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

#endif
