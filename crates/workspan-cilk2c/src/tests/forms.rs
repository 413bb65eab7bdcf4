//! What becomes of each form of Cilk's constructs.

use super::{Language, body, body_in, short};

#[test]
fn a_spawned_call_is_a_task() {
    assert_eq!(
        body("cilk_spawn f(a);"),
        "{ SPAWN(task_1, frame_0); f(a); }"
    );
    assert_eq!(
        body("_Cilk_spawn f(a);"),
        "{ SPAWN(task_1, frame_0); f(a); }"
    );
}

#[test]
fn a_spawned_value_is_assigned_in_the_task() {
    assert_eq!(
        body("x = cilk_spawn f(a);"),
        "{ SPAWN(task_1, frame_0); x =  f(a); }"
    );
    assert_eq!(
        body("x += cilk_spawn f();"),
        "{ SPAWN(task_1, frame_0); x +=  f(); }"
    );
    assert_eq!(
        body("*p[i]->x >>= cilk_spawn f();"),
        "{ SPAWN(task_1, frame_0); *p[i]->x >>=  f(); }"
    );
    assert_eq!(
        body("(*p).x = cilk_spawn f();"),
        "{ SPAWN(task_1, frame_0); (*p).x =  f(); }"
    );
    assert_eq!(
        body("at(i) = cilk_spawn f();"),
        "{ SPAWN(task_1, frame_0); at(i) =  f(); }"
    );
}

#[test]
fn a_declared_value_stays_in_its_block() {
    let declarations = [
        "int x",
        "const T *x",
        "auto x",
        "struct s x",
        "T &x",
        "auto &&x",
        "a::b<c, d> x",
        "unsigned long x",
        "__typeof__(y) x",
        "T *x",
    ];
    for declaration in declarations {
        assert_eq!(
            body(&format!("{declaration} = cilk_spawn f();")),
            format!("SPAWN(task_1, frame_0); {declaration} =  f(); cilk_end(&task_1);")
        );
    }
}

#[test]
fn callees_may_be_members_templates_pointers_and_lambdas() {
    let callees = [
        "o.f",
        "p->f",
        "a::b::f",
        "::f",
        "f<int>",
        "o.template f<a, b>",
        "(*f)",
        "t[i]",
        "f(1)",
        "this->f",
    ];
    for callee in callees {
        assert_eq!(
            body(&format!("x = cilk_spawn {callee}(a);")),
            format!("{{ SPAWN(task_1, frame_0); x =  {callee}(a); }}")
        );
    }
    assert_eq!(
        body("cilk_spawn [&](int i) -> int { return g(i); }(3);"),
        "{ SPAWN(task_1, frame_0); [&](int i) -> int { return g(i); }(3); }"
    );
}

#[test]
fn spawns_in_a_spawned_lambda_are_of_its_own_frame() {
    assert_eq!(
        body("cilk_spawn [&] { cilk_spawn f(); g(); }();"),
        "{ SPAWN(task_1, frame_0); [&] { FRAME(frame_1); { SPAWN(task_2, frame_1); f(); } g(); }(); }"
    );
}

#[test]
fn a_statement_without_braces_gets_some() {
    assert_eq!(
        body("if (c) cilk_spawn f(); else x = cilk_spawn g();"),
        "if (c) { SPAWN(task_1, frame_0); f(); } else { SPAWN(task_2, frame_0); x =  g(); }"
    );
    assert_eq!(
        body("while (c) cilk_sync;"),
        "while (c) cilk_sync(&frame_0);"
    );
    assert_eq!(
        body("for (;;) switch (c) { case 1: cilk_spawn f(); default: break; }"),
        "for (;;) switch (c) { case 1: { SPAWN(task_1, frame_0); f(); } default: break; }"
    );
    assert_eq!(
        body("do cilk_spawn f(); while (c);"),
        "do { SPAWN(task_1, frame_0); f(); } while (c);"
    );
    assert_eq!(
        body("again: cilk_spawn f();"),
        "again: { SPAWN(task_1, frame_0); f(); }"
    );
    assert_eq!(
        body("[[likely]] cilk_spawn f();"),
        "[[likely]] { SPAWN(task_1, frame_0); f(); }"
    );
}

#[test]
fn a_spawned_block_awaits_what_it_spawns() {
    assert_eq!(
        body("cilk_spawn { f(); cilk_spawn g(); }"),
        "{ SPAWN(task_1, frame_0); FRAME(frame_1); { f(); { SPAWN(task_2, frame_1); g(); } } }"
    );
}

#[test]
fn a_loop_has_a_piece_for_each_iteration() {
    assert_eq!(
        body("cilk_for (int i = 0; i < n; ++i) f(i);"),
        "{ LOOP(loop_1, (1)); for (int i = 0; i < n; ++i) { PIECE(loop_1, piece_1); f(i); } }"
    );
    assert_eq!(
        body("cilk_for (int i = 0; i < n; ++i) { cilk_spawn f(i); }"),
        "{ LOOP(loop_1, (1)); for (int i = 0; i < n; ++i) { PIECE(loop_1, piece_1); FRAME(frame_1); \
         { { SPAWN(task_2, frame_1); f(i); } } } }"
    );
}

#[test]
fn nested_loops_and_branches_keep_their_extent() {
    assert_eq!(
        body("cilk_for (;a;) cilk_for (;b;) if (c) f(); else g(); h();"),
        "{ LOOP(loop_1, (1)); for (;a;) { PIECE(loop_1, piece_1); { LOOP(loop_2, (1)); for (;b;) { PIECE(loop_2, \
         piece_2); if (c) f(); else g(); } } } } h();"
    );
}

