/* Torque on every flux surface: a sum over the bounce harmonics ell, which are done in parallel. */
#include <math.h>
#include <stdio.h>

#define MPSI 260
#define NL 3

static double resonance(int ell, double psi)
{
    double sum = 0.0;
    int points = 30000 + 9000 * (ell < 0 ? -ell : ell);
    for (int k = 1; k <= points; k++) {
        double energy = k * 1e-4;
        sum += exp(-energy) * energy / (1.0 + (ell * psi - energy) * (ell * psi - energy));
    }
    return sum;
}

int main(void)
{
    double profile[MPSI], total = 0.0;
    for (int ipsi = 0; ipsi < MPSI; ipsi++) {
        double psi = (ipsi + 0.5) / MPSI, torque = 0.0;
#pragma omp parallel for reduction(+ : torque) //@ here
        for (int ell = -NL; ell <= NL; ell++)
            torque += resonance(ell, psi); //@ here
        profile[ipsi] = torque;
    }
    for (int ipsi = 0; ipsi < MPSI; ipsi++)
        total += profile[ipsi];
    printf("total torque %.6e\n", total);
    return 0;
}
