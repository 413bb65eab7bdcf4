//! Gives the library the name by which programs that are linked with it find the one that is loaded already.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libworkspan.so");
}
