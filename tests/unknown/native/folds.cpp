// usage: folds bad|share|good [EXAMPLES]
// Cross validation of a linear SVM: three folds, a grid of cost weights in
// each; then all examples are scored with the best model of their fold.
// share: the models that are trained at the same time lie side by side.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <cmath>
#include <algorithm>

static const int F = 24, NFOLD = 3, NGRID = 42;

struct Example { float x[F]; float y; int fold; };

// Inlined, so that compilers know of each variant whether others see w.
static inline __attribute__((always_inline)) double train(const std::vector<Example> &data, int fold, int grid,
                    int epochs, float *w)
{
    float cpos = 0.1f + 0.05f * (grid % 7), cneg = 0.2f + 0.1f * (grid / 7);
    std::fill(w, w + F, 0.f);
    for (int e = 0; e < epochs; e++) {
        float eta = 0.02f / (1 + e);
        for (const Example &ex : data) {
            if (ex.fold == fold)
                continue;
            float m = 0;
            for (int f = 0; f < F; f++)
                m += w[f] * ex.x[f];
            if (m * ex.y < 1) {
                float g = eta * ex.y * (ex.y > 0 ? cpos : cneg);
                for (int f = 0; f < F; f++)
                    w[f] += g * ex.x[f];
            }
        }
    }
    int ok = 0, n = 0;
    for (const Example &ex : data) {
        if (ex.fold != fold)
            continue;
        float m = 0;
        for (int f = 0; f < F; f++)
            m += w[f] * ex.x[f];
        ok += m * ex.y > 0;
        n++;
    }
    return double(ok) / n;
}

static double score(const Example &ex, const float (*best)[F])
{
    double m = 0;
    for (int f = 0; f < F; f++)
        m += best[ex.fold][f] * ex.x[f];
    for (int k = 0; k < 60; k++)            // calibrate the score
        m = m - 0.3 * (std::tanh(m) - 0.1 * ex.y);
    return m;
}

int main(int argc, char **argv)
{
    std::string variant = argc > 1 ? argv[1] : "bad";
    int n = argc > 2 ? atoi(argv[2]) : 30000;
    std::vector<Example> data(n);
    unsigned s = 1;
    for (int i = 0; i < n; i++) {
        data[i].fold = i % NFOLD;
        data[i].y = i & 1 ? 1.f : -1.f;
        for (int f = 0; f < F; f++) {
            s = s * 1664525u + 1013904223u;
            data[i].x[f] = (s >> 8) * (1.f / 16777216) - .5f + data[i].y * 0.02f * f / F;
        }
    }
    float best[NFOLD][F];
    double acc[NFOLD] = {-1, -1, -1};
    auto keep = [&](int fold, double a, const float *w) {
        if (a > acc[fold]) {
            acc[fold] = a;
            std::copy(w, w + F, best[fold]);
        }
    };
    static float ws[NFOLD * NGRID][F];
    double as[NFOLD * NGRID];
    std::vector<double> scores(n);

    if (variant == "bad") {
        #pragma omp parallel for  //@ here
        for (int fold = 0; fold < NFOLD; fold++)
            for (int g = 0; g < NGRID; g++) {
                float w[F];
                double a = train(data, fold, g, 8, w);
                keep(fold, a, w);
            }
        for (int i = 0; i < n; i++)
            scores[i] = score(data[i], best);
    } else {
        if (variant == "share") {
            #pragma omp parallel for collapse(2) schedule(dynamic, 1)
            for (int fold = 0; fold < NFOLD; fold++)
                for (int g = 0; g < NGRID; g++)
                    as[fold * NGRID + g] = train(data, fold, g, 8, ws[fold * NGRID + g]);
        } else {
            #pragma omp parallel for collapse(2) schedule(dynamic, 1)
            for (int fold = 0; fold < NFOLD; fold++)
                for (int g = 0; g < NGRID; g++) {
                    float w[F];
                    as[fold * NGRID + g] = train(data, fold, g, 8, w);
                    std::copy(w, w + F, ws[fold * NGRID + g]);
                }
        }
        for (int fold = 0; fold < NFOLD; fold++)
            for (int g = 0; g < NGRID; g++)
                keep(fold, as[fold * NGRID + g], ws[fold * NGRID + g]);
        #pragma omp parallel for schedule(static)
        for (int i = 0; i < n; i++)
            scores[i] = score(data[i], best);
    }
    std::sort(scores.begin(), scores.end());
    printf("%.4f %.4f %.4f median %.6f\n", acc[0], acc[1], acc[2], scores[n / 2]);
}
