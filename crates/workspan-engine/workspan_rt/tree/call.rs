//! A call of a parallel construct, as the runtime's interface sees it.

use std::any::{type_name, TypeId};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;

/// What kind of construct a spawn site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The program itself.
    Root,
    /// Two branches, both awaited.
    Join,
    /// A block that awaits the tasks spawned into it.
    Scope,
    /// A task of a scope, or a detached one.
    Spawn,
    /// One task on each thread of a pool.
    Broadcast,
    /// A thread that the program started itself.
    Thread,
    /// A call of a function.
    Function,
    /// A region that the program names.
    Region,
    /// A parallel region: the tasks of its threads are members.
    Parallel,
    /// A parallel loop, whose pieces are members.
    Loop,
    /// Sections, each of them a member.
    Sections,
    /// A task that its parent, a scope or a barrier awaits.
    Task,
    /// A block that awaits all tasks made in it, by whatever task.
    Taskgroup,
    /// A critical section.
    Critical,
    /// An atomic update that the runtime makes under a lock.
    Atomic,
    /// The ordered part of a loop's iterations.
    Ordered,
    /// What runs while a lock is held.
    Lock,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Root => "root",
            Kind::Join => "join",
            Kind::Scope => "scope",
            Kind::Spawn => "spawn",
            Kind::Broadcast => "broadcast",
            Kind::Thread => "thread",
            Kind::Function => "function",
            Kind::Region => "region",
            Kind::Parallel => "parallel",
            Kind::Loop => "loop",
            Kind::Sections => "sections",
            Kind::Task => "task",
            Kind::Taskgroup => "taskgroup",
            Kind::Critical => "critical",
            Kind::Atomic => "atomic",
            Kind::Ordered => "ordered",
            Kind::Lock => "lock",
        }
    }
}

/// Identifies the call of a construct: where it stands, and the type of the closure that it was
/// given.
///
/// The place alone would not do: a parallel iterator calls `join` from inside rayon, whatever the
/// program iterates over, but with closures whose types name the whole chain.
#[derive(Clone, Copy)]
pub struct Call {
    pub(crate) kind: Kind,
    pub(crate) location: &'static Location<'static>,
    pub(crate) closure: fn() -> &'static str,
    pub(crate) key: u64,
}

impl Call {
    /// The call at `location` of a construct of `kind` with a closure of type `F`.
    #[inline(always)]
    pub fn new<F>(kind: Kind, location: &'static Location<'static>) -> Self {
        Self {
            kind,
            location,
            closure: type_name::<F>,
            key: Self::key_of::<F>(kind, location),
        }
    }

    /// A number for the call that [`Call::new`] describes.
    #[inline(always)]
    pub fn key_of<F>(kind: Kind, location: &'static Location<'static>) -> u64 {
        (location as *const _ as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ type_key::<F>().wrapping_add(kind as u64)
    }

    /// Whether the call stands in rayon itself, so that the program's own place has to be found on
    /// the stack.
    ///
    /// Judged by the crate that wrote the closure, since rayon's source may lie in any folder.
    pub(crate) fn is_internal(&self) -> bool {
        // Threads are started from inside the standard library.
        self.kind == Kind::Thread || is_of_rayon((self.closure)())
    }
}

/// Whether the closure of this type was made by a function of rayon's, or by a method of one of its
/// types.
fn is_of_rayon(closure: &str) -> bool {
    closure.trim_start_matches('<').starts_with("rayon::")
}

/// A number for type `T` that ignores its lifetimes: `TypeId` wants `'static`, which closures
/// rarely are.
#[inline(always)]
fn type_key<T: ?Sized>() -> u64 {
    trait Identified {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Identified for PhantomData<T> {
        #[inline(always)]
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    struct Last(u64);
    impl Hasher for Last {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
            }
        }
        fn write_u64(&mut self, n: u64) {
            self.0 ^= n;
        }
    }
    let phantom = PhantomData::<T>;
    // SAFETY: only the bound `'static` is claimed, so that `TypeId::of` may be asked. The object is
    // a `PhantomData`, without data that could outlive its lifetime, and a type's identity does not
    // depend on lifetimes.
    let id =
        unsafe { std::mem::transmute::<&dyn Identified, &(dyn Identified + 'static)>(&phantom) }
            .id();
    let mut hasher = Last(0);
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rayons_closures_are_told_by_their_types() {
        let helper = "rayon::iter::plumbing::bridge_producer_consumer::helper<P, C>::{{closure}}";
        let bridge = "<rayon::iter::par_bridge::IterBridge<I> as rayon::iter::ParallelIterator>::\
                      drive_unindexed<C>::{{closure}}";
        let callback = "<<rayon::iter::skip::Skip<I> as rayon::iter::IndexedParallelIterator>::\
                        with_producer::Callback<CB> as ProducerCallback<T>>::callback<P>::{{closure}}";
        assert!([helper, bridge, callback].into_iter().all(is_of_rayon));
        let own = "app::run::{{closure}}";
        let implemented =
            "<app::Set as rayon::iter::ParallelIterator>::drive_unindexed<C>::{{closure}}";
        let similar = "rayon_like::run::{{closure}}";
        assert!(![own, implemented, similar].into_iter().any(is_of_rayon));
    }

    #[test]
    fn closures_of_one_function_have_keys_of_their_own() {
        let text = String::from("borrowed");
        fn key<F: Fn() -> usize>(_: &F) -> u64 {
            type_key::<F>()
        }
        let (a, b) = (|| text.len(), || text.capacity());
        assert_ne!(key(&a), key(&b));
        assert_eq!(key(&a), key(&a));
    }
}
