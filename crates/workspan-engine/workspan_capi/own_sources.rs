//! What the library was made of.

/// The hash of the sources that the library was made of: the command knows by it which library is its own.
#[no_mangle]
pub static WORKSPAN_LIBRARY_SOURCES: [u8; 16] = {
    const HASH: &[u8] = match option_env!("WORKSPAN_SOURCES") {
        Some(hash) => hash.as_bytes(),
        None => &[b'?'; 16],
    };
    let mut sources = [0; 16];
    let mut at = 0;
    while at < sources.len() {
        sources[at] = HASH[at];
        at += 1;
    }
    sources
};
