//! Two functions, which `marked.rs` also has.

#[no_mangle]
pub fn work(numbers: &mut [u32]) -> u32 {
    for number in numbers.iter_mut() {
        *number = number.rotate_left(3) ^ 5;
    }
    numbers.iter().sum()
}

#[no_mangle]
pub fn work_function(numbers: &[u32], wanted: u32) -> Option<usize> {
    numbers.iter().position(|&number| number == wanted)
}
