// Records are built in parallel, summed in parallel, and freed by the main thread at the end of a function.
use rayon::prelude::*;

struct Record {
    fields: Vec<String>,
}

fn parse(number: u32) -> Record {
    let fields = (0..16)
        .map(|field| format!("{number}-{field}-some more text here"))
        .collect();
    Record { fields }
}

fn analyse(count: u32) -> usize {
    let records: Vec<Record> = (0..count).into_par_iter().map(parse).collect();
    let letters = records
        .par_iter()
        .map(|record| record.fields.iter().map(String::len).sum::<usize>())
        .sum();
    letters
} //@ here

fn main() {
    let mut letters = 0;
    for _ in 0..4 {
        letters += analyse(120_000);
    }
    println!("{letters}");
}
