//! Identifiers of sites in links to a page.

use std::collections::HashSet;

use workspan_model::SiteRow;

use super::site_words::place_of;

/// An identifier for each row, the same on the page of the next run: `join@src/main.rs:40:9`.
pub(super) struct SiteIds(Vec<String>);

/// Longer places are cut in identifiers.
const MOST_CHARACTERS: usize = 120;

impl SiteIds {
    pub(super) fn new(rows: &[SiteRow]) -> Self {
        let mut taken = HashSet::new();
        let id = |row: &SiteRow| {
            let place: String = place_of(row).chars().take(MOST_CHARACTERS).collect();
            let first = format!("{}@{place}", row.kind.name());
            let later = (2..).map(|number| format!("{first}~{number}"));
            let mut all = std::iter::once(first.clone()).chain(later);
            let id = all.find(|id| !taken.contains(id));
            let id = id.expect("there is no end of numbers");
            taken.insert(id.clone());
            id
        };
        Self(rows.iter().map(id).collect())
    }

    pub(super) fn of_row(&self, row: usize) -> &str {
        &self.0[row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_one_place_have_different_ids() {
        let profile = workspan_model::example::quicksort();
        let rows = workspan_model::analyse(&profile).sites;
        let rows = [rows[0].clone(), rows[1].clone(), rows[0].clone()];
        let ids = SiteIds::new(&rows);
        assert_eq!(ids.of_row(0), "join@examples/quicksort.rs:31:9");
        assert_eq!(ids.of_row(2), "join@examples/quicksort.rs:31:9~2");
    }
}
