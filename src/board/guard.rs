//! Who may ask: requests that know the token, for the address that is served, from a page of ours or from no page.

use std::net::SocketAddr;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use subtle::ConstantTimeEq as _;

/// The token in the address of the board: 128 random bits as hexadecimal digits.
#[derive(Clone)]
pub(super) struct AccessToken(String);

impl AccessToken {
    pub(super) fn random() -> Result<AccessToken, getrandom::Error> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes)?;
        Ok(AccessToken(bytes.map(|byte| format!("{byte:02x}")).concat()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

/// Checks requests.
pub(super) struct Guard {
    token: AccessToken,
    /// The values of `Host` under which the board is served.
    hosts: Vec<String>,
}

impl Guard {
    pub(super) fn new(token: AccessToken, address: SocketAddr) -> Guard {
        Guard { token, hosts: vec![address.to_string(), format!("localhost:{}", address.port())] }
    }

    /// Admits a request or says why not. A name in `Host` that is not ours is that of a page elsewhere which has made its name lead
    /// here; a foreign `Origin` is that of a page elsewhere which knows the address.
    pub(super) fn admit(&self, path: &str, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let text = |name| headers.get(name).map(HeaderValue::as_bytes);
        for name in [header::HOST, header::ORIGIN] {
            if headers.get_all(&name).iter().nth(1).is_some() {
                return Err((StatusCode::FORBIDDEN, "it has two addresses"));
            }
        }
        // Upper and lower case are equal in the names of hosts.
        let host = text(header::HOST)
            .and_then(|host| self.hosts.iter().find(|known| known.as_bytes().eq_ignore_ascii_case(host)));
        let Some(host) = host else { return Err((StatusCode::FORBIDDEN, "the board has another address")) };
        let is_own = |origin: &[u8]| {
            origin.strip_prefix(b"http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host.as_bytes()))
        };
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        // A browser that follows an address says `none`; the file that leads to the board is another site.
        let is_navigation = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
        let is_own_site = site.is_none_or(|site| matches!(site, b"same-origin" | b"none")) || is_navigation;
        if !text(header::ORIGIN).is_none_or(is_own) || !is_own_site {
            return Err((StatusCode::FORBIDDEN, "it comes from another page"));
        }
        let token = path.split('/').nth(1).unwrap_or_default();
        if bool::from(token.as_bytes().ct_eq(self.token.0.as_bytes())) {
            Ok(())
        } else {
            Err((StatusCode::NOT_FOUND, "there is no such board"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_other_pages_and_other_tokens_are_refused() {
        let token = AccessToken::random().unwrap();
        assert_eq!((token.text().len(), token.text() == AccessToken::random().unwrap().text()), (32, false));
        let own = format!("/{}/", token.text());
        let guard = Guard::new(token, SocketAddr::from(([127, 0, 0, 1], 8080)));
        let admit = |path: &str, lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, value.parse().unwrap());
            }
            guard.admit(path, &headers).map_err(|(status, _)| status.as_u16())
        };
        let here = ("host", "127.0.0.1:8080");
        for good in [
            &[here][..],
            &[
                ("host", "localhost:8080"),
                ("origin", "http://localhost:8080"),
                ("sec-fetch-site", "same-origin"),
            ],
            &[("host", "LOCALHOST:8080"), ("origin", "http://localhost:8080")],
            &[here, ("sec-fetch-site", "none")],
            &[here, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")],
        ] {
            assert_eq!(admit(&own, good), Ok(()), "{good:?}");
        }
        for bad in [
            &[][..],
            &[("host", "evil.example:8080")],
            &[("host", "127.0.0.1")],
            &[here, ("origin", "http://evil.example")],
            &[here, ("origin", "null")],
            &[here, here],
            &[here, ("origin", "http://127.0.0.1:8080"), ("origin", "http://evil.example")],
            &[here, ("origin", "https://127.0.0.1:8080")],
            &[here, ("origin", "http://localhost:8080")],
            &[here, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")],
            &[here, ("sec-fetch-site", "same-site")],
        ] {
            assert_eq!(admit(&own, bad), Err(403), "{bad:?}");
        }
        for path in ["/", "", "/0123456789abcdef0123456789abcdef/", &own[..32], &format!("/{own}")] {
            assert_eq!(admit(path, &[here]), Err(404), "{path}");
        }
    }
}
