/* A library that the user has loaded before all others: it stands in for a call of the C library. */
#include <unistd.h>

pid_t getppid(void) {
    return 4242;
}
