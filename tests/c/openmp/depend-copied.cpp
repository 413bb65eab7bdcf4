/* C++: `if(0)` with a dependence, and an object whose copy takes a unit. The copy is work of the parent, waiting is none.
 * For code of gcc, libomp 14 tells of the copy as part of the wait.
 *
 * work 4 4 4
 * work gcc: 3..4 3..4 3..4
 * work gcc libgomp: 4 4 4
 * span 3 3 3
 */
#include "spin.h"

struct Copied {
    Copied() {}
    Copied(const Copied &) { spin(1); }
    void use() const {}
};

int main() {
    int x = 0, later = 0;
#pragma omp parallel
#pragma omp single
    {
        Copied copied;
#pragma omp task depend(out : x)
        spin(2);
#pragma omp task if (later) depend(in : x) firstprivate(copied)
        {
            copied.use();
            spin(1);
        }
    }
    return x;
}
