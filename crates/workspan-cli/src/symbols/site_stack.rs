//! Sites with their stacks.

use workspan_format::raw::RawSite;

use super::unwinding::Unwinding;

/// A site and the return addresses at its first appearance, innermost first.
pub(super) struct SiteStack<'a> {
    pub(super) raw: &'a RawSite,
    pub(super) addresses: Vec<u64>,
}

impl<'a> SiteStack<'a> {
    pub(super) fn new(raw: &'a RawSite, unwinding: &Unwinding<'_>) -> Self {
        let mut addresses: Vec<u64> = raw.address.into_iter().collect();
        if let Some(stack) = &raw.stack {
            // The innermost address is the engine's own code.
            addresses.extend(unwinding.addresses(stack).into_iter().skip(1));
        }
        Self { raw, addresses }
    }
}
