/* known/loop.c as the compiler cuts it: halves, of which it spawns the first. */
#include "csi.h"

#include "../spin.h"

static const source_loc_t functions[] = {{"main", 6, 1, "known/loop.c"}, {"main.loop", 8, 5, "known/loop.c"}};
static const source_loc_t detaches[] = {{0, 8, 5, "known/loop.c"}};
CSI_UNIT(functions, detaches)

static int ran[16];

static void part(int from, int to) {
    ENTER(1, 1);
    while (to - from > 1) {
        int middle = from + (to - from) / 2;
        SPAWN(0, 0, part(from, middle));
        from = middle;
    }
    spin(10);
    ran[from] = 1;
    SYNC(0, 0);
    EXIT(1);
}

int main(void) {
    int sum = 0;
    part(0, 16);
    for (int i = 0; i < 16; ++i)
        sum += ran[i];
    return sum == 16 ? 0 : 1;
}
