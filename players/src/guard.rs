//! Somebody who stays when we are killed.
//!
//! Against SIGKILL there is no help from inside, and not every program leaves when its input ends: Sjeng runs on, at full
//! load, and spoils the time of the match that goes on. So a shell of its own process group hears of each program, and kills
//! what is left when it hears no more.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

/// What the shell does. Signals that are meant for us don't end it before us.
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
"#;

/// The one that watches over all programs of this process, from the first on.
static GUARD: Mutex<Option<Guard>> = Mutex::new(None);

/// A shell that waits for our end.
struct Guard {
    /// Closed when we end, however that comes about.
    input: ChildStdin,
}

/// Has a process group killed when this process ends. Where that can't be had, programs are killed by us alone.
pub(crate) fn entrust(group: Pid) {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    if guard.is_none() {
        *guard = Guard::start().ok();
    }
    tell(&mut guard, "started", group);
}

/// Says that a process group has ended: its number may go to others.
pub(crate) fn release(group: Pid) {
    tell(&mut GUARD.lock().unwrap_or_else(PoisonError::into_inner), "ended", group);
}

/// Tells the guard; one that is not there any more will be missed when the next program is started.
fn tell(guard: &mut Option<Guard>, event: &str, group: Pid) {
    if guard.as_mut().is_some_and(|guard| guard.tell(event, group).is_err()) {
        *guard = None;
    }
}

impl Guard {
    fn start() -> io::Result<Guard> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let input = command.spawn()?.stdin.take();
        input.map(|input| Guard { input }).ok_or_else(|| io::Error::other("no pipe"))
    }

    fn tell(&mut self, event: &str, group: Pid) -> io::Result<()> {
        // In one piece: what is killed must not be half a number.
        self.input.write_all(format!("{event} {group}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::process::Child;
    use std::time::{Duration, Instant};

    use super::*;

    fn sleeper() -> (Child, Pid) {
        let child = Command::new("sleep").arg("100").process_group(0).spawn().expect("sleep is there");
        let group = Pid::from_child(&child);
        (child, group)
    }

    #[test]
    fn what_is_left_at_our_end_is_killed_and_nothing_else() {
        let [(mut left, one), (mut ended, two), (mut last, three)] = std::array::from_fn(|_| sleeper());
        let mut guard = Guard::start().expect("there is a shell");
        for (event, group) in [("started", one), ("started", two), ("started", three), ("ended", two)] {
            guard.tell(event, group).expect("the shell listens");
        }
        // The end of this process looks the same to it.
        drop(guard);
        let until = Instant::now() + Duration::from_secs(10);
        for child in [&mut left, &mut last] {
            while child.try_wait().expect("our child").is_none() {
                assert!(Instant::now() < until, "it still runs");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        assert!(ended.try_wait().expect("our child").is_none(), "it was another's");
        ended.kill().and_then(|()| ended.wait()).expect("our child");
    }
}
