// Healthy: Mandelbrot set, one task for each row.
use rayon::prelude::*;

fn pixel(x: f64, y: f64) -> u32 {
    let (mut a, mut b) = (0.0, 0.0);
    for n in 0..1000 {
        let (aa, bb) = (a * a, b * b);
        if aa + bb > 4.0 {
            return n;
        }
        b = 2.0 * a * b + y;
        a = aa - bb + x;
    }
    1000
}

fn main() {
    let (width, height) = (1600usize, 1600usize);
    let mut image = vec![0u32; width * height];
    image
        .par_chunks_mut(width)
        .enumerate()
        .for_each(|(row, line)| {
            let y = row as f64 / height as f64 * 2.0 - 1.0;
            for (column, cell) in line.iter_mut().enumerate() {
                *cell = pixel(column as f64 / width as f64 * 3.0 - 2.0, y);
            }
        });
    println!("{}", image.par_iter().map(|&n| u64::from(n)).sum::<u64>());
}