#[test]
fn a_grain_size_is_that_of_the_pieces() {
    assert_eq!(
        body("\n#pragma cilk grainsize = 4 * k\ncilk_for (;;) f();"),
        "\n\n{ LOOP(loop_1, (4 * k)); for (;;) { PIECE(loop_1, piece_1); f(); } }"
    );
}

#[test]
fn a_scope_is_a_frame() {
    assert_eq!(
        body("cilk_scope { cilk_spawn f(); } g();"),
        " { FRAME(frame_1); { SPAWN(task_1, frame_1); f(); } } g();"
    );
}

#[test]
fn what_a_try_block_spawns_is_awaited_at_its_end() {
    assert_eq!(
        body("try { cilk_spawn f(); } catch (...) { g(); }"),
        "try { SYNC_AT_END(try_5, frame_0); { SPAWN(task_1, frame_0); f(); } } catch (...) { g(); }"
    );
    assert_eq!(
        body("cilk_sync; try { f(); } catch (...) { }"),
        "cilk_sync(&frame_0); try { f(); } catch (...) { }"
    );
}

#[test]
fn arguments_that_call_are_computed_before_the_task() {
    assert_eq!(
        body("x = cilk_spawn f(g(1), y, h(2)->z);"),
        "{ __extension__ __auto_type argument_1_1 = g(1); __extension__ __auto_type argument_1_2 = h(2)->z; \
         SPAWN(task_1, frame_0); x =  f(argument_1_1, y, argument_1_2); }"
    );
    assert_eq!(
        body_in(Language::Cpp, "x = cilk_spawn f(g(1), y);"),
        "{ SPAWN_LATER(task_1, frame_0); x =  cilk_call(task_1, [&](auto&& argument_1_1) -> decltype(auto) { return \
         f(static_cast<decltype(argument_1_1)&&>(argument_1_1), y); }, g(1)); }"
    );
}

#[test]
fn arguments_that_call_nothing_stay() {
    for argument in [
        "a + 1",
        "sizeof(x)",
        "(char *)p",
        "&a[i]",
        "{g(1)}",
        "[&] { return g(); }",
        "xs...",
    ] {
        assert_eq!(
            body(&format!("cilk_spawn f({argument});")),
            format!("{{ SPAWN(task_1, frame_0); f({argument}); }}")
        );
    }
}

#[test]
fn template_arguments_are_not_taken_apart() {
    assert_eq!(
        body("cilk_spawn f(std::pair<int, int>(1, 2));"),
        "{ SPAWN(task_1, frame_0); f(std::pair<int, int>(1, 2)); }"
    );
}

#[test]
fn a_reducer_is_its_variable() {
    assert_eq!(
        short("long cilk_reducer(zero, add) sum = 0; void f() { cilk_spawn g(); }"),
        "long   sum = 0; void f() { FRAME(frame_0); { SPAWN(task_1, frame_0); g(); } }"
    );
}

#[test]
fn functions_without_spawns_stay() {
    let plain = "int f(int x) { return x; }\n";
    assert_eq!(
        short(&format!("{plain}void g() {{ cilk_spawn f(1); }}")),
        format!("{plain}void g() {{ FRAME(frame_1); {{ SPAWN(task_1, frame_1); f(1); }} }}")
    );
}

#[test]
fn bodies_are_found_in_classes_namespaces_and_templates() {
    for (before, after) in [
        ("struct s { void m() {", "} };"),
        (
            "namespace a { namespace { class b : c<d> { public: void m() const noexcept override {",
            "} }; } }",
        ),
        (
            "template <typename T, int N = 3> struct s { s() : x{1}, y(2) {",
            "} };",
        ),
        ("template <class T> auto m(T t) -> decltype(t) {", "}"),
        ("extern \"C\" { void m(void) {", "} }"),
        ("extern \"C\" void m(void) {", "}"),
        ("struct s s::m(int x) {", "}"),
        ("__attribute__((noinline)) static void m() {", "}"),
        ("auto m = [](int n) mutable {", "};"),
        ("bool s::operator()(int x) const {", "}"),
        ("bool operator==(s a, s b) {", "}"),
        ("int values[] = {1, 2}; enum e { A }; void m() {", "}"),
    ] {
        let output = short(&format!("{before} cilk_spawn f(); {after}"));
        let (head, _) = output
            .split_once(" FRAME(")
            .unwrap_or_else(|| panic!("{output}"));
        assert_eq!(head, before);
    }
}

#[test]
fn a_local_class_has_functions_of_its_own() {
    let output = body("struct s { void f() { cilk_spawn g(); } } x; x.f();");
    assert_eq!(
        output,
        "struct s { void f() { FRAME(frame_1); { SPAWN(task_1, frame_1); g(); } } } x; x.f();"
    );
}

#[test]
fn macros_and_expressions_with_blocks_are_blocks() {
    assert_eq!(
        body("REPEAT(3) { cilk_spawn f(); } g();"),
        "REPEAT(3) { { SPAWN(task_1, frame_0); f(); } } g();"
    );
    assert_eq!(
        body("int x = ({ cilk_spawn f(); 3; });"),
        "int x = ({ { SPAWN(task_1, frame_0); f(); } 3; });"
    );
}
