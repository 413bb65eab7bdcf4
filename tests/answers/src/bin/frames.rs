// Situation: a game or simulation runs one par_iter_mut for each frame, and a frame has 10 µs of work.
// usage: frames tiny|outer
use rayon::prelude::*;

type World = Vec<f64>;

fn force(x: &mut f64) {
    *x = (*x * 1.0001 + 0.5).sqrt();
}

fn main() {
    let tiny = std::env::args().nth(1).is_none_or(|s| s == "tiny");
    let mut worlds: Vec<World> = (0..64).map(|w| (0..1500).map(|i| f64::from(w * i)).collect()).collect();
    if tiny {
        for world in &mut worlds {
            for _frame in 0..1000 {
                world.par_iter_mut().for_each(force); //@ here
            }
        }
    } else {
        worlds.par_iter_mut().for_each(|world| {
            for _frame in 0..8000 {
                world.iter_mut().for_each(force);
            }
        });
    }
    println!("{}", worlds.iter().flatten().sum::<f64>());
}
