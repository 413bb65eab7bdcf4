/* Keywords in macros: cilk2c treats the file once it is preprocessed. */
#include <cilk/cilk.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SPAWN cilk_spawn
#define EACH(i, n) cilk_for (int i = 0; i < (n); ++i)

static int twice(int x) { return 2 * x; }

int main(void) {
    int x, values[4], sum = 0;
    x = SPAWN twice(3);
    cilk_sync;
    EACH(i, 4)
        values[i] = i;
    for (int i = 0; i < 4; ++i)
        sum += values[i];
    printf("macros: %d %d\n", x, sum);
    return x == 6 && sum == 6 ? 0 : 1;
}
