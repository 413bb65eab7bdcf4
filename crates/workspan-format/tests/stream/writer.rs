//! Records as `docs/format.md` describes them, written independently of the crate.

/// A record that is being written.
#[derive(Clone, Default)]
pub struct Writer {
    blocks: Vec<Vec<u8>>,
}

/// The nodes of the records here, and the sites of the same numbers: 1 join at `a.rs:1`, 2 scope, 3 spawn in the scope, 4 broadcast,
/// 5 thread, 6 a function in the join, 7 a join in the function.
const PROGRAM: &str = "\
site 0 root 0 0 0 -
node 0 - 0 0
site 1 join 0 1 1 a.rs
node 1 0 1 0
site 2 scope 0 2 1 a.rs
node 2 0 2 0
site 3 spawn 0 3 1 a.rs
node 3 2 3 0
site 4 broadcast 0 4 1 a.rs
node 4 0 4 0
site 5 thread 0 5 1 a.rs
node 5 0 5 0
site 6 function 0 6 1 -
sitecall 6 0 1000
node 6 1 6 0
site 7 join 0 7 1 a.rs
node 7 6 7 0
";

impl Writer {
    /// With a header, and the tree of [`PROGRAM`].
    pub fn new() -> Self {
        Self::default()
            .block(
                b'H',
                b"ticks_per_second 1000000000\ngrain_ticks 0\nburden_ticks 100\nmodule 1000 2000 0 /bin/app\n",
            )
            .block(b'T', PROGRAM.as_bytes())
    }

    pub fn block(mut self, kind: u8, payload: &[u8]) -> Self {
        let mut block = vec![kind];
        block.extend((payload.len() as u32).to_le_bytes());
        block.extend(payload);
        let mut checksum: u32 = 2_166_136_261;
        for byte in &block {
            checksum = (checksum ^ u32::from(*byte)).wrapping_mul(16_777_619);
        }
        block.extend(checksum.to_le_bytes());
        self.blocks.push(block);
        self
    }

    /// Events of a thread, each in a block of its own: `(code, numbers)`, ticks as they are.
    pub fn thread(mut self, thread: u64, events: &[Event]) -> Self {
        for event in events {
            let mut payload = Vec::new();
            unsigned(&mut payload, thread);
            event.write(&mut payload);
            self = self.block(b'E', &payload);
        }
        self
    }

    /// The same, all in one block.
    pub fn thread_at_once(self, thread: u64, events: &[Event]) -> Self {
        let mut payload = Vec::new();
        unsigned(&mut payload, thread);
        events.iter().for_each(|event| event.write(&mut payload));
        self.block(b'E', &payload)
    }

    /// The record, whole.
    pub fn whole(self) -> Vec<u8> {
        self.block(b'Z', b"").cut()
    }

    /// The record so far.
    pub fn cut(self) -> Vec<u8> {
        [b"workspan-dag 4\n".to_vec(), self.blocks.concat()].concat()
    }
}

fn unsigned(bytes: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    loop {
        let last = rest < 128;
        bytes.push((rest % 128) as u8 + if last { 0 } else { 128 });
        rest /= 128;
        if last {
            break;
        }
    }
}

fn signed(bytes: &mut Vec<u8>, number: i64) {
    let folded = if number < 0 {
        2 * (number.unsigned_abs() - 1) + 1
    } else {
        2 * number.unsigned_abs()
    };
    unsigned(bytes, folded);
}

/// An event, as the engine has it.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Strand(u64, i64),
    /// Node, node of the first construct + 1, work, span, burdened span, tasks.
    Folded(u64, u64, i64, i64, i64, u64),
    Fork(u64),
    Middle,
    Join(u64, u64),
    Mark(u64),
    LateMiddle(u64, u64),
    Right(u64, u64),
    LaneEnd,
    Left(u64, u64),
    Group(u64, u64),
    Body(u64, u64),
    GroupEnd,
    /// Point, who awaits, node.
    Point(u64, u64, u64),
    /// Point, later, lane, node.
    Task(u64, u64, u64, u64),
    /// Point, later, node, tasks, work, span, burdened span.
    Bulk(u64, u64, u64, u64, i64, i64, i64),
    Member(u64, u64, u64),
    Handoff(u64),
    Call(u64, u64),
    HandoffEnd,
    Await(u64),
    Root(u64),
    Own(i64, u64),
}

impl Event {
    fn write(&self, bytes: &mut Vec<u8>) {
        let mut event = |code, numbers: &[u64]| {
            bytes.push(code);
            numbers.iter().for_each(|number| unsigned(bytes, *number));
        };
        match *self {
            Self::Strand(node, ticks) => {
                event(1, &[node]);
                signed(bytes, ticks);
            }
            Self::Folded(node, at, work, span, burdened, tasks) => {
                event(2, &[node, at]);
                [work, span, burdened]
                    .into_iter()
                    .for_each(|ticks| signed(bytes, ticks));
                unsigned(bytes, tasks);
            }
            Self::Fork(node) => event(3, &[node]),
            Self::Middle => event(4, &[]),
            Self::Join(left, right) => event(5, &[left, right]),
            Self::Mark(mark) => event(6, &[mark]),
            Self::LateMiddle(mark, node) => event(7, &[mark, node]),
            Self::Right(lane, node) => event(8, &[lane, node]),
            Self::LaneEnd => event(9, &[]),
            Self::Left(lane, node) => event(10, &[lane, node]),
            Self::Group(group, node) => event(11, &[group, node]),
            Self::Body(group, node) => event(12, &[group, node]),
            Self::GroupEnd => event(13, &[]),
            Self::Point(point, awaited, node) => event(14, &[point, awaited, node]),
            Self::Task(point, later, lane, node) => event(15, &[point, later, lane, node]),
            Self::Bulk(point, later, node, tasks, work, span, burdened) => {
                event(16, &[point, later, node, tasks]);
                [work, span, burdened]
                    .into_iter()
                    .for_each(|ticks| signed(bytes, ticks));
            }
            Self::Member(group, lane, node) => event(17, &[group, lane, node]),
            Self::Handoff(call) => event(18, &[call]),
            Self::Call(call, node) => event(19, &[call, node]),
            Self::HandoffEnd => event(20, &[]),
            Self::Await(lane) => event(21, &[lane]),
            Self::Root(node) => event(22, &[node]),
            Self::Own(ticks, node) => {
                event(23, &[]);
                signed(bytes, ticks);
                unsigned(bytes, node);
            }
        }
    }
}
