//! `plain.rs` with regions of every form around everything.

#[no_mangle]
pub fn work(numbers: &mut [u32]) -> u32 {
    let _region = workspan::region("work");
    for number in numbers.iter_mut() {
        let _here = workspan::region_here!();
        *number = number.rotate_left(3) ^ 5;
    }
    workspan::in_region(format_args!("sum of {}", numbers.len()), || {
        numbers.iter().sum()
    })
}

#[no_mangle]
#[workspan::function]
pub fn work_function(numbers: &[u32], wanted: u32) -> Option<usize> {
    numbers.iter().position(|&number| number == wanted)
}
