//! Programs in C that start threads and use no runtime.

use super::Native;
use crate::project::read_json;
use crate::threads::threads;

/// Starts a thread, and waits for its end.
const POSIX: &str = r#"
#include <pthread.h>

static void *count(void *sum) {
    for (unsigned i = 0; i < 20000000; ++i)
        *(volatile unsigned *)sum += i;
    return 0;
}

int main(void) {
    unsigned sums[2] = {0, 0};
    pthread_t thread;
    pthread_create(&thread, 0, count, &sums[0]);
    count(&sums[1]);
    pthread_join(thread, 0);
    return sums[0] != sums[1];
}
"#;

#[test]
fn threads_of_c_are_measured() {
    let Some(native) = Native::new() else { return };
    native.gcc(POSIX, "posix", "-g -pthread");
    native.run("--json profile.json ./posix").succeeds();
    let profile = read_json(&native.path("profile.json"));
    assert_eq!(threads(&profile)["on_work"]["count"], 1, "{profile}");
    assert_eq!(profile["program"]["runtimes"][0]["kind"], "threads");
}
