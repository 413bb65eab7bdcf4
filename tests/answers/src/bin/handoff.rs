//! Two threads with rendezvous channels: a simulation and its controller.
use crossbeam_channel::{bounded, Receiver, Sender};
use std::thread;

const STEPS: u64 = 30_000;

fn simulate(mut state: f64) -> f64 {
    for k in 0..1_500 {
        state = (state + k as f64 * 1e-4).sin();
    }
    state
}

fn control(mut state: f64) -> f64 {
    for k in 0..1_500 {
        state = (state * 1.01 - k as f64 * 1e-5).cos();
    }
    state
}

fn simulation(commands: Receiver<f64>, states: Sender<f64>) {
    for command in commands { //@ here
        if states.send(simulate(command)).is_err() { //@ here
            break;
        }
    }
}

fn controller(states: Receiver<f64>, commands: Sender<f64>) -> f64 {
    commands.send(0.25).unwrap();
    let mut last = 0.0;
    for (step, state) in states.into_iter().enumerate() {
        last = control(state); //@ here
        if step as u64 == STEPS {
            break;
        }
        commands.send(last).unwrap(); //@ here
    }
    last
}

fn main() {
    let (command_tx, command_rx) = bounded(0);
    let (state_tx, state_rx) = bounded(0);
    let result = thread::scope(|scope| {
        scope.spawn(move || simulation(command_rx, state_tx));
        let controller = scope.spawn(move || controller(state_rx, command_tx));
        controller.join().unwrap()
    });
    println!("{result:.9}");
}
