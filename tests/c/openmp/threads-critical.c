/* Threads of the program's own at a critical section: the first of them, which is the first to use the runtime, has
 * ended when the second comes there.
 *
 * work 4 4 4
 * span 4 4 4
 */
#include <pthread.h>

#include "spin.h"

static void *enter(void *times) {
    for (int i = 0; i < *(int *)times; i++) {
#pragma omp critical
        spin(1);
    }
    return 0;
}

int main(void) {
    int times[] = {1, 3};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, enter, &times[i]);
        pthread_join(thread, 0);
    }
    return 0;
}
