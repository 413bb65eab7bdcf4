//! What sweeps say: by hand, and what always holds.

mod bandwidth;
mod by_hand;
mod properties;
mod sweeps;
