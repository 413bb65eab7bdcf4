//! Where there is no sampling.

#[derive(Default)]
pub(crate) struct Timer;

impl Timer {
    pub(crate) fn runs(&self) -> bool {
        false
    }

    pub(crate) fn start(&self, _: *const (), _: u32) -> bool {
        false
    }

    pub(crate) fn stop(&self) {}
}
