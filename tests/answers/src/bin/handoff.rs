//! Two threads with rendezvous channels: a simulation and its controller.
//! usage: handoff turns|own     own: two simulations, each on a thread with its controller (fine)
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

fn both(start: f64) -> f64 {
    (0..STEPS).fold(start, |last, _| control(simulate(last)))
}

fn main() {
    if std::env::args().nth(1).is_some_and(|s| s == "own") {
        return thread::scope(|scope| {
            let threads = [0.25, 0.5].map(|start| scope.spawn(move || both(start)));
            println!("{:.9}", threads.into_iter().map(|t| t.join().unwrap()).sum::<f64>());
        });
    }
    let (command_tx, command_rx) = bounded(0);
    let (state_tx, state_rx) = bounded(0);
    let result = thread::scope(|scope| {
        scope.spawn(move || simulation(command_rx, state_tx));
        let controller = scope.spawn(move || controller(state_rx, command_tx));
        controller.join().unwrap()
    });
    println!("{result:.9}");
}
