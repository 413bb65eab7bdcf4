// Situation: recursion by join down to the last call; or with a depth from which it is serial.
// usage: queens all|cutoff
fn count(n: u32, row: u32, columns: u32, left: u32, right: u32, cutoff: u32) -> u64 {
    if row == n {
        return 1;
    }
    let free = !(columns | left | right) & ((1 << n) - 1);
    let down = |place| count(n, row + 1, columns | place, (left | place) << 1, (right | place) >> 1, cutoff);
    halves(free, &down, row < cutoff)
}

/// The sum of `f` of each bit of `free`, its halves in parallel.
fn halves(free: u32, f: &(impl Fn(u32) -> u64 + Sync), parallel: bool) -> u64 {
    if free == 0 {
        return 0;
    }
    let first = free & free.wrapping_neg();
    let rest = free & !first;
    if rest == 0 {
        f(first)
    } else if parallel {
        let (a, b) = rayon::join(|| f(first), || halves(rest, f, true)); //@ here
        a + b
    } else {
        f(first) + halves(rest, f, false)
    }
}

fn main() {
    let all = std::env::args().nth(1).is_none_or(|s| s == "all");
    let (n, cutoff) = if all { (14, 99) } else { (15, 3) };
    println!("{}", count(n, 0, 0, 0, 0, cutoff));
}
