//! A process that kills the started programs when Herald itself is killed.
//!
//! SIGKILL cannot be caught, and not every program ends with its input: Sjeng runs on at full load and takes processor time from
//! the match when it is resumed. So a shell in a process group of its own gets a line for each program that starts or ends, and
//! kills the remaining ones when its input is closed.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

use super::mark::{Mark, VARIABLE};

/// Script of the shell. It ignores signals that are meant for Herald, so that it doesn't end first. Its operands are the name of the
/// variable with the mark, and what the marks begin with.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=
while read -r event group; do
    others=
    for other in $groups; do
        [ "$other" = "$group" ] || others="$others $other"
    done
    [ "$event" = started ] && groups="$others $group" || groups=$others
done
for group in $groups; do
    kill -s KILL -- "-$group"
done
for marked in $(grep -lsz "^$1=.* $2[.]" /proc/[0-9]*/environ); do
    marked=${marked#/proc/}
    kill -s KILL "${marked%/environ}"
done
"#;

/// Started with the first program.
static WATCHDOG: Mutex<Option<Watchdog>> = Mutex::new(None);

/// A shell that waits for the end of this process.
struct Watchdog {
    /// Its input is closed when this process ends in any way.
    shell: Child,
}

/// Has a process group killed when this process ends. Has no effect on a system without a shell.
pub(crate) fn entrust(group: Pid) {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    if watchdog.is_none() {
        *watchdog = Watchdog::start(Mark::owner()).ok();
    }
    tell(&mut watchdog, "started", group);
}

/// Removes a process group that has ended: the system may reuse its number.
pub(crate) fn release(group: Pid) {
    tell(&mut WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner), "ended", group);
}

/// Sends an event to the watchdog. If that has ended, another one is started with the next program.
fn tell(watchdog: &mut Option<Watchdog>, event: &str, group: Pid) {
    if watchdog.as_mut().is_some_and(|watchdog| watchdog.tell(event, group).is_err()) {
        *watchdog = None;
    }
}

impl Watchdog {
    /// Starts a watchdog for the process whose marks begin with `owner`.
    fn start(owner: &str) -> io::Result<Watchdog> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "watchdog", VARIABLE, owner]).process_group(0);
        // It outlives this process, also where another one would kill it with that.
        command.env_remove(VARIABLE);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Watchdog { shell: command.spawn()? })
    }

    fn tell(&mut self, event: &str, group: Pid) -> io::Result<()> {
        // In one write: a partial number would be another process group.
        let Some(input) = &mut self.shell.stdin else { return Err(io::Error::other("no pipe")) };
        input.write_all(format!("{event} {group}\n").as_bytes())
    }
}

/// One that has ended, for it doesn't listen, must not stay as a zombie.
impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::process::Child;
    use std::time::{Duration, Instant};

    use super::*;

    fn sleeper(mark: &str) -> (Child, Pid) {
        let mut command = Command::new("sleep");
        let child = command.arg("100").env(VARIABLE, mark).process_group(0).spawn().expect("sleep is there");
        let group = Pid::from_child(&child);
        (child, group)
    }

    #[test]
    fn what_is_left_at_our_end_is_killed_and_nothing_else() {
        let [(mut left, one), (mut ended, two), (mut last, three)] = std::array::from_fn(|_| sleeper(""));
        let owner = format!("test-{}", std::process::id());
        // Of one of our programs that another Herald has started, and one of another Herald's.
        let (mut strayed, _) = sleeper(&format!(" 1-1.1 {owner}.1"));
        let (mut other, _) = sleeper(&format!(" {owner}0.1"));
        let mut watchdog = Watchdog::start(&owner).expect("there is a shell");
        for (event, group) in [("started", one), ("started", two), ("started", three), ("ended", two)] {
            watchdog.tell(event, group).expect("the shell listens");
        }
        // Dropping closes the input, as the end of this process does.
        drop(watchdog);
        let until = Instant::now() + Duration::from_secs(10);
        for child in [&mut left, &mut last, &mut strayed] {
            while child.try_wait().expect("our child").is_none() {
                assert!(Instant::now() < until, "it still runs");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        for child in [&mut ended, &mut other] {
            assert!(child.try_wait().expect("our child").is_none(), "it was another's");
            child.kill().and_then(|()| child.wait()).expect("our child");
        }
    }
}
