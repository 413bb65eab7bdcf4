/* known/fib.c, with the compiler's calls. */
#include "csi.h"

#include "../spin.h"

static const source_loc_t functions[] = {{"fib", 6, 1, "known/fib.c"}, {"main", 16, 1, "known/fib.c"}};
static const source_loc_t detaches[] = {{0, 10, 13, "known/fib.c"}};
CSI_UNIT(functions, detaches)

static int fib(int n) {
    ENTER(0, 1);
    spin(1);
    if (n < 2) {
        EXIT(0);
        return n;
    }
    int x, y;
    SPAWN(0, 0, x = fib(n - 1));
    y = fib(n - 2);
    SYNC(0, 0);
    EXIT(0);
    return x + y;
}

int main(void) { return fib(8) == 21 && (!__csirt_unit_init || csi_numbers_set) ? 0 : 1; }
