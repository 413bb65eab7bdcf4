/* A second worker calls the hooks too: what it runs is left out, and the first one's tasks stay what they are. */
#include "csi.h"

#include <pthread.h>
#include <stddef.h>

#include "../spin.h"

static const source_loc_t functions[] = {{"main", 20, 1, "workers.c"}};
static const source_loc_t detaches[] = {{0, 25, 5, "workers.c"}};
CSI_UNIT(functions, detaches)

static void *other_worker(void *unused) {
    SPAWN(0, 0, spin(1));
    SYNC(0, 0);
    return unused;
}

int main(void) {
    pthread_t other;
    ENTER(0, 1);
    SPAWN(0, 0, spin(20));
    if (pthread_create(&other, NULL, other_worker, NULL) != 0 || pthread_join(other, NULL) != 0)
        return 1;
    spin(20);
    SYNC(0, 0);
    EXIT(0);
    return 0;
}
