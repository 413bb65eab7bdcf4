//! The machine that the program runs on.

use std::fs;
use std::thread;

/// Name of the processor, from the kernel.
pub(crate) fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    processor_in(&text)
}

/// Whether the processor reports that it runs under a hypervisor.
pub(crate) fn is_virtual() -> bool {
    fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| is_virtual_in(&text))
}

/// Number of processors that this process may use, at least 1.
pub(crate) fn cores() -> u32 {
    thread::available_parallelism()
        .ok()
        .and_then(|cores| u32::try_from(cores.get()).ok())
        .unwrap_or(1)
}

fn processor_in(cpuinfo: &str) -> Option<String> {
    let name = value_of("model name", cpuinfo).or_else(|| value_of("Model", cpuinfo))?;
    Some(if is_virtual_in(cpuinfo) {
        format!("{name} (virtual machine)")
    } else {
        name.to_owned()
    })
}

fn is_virtual_in(cpuinfo: &str) -> bool {
    value_of("flags", cpuinfo)
        .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"))
}

fn value_of<'a>(key: &str, cpuinfo: &'a str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_of_a_virtual_machine_is_marked() {
        let cpuinfo =
            "processor\t: 0\nmodel name\t: Example CPU @ 2.00GHz\nflags\t\t: fpu hypervisor tsc\n";
        assert_eq!(
            processor_in(cpuinfo).as_deref(),
            Some("Example CPU @ 2.00GHz (virtual machine)")
        );
        assert_eq!(processor_in("processor: 0\n"), None);
    }
}
