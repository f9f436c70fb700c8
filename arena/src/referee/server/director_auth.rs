//! The director at the page: orders that come with the director's token, and from nowhere but the page.
//!
//! The token stands in a header that no other page can make a browser send, so that there is no session to steal or to ride on;
//! wrong tokens are counted by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::referee::settings::is_same;

/// So many wrong tokens may come from an address in so long a time; then nothing is heard from it until the time is over.
const MOST_FAILURES: u32 = 5;
const FAILURES_LAST: Duration = Duration::from_mins(1);
/// Failures of so many addresses are remembered; beyond that nobody signs in.
const MOST_ADDRESSES: usize = 10_000;

/// Knows the director.
pub(super) struct DirectorAuth {
    token: String,
    /// How many wrong tokens came from an address, and since when.
    failures: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

/// Why an order is not heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthError {
    /// It comes from a page of somebody else.
    CrossSite,
    /// It comes without the token, or with another.
    WrongToken,
    /// Too many wrong tokens came before.
    TooMany,
}

impl AuthError {
    /// What whoever gave the order is told.
    pub(super) fn answer(self) -> (StatusCode, &'static str) {
        match self {
            AuthError::CrossSite => (StatusCode::FORBIDDEN, "it comes from another page"),
            AuthError::WrongToken => (StatusCode::UNAUTHORIZED, "wrong token"),
            AuthError::TooMany => (StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens; wait a minute"),
        }
    }
}

impl DirectorAuth {
    pub(super) fn new(token: String) -> DirectorAuth {
        DirectorAuth { token, failures: Mutex::default() }
    }

    /// Whether an order is the director's. The token stands in the header `Authorization: Bearer TOKEN`, which no other page can
    /// make a browser send.
    pub(super) fn admit(&self, from: IpAddr, headers: &HeaderMap, at: Instant) -> Result<(), AuthError> {
        if !is_same_origin(headers) {
            return Err(AuthError::CrossSite);
        }
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|_, (_, since)| at.saturating_duration_since(*since) < FAILURES_LAST);
        let before = failures.get(&from).map_or(0, |(count, _)| *count);
        if before >= MOST_FAILURES || failures.len() >= MOST_ADDRESSES {
            return Err(AuthError::TooMany);
        }
        let told = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let told = told.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        if is_same(&self.token, told) {
            failures.remove(&from);
            return Ok(());
        }
        failures.entry(from).or_insert((0, at)).0 += 1;
        Err(AuthError::WrongToken)
    }
}

/// Whether a browser says that the request comes from our own page. What is no browser says nothing.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let has_site = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    let has_origin = headers.get(header::ORIGIN).is_none_or(|origin| {
        let origin = origin.as_bytes();
        let own = origin.strip_prefix(b"https://").or_else(|| origin.strip_prefix(b"http://"));
        own.is_some() && own == host
    });
    has_site && has_origin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn orders_of_other_pages_are_refused() {
        let auth = DirectorAuth::new("sesame-sesame".to_owned());
        let told = |more: &[(&'static str, &'static str)]| {
            let lines = [&[("host", "here:80"), ("authorization", "Bearer sesame-sesame")], more].concat();
            auth.admit(IpAddr::from([127, 0, 0, 1]), &headers(&lines), Instant::now())
        };
        assert_eq!(told(&[]), Ok(()));
        assert_eq!(told(&[("origin", "http://here:80"), ("sec-fetch-site", "same-origin")]), Ok(()));
        for other in [
            ("origin", "http://there:80"),
            ("origin", "null"),
            ("origin", "http://here:81"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "none"),
        ] {
            assert_eq!(told(&[other]), Err(AuthError::CrossSite), "{other:?}");
        }
    }

    #[test]
    fn nobody_can_go_on_guessing() {
        let auth = DirectorAuth::new("sesame-sesame".to_owned());
        let (here, there) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let right = headers(&[("authorization", "Bearer sesame-sesame")]);
        let now = Instant::now();
        for wrong in ["Bearer x", "Bearer ", "sesame-sesame", "Basic sesame-sesame", "Bearer sesame-sesame "]
        {
            let wrong = headers(&[("authorization", wrong)]);
            assert_eq!(auth.admit(here, &wrong, now), Err(AuthError::WrongToken));
        }
        assert_eq!(auth.admit(here, &right, now), Err(AuthError::TooMany));
        assert_eq!(auth.admit(there, &right, now), Ok(()));
        assert_eq!(auth.admit(here, &right, now + FAILURES_LAST), Ok(()));
    }
}
