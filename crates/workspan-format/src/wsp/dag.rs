//! Encodes and decodes the section of the task dag: columns of integers, compressed.
//!
//! A column holds one field of all vertices, so that similar values are adjacent and compress well.
//! A count in the file causes no allocation: lists grow with the bytes that are really there, and
//! the size of the section bounds these.

use std::io::{self, BufReader, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use workspan_model::{
    Boundary, Dag, NodeId, Side, SiteId, StrandRegion, StrandRegionId, Successor, Successors,
    Vertex, VertexId, VertexKind,
};

use crate::varint::{invalid, put_signed, put_unsigned, signed, unsigned};

/// Version of the layout: the first byte.
const VERSION: u8 = 1;

/// Better compression would take longer than writing the bytes that it saves.
const COMPRESSION: Compression = Compression::new(3);

/// How many bytes are compressed or unpacked at once.
const BUFFERED: usize = 1 << 16;

const SIDES: [Side; 4] = [Side::Outside, Side::Left, Side::Right, Side::Body];

const KINDS: [VertexKind; 5] = [
    VertexKind::Strand,
    VertexKind::Fork,
    VertexKind::Spawn,
    VertexKind::Sync,
    VertexKind::Folded,
];

/// The payload of the section of `dag`.
///
/// # Errors
/// Never, unless memory runs out: that is what it writes to.
pub(super) fn encode(dag: &Dag) -> io::Result<Vec<u8>> {
    let mut columns = Columns {
        compressed: ZlibEncoder::new(Vec::new(), COMPRESSION),
        buffer: vec![VERSION],
    };
    columns
        .buffer
        .extend(dag.ticks_per_second.to_bits().to_le_bytes());
    put_signed(&mut columns.buffer, dag.grain);
    put_signed(&mut columns.buffer, dag.burden);
    columns.buffer.push(u8::from(dag.is_truncated));
    for count in [
        dag.regions.len(),
        dag.vertices.len(),
        dag.successors.edges().len(),
    ] {
        put_unsigned(&mut columns.buffer, count as u64);
    }
    columns.put(&dag.regions, |bytes, _, region| {
        put_unsigned(bytes, region.node.0.into());
        for boundary in [region.from, region.to] {
            put_unsigned(bytes, boundary.site.0.into());
            bytes.push(position_in(&SIDES, boundary.side));
        }
    })?;
    let vertices = &dag.vertices;
    columns.put(vertices, |bytes, _, vertex| {
        bytes.push(position_in(&KINDS, vertex.kind));
    })?;
    columns.put(vertices, |bytes, _, vertex| put_signed(bytes, vertex.work))?;
    columns.put(vertices, |bytes, _, vertex| {
        put_signed(bytes, vertex.work.wrapping_sub(vertex.span));
    })?;
    columns.put(vertices, |bytes, _, vertex| {
        put_signed(bytes, vertex.burdened_span.wrapping_sub(vertex.span));
    })?;
    columns.put(vertices, |bytes, _, vertex| {
        put_unsigned(bytes, vertex.region.0.into());
    })?;
    columns.put(vertices, |bytes, _, vertex| {
        put_unsigned(bytes, vertex.tasks.into());
    })?;
    columns.put(vertices, |bytes, _, vertex| {
        put_unsigned(bytes, vertex.worker.into());
    })?;
    columns.put(vertices, |bytes, index, vertex| {
        put_signed(bytes, index as i64 - i64::from(vertex.begun_by.0));
    })?;
    columns.put(vertices, |bytes, index, _| {
        let successors = dag.successors(VertexId(index as u32));
        put_unsigned(bytes, successors.len() as u64);
    })?;
    columns.put(vertices, |bytes, index, _| {
        for successor in dag.successors(VertexId(index as u32)) {
            let distance = i64::from(successor.to().0) - index as i64;
            put_signed(bytes, distance);
            bytes.push(u8::from(successor.is_stealable()));
        }
    })?;
    columns.finish()
}

/// The fewest bytes that the columns of a dag of this size take.
fn least_bytes(regions: usize, vertices: usize, edges: usize) -> u64 {
    const REGION: u64 = 5;
    const VERTEX: u64 = 9;
    const EDGE: u64 = 2;
    regions as u64 * REGION + vertices as u64 * VERTEX + edges as u64 * EDGE
}

/// The most bytes that `compressed` bytes can unpack to: deflate packs at most 258 bytes into two
/// bits (RFC 1951).
fn most_bytes(compressed: usize) -> u64 {
    1032 * compressed as u64
}

/// Compresses columns.
struct Columns {
    compressed: ZlibEncoder<Vec<u8>>,
    /// What is not compressed yet.
    buffer: Vec<u8>,
}

impl Columns {
    /// Writes a column: what `put` appends for each of `rows` and its index.
    fn put<T>(&mut self, rows: &[T], put: impl Fn(&mut Vec<u8>, usize, &T)) -> io::Result<()> {
        for (index, row) in rows.iter().enumerate() {
            put(&mut self.buffer, index, row);
            if self.buffer.len() >= BUFFERED {
                self.compressed.write_all(&self.buffer)?;
                self.buffer.clear();
            }
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<Vec<u8>> {
        self.compressed.write_all(&self.buffer)?;
        self.compressed.finish()
    }
}

/// The dag in a payload. The caller has to [check](Dag::check) whether its parts fit together.
///
/// # Errors
/// When the payload is not a dag.
pub(super) fn decode(payload: &[u8]) -> io::Result<Dag> {
    let mut bytes = BufReader::with_capacity(BUFFERED, ZlibDecoder::new(payload));
    let version = byte(&mut bytes)?;
    if version != VERSION {
        return Err(invalid(format!("layout {version}, not {VERSION}")));
    }
    let mut rate = [0; 8];
    bytes.read_exact(&mut rate)?;
    let ticks_per_second = f64::from_le_bytes(rate);
    if !(ticks_per_second.is_finite() && ticks_per_second > 0.0) {
        return Err(invalid("the clock's rate is not positive"));
    }
    let grain = signed(&mut bytes)?;
    let burden = signed(&mut bytes)?;
    let is_truncated = one_of(&[false, true], &mut bytes)?;
    let regions = count(&mut bytes)?;
    let vertices = count(&mut bytes)?;
    let edges = count(&mut bytes)?;
    if least_bytes(regions as usize, vertices as usize, edges as usize) > most_bytes(payload.len())
    {
        return Err(invalid(format!(
            "{vertices} vertices in {} bytes",
            payload.len()
        )));
    }
    let regions = rows(regions, || region(&mut bytes))?;
    let vertices = vertices_of(vertices, &mut bytes)?;
    let successors = successors(&vertices, edges, &mut bytes)?;
    if bytes.read(&mut [0])? != 0 {
        return Err(invalid("bytes after its end"));
    }
    Ok(Dag {
        ticks_per_second,
        grain,
        burden,
        is_truncated,
        vertices,
        successors,
        regions,
    })
}

fn region(bytes: &mut impl Read) -> io::Result<StrandRegion> {
    let node = NodeId(index(bytes)?);
    let [from, to] = [boundary(bytes)?, boundary(bytes)?];
    Ok(StrandRegion { node, from, to })
}

fn boundary(bytes: &mut impl Read) -> io::Result<Boundary> {
    Ok(Boundary {
        site: SiteId(index(bytes)?),
        side: one_of(&SIDES, bytes)?,
    })
}

fn vertices_of(count: u32, bytes: &mut impl Read) -> io::Result<Vec<Vertex>> {
    let mut vertices = rows(count, || {
        Ok(Vertex {
            work: 0,
            span: 0,
            burdened_span: 0,
            region: StrandRegionId(0),
            tasks: 0,
            kind: one_of(&KINDS, bytes)?,
            worker: 0,
            begun_by: VertexId(0),
        })
    })?;
    for vertex in &mut vertices {
        vertex.work = signed(bytes)?;
    }
    for vertex in &mut vertices {
        vertex.span = vertex.work.wrapping_sub(signed(bytes)?);
    }
    for vertex in &mut vertices {
        vertex.burdened_span = vertex.span.wrapping_add(signed(bytes)?);
    }
    for vertex in &mut vertices {
        vertex.region = StrandRegionId(index(bytes)?);
    }
    for vertex in &mut vertices {
        vertex.tasks = index(bytes)?;
    }
    for vertex in &mut vertices {
        let worker = unsigned(bytes)?;
        vertex.worker = u16::try_from(worker).map_err(|_| invalid(format!("worker {worker}")))?;
    }
    for (index, vertex) in vertices.iter_mut().enumerate() {
        let begun_by = (index as i64).wrapping_sub(signed(bytes)?);
        vertex.begun_by = VertexId(vertex_index(begun_by, count)?);
    }
    Ok(vertices)
}

fn successors(vertices: &[Vertex], edges: u32, bytes: &mut impl Read) -> io::Result<Successors> {
    let counts = rows(vertices.len() as u32, || index(bytes))?;
    let listed: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if listed != u64::from(edges) {
        return Err(invalid(format!("{edges} edges, and lists of {listed}")));
    }
    let mut list = Vec::new();
    for (from, &successors) in counts.iter().enumerate() {
        for _ in 0..successors {
            let to = (from as i64).wrapping_add(signed(bytes)?);
            let to = VertexId(vertex_index(to, vertices.len() as u32)?);
            let is_stealable = one_of(&[false, true], bytes)?;
            list.push((VertexId(from as u32), Successor::new(to, is_stealable)));
        }
    }
    Ok(Successors::new(vertices.len(), &list))
}

/// Reads `count` rows, each of which takes at least a byte.
fn rows<T>(count: u32, mut row: impl FnMut() -> io::Result<T>) -> io::Result<Vec<T>> {
    (0..count).map(|_| row()).collect()
}

/// Reads a number of rows, which must be below 2³¹, the limit of vertices.
fn count(bytes: &mut impl Read) -> io::Result<u32> {
    let count = unsigned(bytes)?;
    u32::try_from(count)
        .ok()
        .filter(|&count| count < 1 << 31)
        .ok_or_else(|| invalid(format!("a list of {count}")))
}

fn index(bytes: &mut impl Read) -> io::Result<u32> {
    let index = unsigned(bytes)?;
    u32::try_from(index).map_err(|_| invalid(format!("a number {index}")))
}

/// Checks that `index` is one of `count` vertices.
fn vertex_index(index: i64, count: u32) -> io::Result<u32> {
    u32::try_from(index)
        .ok()
        .filter(|&index| index < count)
        .ok_or_else(|| invalid(format!("a vertex {index}")))
}

fn byte(bytes: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    bytes.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Reads the one of `all` whose position is the next byte.
fn one_of<T: Copy>(all: &[T], bytes: &mut impl Read) -> io::Result<T> {
    let place = byte(bytes)?;
    all.get(usize::from(place))
        .copied()
        .ok_or_else(|| invalid(format!("{place} where there are {}", all.len())))
}

/// The position of `one` in `all`, which must hold it.
fn position_in<T: PartialEq>(all: &[T], one: T) -> u8 {
    let place = all.iter().position(|other| *other == one);
    place.expect("the list is complete") as u8
}
