//! Records of locks: `lock NUMBER SITE HELD ACQUISITIONS WAITS WAITED`.

use super::fields::{Fields, Problem};
use super::program::unknown;
use super::{RawLockUse, RawSite};

/// The locks read so far.
#[derive(Default)]
pub(super) struct Locks {
    pub(super) apart: Vec<Vec<RawLockUse>>,
    pub(super) others: Vec<RawLockUse>,
}

impl Locks {
    /// Reads a record. `sites` are all that there are.
    pub(super) fn add(&mut self, mut fields: Fields<'_>, sites: &[RawSite]) -> Result<(), Problem> {
        let number: Option<usize> = fields.optional_number("the lock's number")?;
        let site: u32 = fields.number("the site")?;
        let known = sites.get(site as usize);
        let known = known.ok_or_else(|| unknown("site", site as usize))?;
        if !known.kind.is_lock() {
            return Err(format!("site {site} acquires no lock"));
        }
        let lock = RawLockUse {
            site,
            held_ticks: fields.number("the time held")?,
            acquisitions: fields.number("the acquisitions")?,
            waits: fields.number("the waits")?,
            waited_ticks: fields.number("the time waited")?,
        };
        let next = self.apart.len();
        let uses = match number {
            None => &mut self.others,
            Some(number) if number == next => {
                self.apart.push(Vec::new());
                &mut self.apart[number]
            }
            Some(number) if number + 1 == next => &mut self.apart[number],
            Some(number) => return Err(format!("lock {number} where {next} is next")),
        };
        if uses.iter().any(|one| one.site == site) {
            return Err(format!("a lock has two records of site {site}"));
        }
        uses.push(lock);
        fields.finish()
    }
}
