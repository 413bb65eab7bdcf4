/* 16 iterations of 10 ms, in halves down to one. */
#include <cilk/cilk.h>

#include "../spin.h"

int main(void) {
    int ran[16] = {0}, sum = 0;
    cilk_for (int i = 0; i < 16; ++i) {
        spin(10);
        ran[i] = 1;
    }
    for (int i = 0; i < 16; ++i)
        sum += ran[i];
    return sum == 16 ? 0 : 1;
}
