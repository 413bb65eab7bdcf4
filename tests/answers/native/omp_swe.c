/* Shallow water: per time step the fluxes and the maximal wave speed, then the update. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1024
#define STEPS 110

static float h[N][N], hu[N][N], dh[N][N], dhu[N][N];

static float edge_flux(float hl, float hr, float ul, float ur, float *flux)
{
    float cl = sqrtf(9.81f * hl), cr = sqrtf(9.81f * hr);
    float speed = fmaxf(fabsf(ul / hl) + cl, fabsf(ur / hr) + cr);
    float roe = (ul * sqrtf(hl) + ur * sqrtf(hr)) / (sqrtf(hl) + sqrtf(hr));
    *flux = 0.5f * (ul + ur) - 0.5f * speed * (hr - hl) + 1e-6f * atan2f(roe, cl);
    return speed;
}

int main(void)
{
    float t = 0.0f;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            h[i][j] = (i - N / 2) * (i - N / 2) + (j - N / 2) * (j - N / 2) < 10000 ? 2.0f : 1.0f;
    for (int step = 0; step < STEPS; step++) {
        float max_speed = 0.0f;
#pragma omp parallel
        {
            float my_max = 0.0f;
#pragma omp for nowait
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    int r = (j + 1) % N;
                    float speed = edge_flux(h[i][j], h[i][r], hu[i][j], hu[i][r], &dh[i][j]);
                    dhu[i][j] = 4.9f * (h[i][r] * h[i][r] - h[i][j] * h[i][j]);
                    my_max = fmaxf(my_max, speed);
                }
#pragma omp critical
            if (my_max > max_speed)
                max_speed = my_max;
        }
        float dt = 0.2f / max_speed;
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                int l = (j + N - 1) % N;
                h[i][j] = fmaxf(0.1f, h[i][j] - dt * (dh[i][j] - dh[i][l]));
                hu[i][j] -= dt * 0.5f * (dhu[i][j] + dhu[i][l]);
            }
        t += dt;
    }
    printf("t = %.5f, h = %.4f\n", t, h[N / 2][N / 2 + 50]);
    return 0;
}
