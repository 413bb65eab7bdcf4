/* known/regions.c, with the compiler's calls: the function's region is 0, the scope's is 1. */
#include "csi.h"

#include "../spin.h"

static const source_loc_t functions[] = {{"main", 7, 1, "known/regions.c"}};
static const source_loc_t detaches[] = {{0, 8, 5, "known/regions.c"}, {0, 9, 18, "known/regions.c"}};
CSI_UNIT(functions, detaches)

int main(void) {
    ENTER(0, 2);
    SPAWN(0, 0, spin(20));
    SPAWN(1, 1, spin(8));
    SYNC(1, 1);
    spin(6);
    SYNC(0, 0);
    EXIT(0);
    return 0;
}
