//! In the workspace, where no wrapper says so: the real rayon-core is a recent one.

fn main() {
    println!("cargo:rustc-check-cfg=cfg(workspan_rayon_core_1_12)");
    println!("cargo:rustc-cfg=workspan_rayon_core_1_12");
    println!("cargo:rerun-if-changed=build.rs");
}
