//! Authentication of the director on the web page: commands must carry the director's token and come from the page
//! itself.
//!
//! The token is sent in a header that a page of another origin cannot make a browser send. There is no cookie or
//! session, so cross-site request forgery is impossible. Wrong tokens are counted by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::referee::settings::is_same;

/// Number of wrong tokens that an address may send within the period below; further requests from it are refused until
/// the period has passed.
const MOST_FAILURES: u32 = 5;
const FAILURES_LAST: Duration = Duration::from_mins(1);
/// Number of addresses whose failures are remembered. While the memory is full, nobody can sign in.
const MOST_ADDRESSES: usize = 10_000;

/// Checks the director's token.
pub(super) struct DirectorAuth {
    token: String,
    /// Number of wrong tokens from each address, and the start of the period.
    failures: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

/// Why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthError {
    /// The request comes from a page of another origin.
    CrossSite,
    /// The token is missing or wrong.
    WrongToken,
    /// The address has sent too many wrong tokens.
    TooMany,
}

impl AuthError {
    /// Returns the response to the refused request.
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

    /// Checks that a command carries the token, in the header `Authorization: Bearer TOKEN`. A page of another origin
    /// cannot make a browser send this header.
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

/// Whether the request comes from our own page, as far as the client says. Clients other than browsers do not say.
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
