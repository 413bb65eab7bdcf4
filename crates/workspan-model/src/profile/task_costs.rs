//! The cost of tasks in a profile.

use crate::{Cost, Nanos, Profile, RuntimeKind, tasking_overhead};

/// Whether the costs of the runtime's operations are known; they are measured only for rayon.
pub fn knows_tasking_costs(profile: &Profile) -> bool {
    let mut kinds = profile.run.runtimes.iter().map(|runtime| runtime.kind);
    kinds.all(|kind| kind == RuntimeKind::Rayon)
}

/// The tasking overhead of the program divided by its number of tasks (TaskProf §4.3); for a
/// program without tasks, the cost of a `join`.
pub fn average_tasking_overhead(profile: &Profile) -> Cost {
    let mut time = Nanos::ZERO;
    let mut tasks = 0_u64;
    for node in &profile.tree {
        time += tasking_overhead(node, profile.site_of(node).kind, &profile.calibration);
        tasks = tasks.saturating_add(node.on_work.spawns);
    }
    match tasks {
        0 => profile.calibration.join,
        _ => Cost::from_nanos(time.shown() as f64 / tasks as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasking_costs_are_known_only_for_rayon() {
        let mut profile = crate::example::quicksort();
        assert!(knows_tasking_costs(&profile));
        profile.run.runtimes[0].kind = RuntimeKind::OpenMp;
        assert!(!knows_tasking_costs(&profile));
        profile.run.runtimes.clear();
        assert!(knows_tasking_costs(&profile));
    }

    #[test]
    fn the_average_is_over_tasks() {
        let mut profile = crate::example::quicksort();
        assert_eq!(average_tasking_overhead(&profile).as_nanos().round(), 17.0);
        profile.tree[1].on_work.spawns *= 2;
        assert_eq!(average_tasking_overhead(&profile).as_nanos().round(), 9.0);
        profile.tree.truncate(1);
        assert_eq!(average_tasking_overhead(&profile).as_nanos(), 17.0);
    }
}
