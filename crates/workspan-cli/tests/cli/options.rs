//! Options of a run that cargo starts. They have to reach the process that prints the report.

use crate::project::Project;
use crate::{faults, functions, measuring, page, repeating, report, terminal};

/// A single test, so that the program is built once.
#[test]
fn options_reach_the_process_that_reports() {
    // The exit code is the number of arguments.
    let project = Project::with_main(
        "options",
        "println!(\"{}\", options::fib(10));\n\
         std::process::exit(std::env::args().len() as i32 - 1);",
    );
    report::a_stored_profile_is_printed_again(&project);
    page::each_run_keeps_its_page_and_names_it_last(&project);
    page::a_run_whose_page_cannot_be_written_succeeds(&project);
    terminal::a_profiled_run_looks_as_chosen(&project);
    terminal::a_quiet_run_prints_what_the_program_does(&project);
    repeating::a_program_that_cargo_builds_is_built_once_and_run_often(&project);
    measuring::both_options_reach_a_program_that_cargo_builds(&project);
    functions::a_run_that_is_not_sampled_has_no_functions(&project);
    faults::a_program_built_before_is_profiled_again(&project);
    faults::results_that_cannot_be_written_are_reported_and_others_written(&project);
}
