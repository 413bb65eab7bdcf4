//! Writes records as `docs/format.md` describes them, independently of the crate.

/// A record under construction.
#[derive(Default)]
pub struct Writer {
    blocks: Vec<Vec<u8>>,
}

/// The nodes of the records here, and sites with the same numbers: 1 is a join at `a.rs:1`, 2 a
/// scope, 3 a spawn in the scope, 4 a broadcast, 5 a thread, 6 a function in the join, 7 a join in
/// the function.
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
    /// A record with a header and the tree of [`PROGRAM`].
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

    /// Adds events of a thread, each in a block of its own.
    pub fn thread(self, thread: u64, events: &str) -> Self {
        encoded(events).fold(self, |writer, event| writer.events(thread, &event))
    }

    /// Adds events of a thread, all in one block.
    pub fn thread_at_once(self, thread: u64, events: &str) -> Self {
        let events: Vec<u8> = encoded(events).flatten().collect();
        self.events(thread, &events)
    }

    fn events(self, thread: u64, events: &[u8]) -> Self {
        let mut payload = Vec::new();
        unsigned(&mut payload, thread);
        payload.extend(events);
        self.block(b'E', &payload)
    }

    /// The record with its end block.
    pub fn whole(self) -> Vec<u8> {
        let blocks = self.block(b'Z', b"").blocks;
        [b"workspan-dag 4\n".to_vec(), blocks.concat()].concat()
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

/// The names of the events and of their fields, in the order of the events' codes, from 1. The
/// fields named `ticks` are signed.
const EVENTS: &str = "\
Strand node ticks
Folded node at ticks ticks ticks tasks
Fork node
Middle
Join left right
Mark mark
LateMiddle mark node
Right lane node
LaneEnd
Left lane node
Group group node
Body group node
GroupEnd
Point point awaited node
Task point later lane node
Bulk point later node tasks ticks ticks ticks
Member group lane node
Handoff call
Call call node
HandoffEnd
Await lane
Root node
Own ticks node
";

/// The bytes of each of `events`, which `, ` separates: `Root 0, Strand 0 40, LaneEnd`.
fn encoded(events: &str) -> impl Iterator<Item = Vec<u8>> {
    let events = events.split(", ").filter(|event| !event.is_empty());
    events.map(encode)
}

fn encode(event: &str) -> Vec<u8> {
    let name = event.split(' ').next();
    let mut known = (1..).zip(EVENTS.lines());
    let found = known.find(|(_, fields)| fields.split(' ').next() == name);
    let (code, fields) = found.unwrap_or_else(|| panic!("{event}"));
    assert_eq!(
        fields.split(' ').count(),
        event.split(' ').count(),
        "{event}"
    );
    let mut bytes = vec![code];
    for (field, number) in fields.split(' ').zip(event.split(' ')).skip(1) {
        if field == "ticks" {
            signed(&mut bytes, number.parse().unwrap());
        } else {
            unsigned(&mut bytes, number.parse().unwrap());
        }
    }
    bytes
}
