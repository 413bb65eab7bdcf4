// After https://github.com/uxlfoundation/oneTBB/issues/1911 (a video stream through flow::graph:
// preprocess -> inference -> postprocess). The postprocess node keeps a track: serial.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <oneapi/tbb/flow_graph.h>

namespace flow = oneapi::tbb::flow;

static double burn(double x, int steps) {
    for (int i = 0; i < steps; i++)
        x = std::sin(x * 1.7 + i) + 1.1;
    return x;
}

struct Frame {
    int id;
    double data;
};

int main(int argc, char **argv) {
    bool fixed = argc > 1 && std::strcmp(argv[1], "fixed") == 0;
    double track = 0;
    int next = 0;
    const int frames = 600;
    flow::graph g;
    flow::input_node<Frame> camera(g, [&](oneapi::tbb::flow_control &fc) -> Frame {
        if (next == frames) {
            fc.stop();
            return {};
        }
        next++;
        return {next, next * 0.01};
    });
    flow::function_node<Frame, Frame> preprocess(g, flow::unlimited, [](Frame f) {
        f.data = burn(f.data, 10000);
        return f;
    });
    flow::function_node<Frame, Frame> inference(g, flow::unlimited, [&](Frame f) {
        f.data = burn(f.data, fixed ? 119500 : 90000);
        return f;
    });
    flow::function_node<Frame> postprocess(g, flow::serial, [&](Frame f) {
        track = track * 0.5 + burn(f.data, fixed ? 500 : 30000);
    });
    flow::limiter_node<Frame> limit(g, frames);
    flow::make_edge(camera, limit);
    flow::make_edge(limit, preprocess);
    flow::make_edge(preprocess, inference);
    flow::make_edge(inference, postprocess);
    camera.activate();
    g.wait_for_all();
    std::printf("%s\n", std::isfinite(track) ? "tracked" : "lost");
}
