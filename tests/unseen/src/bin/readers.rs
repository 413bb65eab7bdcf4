//! Threads forward packets by a table of routes behind an RwLock; now and then a route is added.
//! usage: readers each|snapshot     each: the lock is taken for each packet; snapshot: for each batch (fine)
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::Duration;

const PACKETS: u64 = 100_000_000;
const BATCH: u64 = 1000;

#[derive(Clone)]
struct Route {
    prefix: u32,
    port: u16,
}

type Table = RwLock<Arc<Vec<Route>>>;

fn threads() -> u64 {
    let given = std::env::var("NT").ok().and_then(|n| n.parse().ok());
    given.unwrap_or_else(|| thread::available_parallelism().unwrap().get() as u64)
}

fn make_table() -> Table {
    let mut routes: Vec<_> =
        (0..64u32).map(|k| Route { prefix: k.wrapping_mul(0x9e37_79b9) & 0xfff0_0000, port: k as u16 }).collect();
    routes.sort_by_key(|route| route.prefix);
    RwLock::new(Arc::new(routes))
}

fn add_route(table: &Table, number: u32) {
    let mut routes = table.write().unwrap();
    let mut longer = routes.to_vec();
    let prefix = number.wrapping_mul(0x85eb_ca6b) & 0xfff0_0000;
    let at = longer.partition_point(|route| route.prefix < prefix);
    longer.insert(at, Route { prefix, port: number as u16 });
    *routes = Arc::new(longer);
}

/// The address that a packet is for.
fn parse(number: u64) -> u32 {
    let mut x = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    (x.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
}

fn find(routes: &[Route], address: u32) -> u64 {
    let at = routes.partition_point(|route| route.prefix <= address);
    u64::from(routes[at.max(1) - 1].port)
}

fn forward_each(table: &Table, packets: std::ops::Range<u64>) -> u64 {
    let mut bytes = 0;
    for number in packets {
        let address = parse(number);
        let routes = table.read().unwrap(); //@ here
        bytes += find(&routes, address);
    } //@ here
    bytes
}

fn forward_snapshot(table: &Table, packets: std::ops::Range<u64>) -> u64 {
    let mut bytes = 0;
    let mut next = packets.start;
    while next < packets.end {
        let routes = Arc::clone(&table.read().unwrap());
        let end = (next + BATCH).min(packets.end);
        for number in next..end {
            bytes += find(&routes, parse(number));
        }
        next = end;
    }
    bytes
}

fn main() {
    let snapshot = std::env::args().nth(1).is_some_and(|variant| variant == "snapshot");
    let forward = if snapshot { forward_snapshot } else { forward_each };
    let table = make_table();
    let threads = threads();
    let share = |k: u64| PACKETS * k / threads..PACKETS * (k + 1) / threads;
    let bytes: u64 = thread::scope(|scope| {
        let table = &table;
        let started: Vec<_> =
            (0..threads).map(|k| scope.spawn(move || forward(table, share(k)))).collect();
        for number in 0..10 {
            thread::sleep(Duration::from_millis(5));
            add_route(table, number);
        }
        started.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    println!("{} packets, {}", PACKETS, bytes > 0);
}
