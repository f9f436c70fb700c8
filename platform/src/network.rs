//! Time-outs of TCP connections.

use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};

/// Time without a byte after which the system asks whether the other end is still there, and again each time.
const INTERVAL: Duration = Duration::from_secs(5);
/// Number of questions without an answer after which the connection is lost.
const QUESTIONS: u32 = 3;

/// Makes the system notice within twenty seconds that the other end of a TCP connection has vanished without a word, as when a
/// machine or a cable fails, whether or not there are bytes to be sent.
///
/// # Errors
/// The system does not allow it.
pub fn notice_dead_peer<'a, S>(socket: &'a S) -> io::Result<()>
where
    SockRef<'a>: From<&'a S>,
{
    let socket = SockRef::from(socket);
    let keepalive = TcpKeepalive::new().with_time(INTERVAL).with_interval(INTERVAL).with_retries(QUESTIONS);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(INTERVAL * (QUESTIONS + 1)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_time_outs_are_set() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stream = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        notice_dead_peer(&stream).expect("allowed");
        let socket = SockRef::from(&stream);
        assert!(socket.keepalive().expect("an option"));
        #[cfg(target_os = "linux")]
        assert_eq!(socket.tcp_user_timeout().expect("an option"), Some(Duration::from_secs(20)));
    }
}
