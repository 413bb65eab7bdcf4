/* Two places: a diamond, which no nesting of forks and joins has. b and c follow a; d follows b alone; e follows c alone;
 * f follows d and e.
 *
 * work 13 13 13
 * span 9 9 9
 */
#include "spin.h"

int main(void) {
    int a = 0, b = 0, c = 0, d = 0, e = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : a)
        spin(2);
#pragma omp task depend(in : a) depend(out : b)
        spin(1);
#pragma omp task depend(in : a) depend(out : c)
        spin(3);
#pragma omp task depend(in : b) depend(out : d)
        spin(3);
#pragma omp task depend(in : c) depend(out : e)
        spin(2);
#pragma omp task depend(in : d, e)
        spin(2);
    }
    return a + b + c + d + e;
}
