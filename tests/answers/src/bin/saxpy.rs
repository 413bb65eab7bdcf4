// y += a x over 2 x 200 MB, some times.
use rayon::prelude::*;

fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    y.par_iter_mut().zip(x).for_each(|(y, &x)| *y += a * x); //@ here
}

fn main() {
    let x: Vec<f32> = (0..50_000_000u32)
        .into_par_iter()
        .map(|i| i as f32)
        .collect();
    let mut y: Vec<f32> = x.par_iter().map(|x| x * 0.5).collect();
    for step in 0..20 {
        saxpy(step as f32, &x, &mut y);
    }
    println!("{}", y[12345]);
}
