//! Sums what the files of a directory tree would take when packed. The tree is lopsided: the first child of a
//! directory holds most of it, and some paths are very deep. Stealing evens it out: sound.
//! usage: tree_sizes recursive|listed     listed: all files are listed first, then packed in parallel (as sound)
use rayon::prelude::*;

const DIRECTORIES: usize = 24_000;
const FILES: usize = 480_000;

#[derive(Default)]
struct Directory {
    directories: Vec<Directory>,
    files: Vec<u64>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

/// Shares out directories and files to `directory`, most of them to its first children.
fn grow(directory: &mut Directory, mut directories: usize, mut files: usize, random: &mut Random, depth: usize) {
    let own = if directories == 0 { files } else { random.below(files.min(40) + 1) };
    directory.files = (0..own).map(|_| random.below(1 << 20) as u64).collect();
    files -= own;
    while directories > 0 {
        // Every seventh directory has all the rest in one child, which makes long paths.
        let all = depth < 200 && random.below(7) == 0;
        let below = if all { directories } else { 1 + random.below(directories) };
        let share = if below == directories { files } else { files * below / directories };
        let mut child = Directory::default();
        grow(&mut child, below - 1, share, random, depth + 1);
        directory.directories.push(child);
        directories -= below;
        files -= share;
    }
}

/// The size of a file after packing, by its blocks.
fn pack(file: u64) -> u64 {
    let mut x = file | 1;
    let mut size = 0;
    for _ in 0..600 + file % 1200 {
        x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(17) ^ file;
        size += x & 15;
    }
    size
}

fn total_recursive(directory: &Directory) -> u64 {
    let (below, own) = rayon::join(
        || directory.directories.par_iter().map(total_recursive).sum::<u64>(),
        || directory.files.par_iter().map(|&file| pack(file)).sum::<u64>(),
    );
    below + own
}

fn list(directory: &Directory, files: &mut Vec<u64>) {
    files.extend(&directory.files);
    for child in &directory.directories {
        list(child, files);
    }
}

fn total_listed(directory: &Directory) -> u64 {
    let mut files = Vec::new();
    list(directory, &mut files);
    files.par_iter().map(|&file| pack(file)).sum()
}

fn main() {
    let listed = std::env::args().nth(1).is_some_and(|variant| variant == "listed");
    let mut root = Directory::default();
    grow(&mut root, DIRECTORIES, FILES, &mut Random(0x1234_5678_9abc_def1), 0);
    let total = if listed { total_listed(&root) } else { total_recursive(&root) };
    println!("{total}");
}
