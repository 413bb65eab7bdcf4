// Situation: fold into a HashMap for each piece, then reduce merges maps that hold nearly every key.
// usage: map_merge merge|sharded
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Mutex;

type Map = HashMap<u64, u32>;

fn key(item: u64) -> u64 {
    item.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44
}

fn merge(mut a: Map, b: Map) -> Map {
    for (key, count) in b {
        *a.entry(key).or_default() += count; //@ here
    }
    a
}

fn count(mut map: Map, item: u64) -> Map {
    *map.entry(key(item)).or_default() += 1;
    map
}

fn main() {
    let whole = std::env::args().nth(1).is_none_or(|s| s == "merge");
    let keys = if whole {
        (0..3_000_000).into_par_iter().fold(Map::new, count).reduce(Map::new, merge).len() //@ here
    } else {
        let shards: Vec<Mutex<Map>> = (0..256).map(|_| Mutex::default()).collect();
        (0..9_000u64).into_par_iter().for_each(|block| {
            let mut own: Vec<Vec<u64>> = vec![Vec::new(); 256];
            (block * 1000..block * 1000 + 1000).for_each(|item| own[key(item) as usize % 256].push(item));
            for turn in 0..256 {
                let at = (block as usize + turn) % 256;
                let mut map = shards[at].lock().unwrap();
                own[at].iter().for_each(|&item| *map.entry(key(item)).or_default() += 1);
            }
        });
        shards.into_iter().map(|shard| shard.into_inner().unwrap().len()).sum()
    };
    println!("{keys}");
}
