//! `herald referee --as-witness`: the third party of two referees.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, anyhow};
use arena::referee::server::Witness;
use platform::signals;
use players::transport::TransportListener;

use super::console;
use super::options::EventOptions;
use crate::WrongInput;

/// Answers claims until a signal comes.
pub(super) fn run(address: SocketAddr, options: &EventOptions) -> Result<()> {
    let (token, security) = options.witness_identity(address).map_err(WrongInput::of)?;
    let listener = TransportListener::bind(&address.to_string(), security);
    let listener =
        listener.map_err(|error| WrongInput::of(anyhow!("no claims can be taken at {address}: {error}")))?;
    let bound = listener.address()?;
    let witness = Witness::new(listener, token, options.folder())?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = signals::set_flag(&signals::ALL, &stop)?;
    console::say(&format!("claims may come to {bound}"));
    witness.run(&stop, &console::say);
    stopping.cancel();
    Ok(())
}
