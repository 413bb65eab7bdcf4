//! The machine that the program runs on.

use std::fs;
use std::thread;

/// Name of the processor, as the kernel gives it.
pub(crate) fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    processor_in(&text)
}

/// Number of processors that this process may use, at least 1.
pub(crate) fn cores() -> u32 {
    thread::available_parallelism()
        .ok()
        .and_then(|cores| u32::try_from(cores.get()).ok())
        .unwrap_or(1)
}

fn processor_in(cpuinfo: &str) -> Option<String> {
    let value = |key: &str| {
        cpuinfo.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key).then(|| value.trim().to_owned())
        })
    };
    let name = value("model name").or_else(|| value("Model"))?;
    let virtual_machine =
        value("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    Some(if virtual_machine {
        format!("{name} (virtual machine)")
    } else {
        name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_found_with_its_hypervisor() {
        let cpuinfo =
            "processor\t: 0\nmodel name\t: Example CPU @ 2.00GHz\nflags\t\t: fpu hypervisor tsc\n";
        assert_eq!(
            processor_in(cpuinfo).as_deref(),
            Some("Example CPU @ 2.00GHz (virtual machine)")
        );
        assert_eq!(processor_in("processor: 0\n"), None);
    }
}
