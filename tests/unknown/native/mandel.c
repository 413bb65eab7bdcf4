/* usage: mandel ok [ROWS]
 * Mandelbrot rows, very uneven, dealt out dynamically. */
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int h = argc > 2 ? atoi(argv[2]) : 1400, w = 800;
    long total = 0;
    #pragma omp parallel for schedule(dynamic, 1) reduction(+:total)
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            double cr = -2.0 + 3.0 * x / w, ci = -1.2 + 2.4 * y / h, a = 0, b = 0;
            int k = 0;
            while (k < 700 && a * a + b * b < 4) {
                double t = a * a - b * b + cr;
                b = 2 * a * b + ci;
                a = t;
                k++;
            }
            total += k;
        }
    }
    printf("%ld\n", total);
    return 0;
}
