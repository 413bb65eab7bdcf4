//! Analyses of sweeps: computed by hand, and properties that always hold.

mod bandwidth;
mod by_hand;
mod properties;
mod sweeps;
