/* known/called.c, with the compiler's calls: both functions have a region 0 of their own. */
#include "csi.h"

#include "../spin.h"

static const source_loc_t functions[] = {{"called", 7, 1, "known/called.c"}, {"main", 13, 1, "known/called.c"}};
static const source_loc_t detaches[] = {{0, 8, 5, "known/called.c"}, {0, 14, 5, "known/called.c"}};
CSI_UNIT(functions, detaches)

static void called(void) {
    ENTER(0, 1);
    SPAWN(0, 0, spin(8));
    spin(4);
    SYNC(0, 0);
    EXIT(0);
}

int main(void) {
    ENTER(1, 1);
    SPAWN(1, 0, spin(20));
    called();
    spin(6);
    SYNC(1, 0);
    EXIT(1);
    return 0;
}
