/* A histogram that all threads count in, under one lock: half of the work is done by one thread after the other, and no number
 * of cores makes it more than twice as fast. Its repaired form is lock-histogram-private.c.
 *
 * work 8 8 8
 * span 8 4 1
 * lock 22: 4 4 4
 * serialises 22
 */
#include "spin.h"

#define ITEMS 16
#define BINS 4

static int bins[BINS];

int main(void) {
    int sum = 0;
#pragma omp parallel for schedule(static)
    for (int item = 0; item < ITEMS; item++) {
        spin(0.25);
        const int bin = item % BINS;
#pragma omp critical(histogram)
        {
            spin(0.25);
            bins[bin]++;
        }
    }
    for (int bin = 0; bin < BINS; bin++)
        sum += bins[bin];
    return sum != ITEMS;
}
