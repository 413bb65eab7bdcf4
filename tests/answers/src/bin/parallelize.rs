//! The `parallelize` helper of a proof system: splits the columns over the threads of the pool.
const COLUMNS: usize = 351;
const PROOFS: usize = 4;

fn parallelize<T: Send, F: Fn(&mut [T], usize) + Send + Sync + Clone>(v: &mut [T], f: F) {
    let n = v.len();
    let num_threads = rayon::current_num_threads();
    let chunk = (n / num_threads).max(1);
    rayon::scope(|scope| {
        let mut rest = v;
        for t in 0..num_threads.min(n) {
            let last = t + 1 == num_threads.min(n);
            let take = if last { rest.len() } else { chunk }; //@ here
            let (mine, others) = std::mem::take(&mut rest).split_at_mut(take);
            rest = others;
            let f = f.clone();
            scope.spawn(move |_| f(mine, t * chunk)); //@ here
        }
    });
}

fn commit(column: u64) -> u64 {
    let mut acc = column | 1;
    for k in 0..420_000u64 {
        acc = acc.wrapping_mul(6364136223846793005).wrapping_add(k ^ (acc >> 29));
        acc ^= acc.rotate_left(17);
    }
    acc
}

fn main() {
    let mut columns: Vec<u64> = (0..COLUMNS as u64).collect();
    for proof in 0..PROOFS as u64 {
        parallelize(&mut columns, |part, start| {
            for (k, column) in part.iter_mut().enumerate() {
                *column = commit(*column ^ (start + k) as u64 ^ proof);
            }
        });
    }
    println!("{:x}", columns.iter().fold(0, |a, c| a ^ c));
}
