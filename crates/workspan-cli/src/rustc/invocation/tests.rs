use super::*;

const CARGO_CALL: &str = "--crate-name rayon_core --edition=2021 src/lib.rs --error-format=json \
    --json=diagnostic-rendered-ansi,artifacts --crate-type lib \
    --emit=dep-info,metadata,link -C opt-level=3 -C embed-bitcode=no -C metadata=0a \
    -C extra-filename=-0b --out-dir /t/deps -C strip=debuginfo -L dependency=/t/deps \
    --extern crossbeam_deque=/t/deps/libcrossbeam_deque-1.rmeta --cap-lints allow -Cdebuginfo=0";

#[test]
fn a_call_of_cargo_is_parsed() {
    let call = parse(CARGO_CALL).unwrap();
    assert!(call.is_rayon_core());
    assert_eq!(call.codegen("extra-filename"), Some("-0b"));
    assert_eq!(call.codegen("debuginfo"), Some("0"));
    assert_eq!(call.out_dir(), Some("/t/deps".into()));
    assert!(call.emits("link") && call.emits("metadata") && !call.emits("obj"));
}

#[test]
fn arguments_keep_their_order() {
    let text = "--crate-name a src/lib.rs -C lto -L x --test";
    let call = parse(text).unwrap();
    assert_eq!(texts(call.to_arguments()).join(" "), text);
}

#[test]
fn queries_are_not_parsed() {
    assert!(parse("- --crate-name ___ --print=file-names --crate-type bin").is_none());
    assert!(parse("--print cfg").is_none());
    assert!(parse("-vV").is_none());
    assert!(parse("--crate-name a src/lib.rs --print=sysroot").is_none());
}

#[test]
fn the_unit_tests_of_rayon_core_are_not_its_library() {
    assert!(
        !parse("--crate-name rayon_core src/lib.rs --test")
            .unwrap()
            .is_rayon_core()
    );
}

#[test]
fn settings_are_found_with_underscores_and_without_a_value() {
    let call = parse("--crate-name a src/lib.rs -C split_debuginfo=packed -g").unwrap();
    assert_eq!(call.codegen("split-debuginfo"), Some("packed"));
    assert_eq!(call.codegen("debuginfo"), Some("2"));
}

#[test]
fn removed_settings_are_gone() {
    let mut call = parse(CARGO_CALL).unwrap();
    call.remove_codegen("strip");
    call.remove("--json");
    assert_eq!(call.codegen("strip"), None);
    assert!(call.values("--json").next().is_none());
    assert_eq!(call.codegen("opt-level"), Some("3"));
}
