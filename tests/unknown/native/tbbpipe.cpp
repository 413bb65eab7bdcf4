// usage: tbbpipe bad|good [FRAMES]
// Video-like stream: read a frame, filter it, take features, log them.
#include <tbb/parallel_pipeline.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <memory>
#include <string>

struct Frame { int id; std::vector<float> px; double feat[4]; };
typedef std::shared_ptr<Frame> FrameP;
static const int W = 96;

static FrameP read_frame(int id)
{
    auto f = std::make_shared<Frame>();
    f->id = id;
    f->px.resize(W * W);
    uint32_t s = id * 2654435761u + 1;
    for (int i = 0; i < W * W; i += 16) {
        s = s * 1664525u + 1013904223u;
        for (int k = 0; k < 16; k++)
            f->px[i + k] = float((s >> k) & 255);
    }
    return f;
}

static FrameP denoise(FrameP f)
{
    std::vector<float> q(W * W);
    for (int pass = 0; pass < 14; pass++) {
        for (int y = 1; y < W - 1; y++)
            for (int x = 1; x < W - 1; x++) {
                const float *p = &f->px[y * W + x];
                q[y * W + x] = 0.5f * p[0] + 0.1f * (p[-1] + p[1] + p[-W] + p[W])
                             + 0.025f * (p[-W - 1] + p[-W + 1] + p[W - 1] + p[W + 1]);
            }
        f->px.swap(q);
    }
    return f;
}

static FrameP features(FrameP f)
{
    for (int k = 0; k < 4; k++) {
        double a = 0;
        for (int y = 0; y < W - 8; y++)
            for (int x = 0; x < W - 8; x++) {
                float d = f->px[y * W + x] - f->px[(y + 2 * k) * W + x + 8 - k];
                a += d * d;
            }
        f->feat[k] = a / (W * W);
    }
    return f;
}

int main(int argc, char **argv)
{
    std::string variant = argc > 1 ? argv[1] : "bad";
    int n = argc > 2 ? atoi(argv[2]) : 3000;
    const char *e = getenv("NTHREADS");
    int nt = e ? atoi(e) : tbb::info::default_concurrency();
    tbb::global_control gc(tbb::global_control::max_allowed_parallelism, nt);
    auto mode = variant == "good" ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order;
    int next = 0;
    double log[4] = {0, 0, 0, 0};

    tbb::parallel_pipeline(4 * nt,
        tbb::make_filter<void, FrameP>(tbb::filter_mode::serial_in_order,
            [&](tbb::flow_control &fc) -> FrameP {
                if (next == n) { fc.stop(); return nullptr; }
                return read_frame(next++);
            }) &
        tbb::make_filter<FrameP, FrameP>(mode,  //@ here
            [](FrameP f) { return denoise(f); }) &  //@ here
        tbb::make_filter<FrameP, FrameP>(mode,
            [](FrameP f) { return features(f); }) &
        tbb::make_filter<FrameP, void>(tbb::filter_mode::serial_in_order,
            [&](FrameP f) {
                for (int k = 0; k < 4; k++)
                    log[k] = 0.99 * log[k] + 0.01 * f->feat[k];
            }));
    printf("%.6f %.6f %.6f %.6f\n", log[0], log[1], log[2], log[3]);
}
