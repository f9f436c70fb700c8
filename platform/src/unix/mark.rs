//! A mark by which all processes that a program has started are found, wherever they have gone.
//!
//! A process leaves its group by `setsid`, and nobody remembers whose child it was once its parent has ended. Its environment stays
//! what it was, so each program gets a variable of its own. A program that empties the environment of its children is not
//! followed there. Jenkins ends what its builds have left in the same way. Without `/proc` nothing is found.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal};

use crate::usage::status;

/// Name of the variable. Its words are the marks of the program, and of the programs of Herald's that have started it in turn.
pub(crate) const VARIABLE: &str = "HERALD_STARTED";

/// Longest time for looks at processes: one that starts another while it is killed needs a second look, and so does one that is just
/// becoming another program, which has no environment for a moment. On a busy machine a moment can last.
const LONGEST_LOOK: Duration = Duration::from_secs(1);
/// Pause before another look.
const MOMENT: Duration = Duration::from_millis(3);

/// Where the address of the environment stands in the status of a process, behind its name (`env_start`, see `proc_pid_stat(5)`).
const ENVIRONMENT_START: usize = 47;

/// What the marks of this process begin with. The time tells it from an earlier process of the same number.
static OWNER: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", std::process::id(), now.as_nanos())
});

/// A mark that no other program has.
pub(crate) struct Mark(String);

impl Mark {
    /// What the marks of all programs begin with that this process starts, up to a point.
    pub(crate) fn owner() -> &'static str {
        &OWNER
    }

    /// Marks a program that is going to be started.
    pub(crate) fn put_on(command: &mut Command) -> Mark {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}.{}", *OWNER, COUNT.fetch_add(1, Ordering::Relaxed));
        let mut value = std::env::var_os(VARIABLE).unwrap_or_default();
        value.push(" ");
        value.push(&mark);
        command.env(VARIABLE, value);
        Mark(mark)
    }

    /// Kills all processes with this mark.
    pub(crate) fn kill_all(&self) {
        let until = Instant::now() + LONGEST_LOOK;
        loop {
            let marked = self.processes();
            let may_hide = numbers().into_iter().any(is_between_programs);
            if marked.is_empty() && !may_hide {
                return;
            }
            for process in marked.into_iter().filter_map(|number| Pid::from_raw(number.cast_signed())) {
                // It may have ended meanwhile.
                let _ = rustix::process::kill_process(process, Signal::KILL);
            }
            if Instant::now() >= until {
                return;
            }
            thread::sleep(MOMENT);
        }
    }

    /// The numbers of the processes with this mark. Those that have ended have no environment, even if nobody has waited for them.
    pub(crate) fn processes(&self) -> Vec<u32> {
        numbers().into_iter().filter(|&number| self.is_on(number)).collect()
    }

    fn is_on(&self, process: u32) -> bool {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let mut values = environment
            .split(|&byte| byte == 0)
            .filter_map(|variable| variable.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"="));
        values.any(|value| value.split(|&byte| byte == b' ').any(|word| word == self.0.as_bytes()))
    }
}

/// The numbers of all processes but the first.
fn numbers() -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|&number| number > 1).collect()
}

/// Whether a process is starting another program (`exec`) at this moment: it runs and has no place for an environment. An empty one has a
/// place. The threads of the kernel have none either; their parent is 2, or none.
fn is_between_programs(process: u32) -> bool {
    let folder = format!("/proc/{process}");
    let is_empty = fs::read(format!("{folder}/environ")).is_ok_and(|environment| environment.is_empty());
    is_empty
        && status(Path::new(&folder)).is_some_and(|status| match status.as_slice() {
            [state, parent, ..] => {
                !["Z", "X"].contains(&state.as_str())
                    && !["0", "2"].contains(&parent.as_str())
                    && status.get(ENVIRONMENT_START).is_none_or(|address| address == "0")
            }
            _ => false,
        })
}

/// Returns the numbers of a process and of its descendants, whatever their sessions and groups, and those of `others` with theirs.
pub(crate) fn family(process: u32, others: Vec<u32>) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Some(parent) = parent(&entry.path()) else { continue };
        children.entry(parent).or_default().push(number);
    }
    let mut family = others;
    family.push(process);
    let mut next = 0;
    while let Some(member) = family.get(next) {
        let more = children.remove(member).unwrap_or_default();
        family.extend(more);
        next += 1;
    }
    family.sort_unstable();
    family.dedup();
    family
}

fn parent(process: &Path) -> Option<u32> {
    status(process)?.get(1)?.parse().ok()
}
