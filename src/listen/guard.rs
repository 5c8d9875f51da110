//! Who may ask, and what every answer carries.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{AppendHeaders, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Headers of every answer, where the route has none of its own.
const STRICT: &[(HeaderName, &str)] = &[
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];

/// The token, hashed: hashes can be compared without telling by the time how much of the token was right.
pub(super) struct Guard {
    token: Option<[u8; 32]>,
}

impl Guard {
    pub(super) fn new(token: &str) -> Self {
        Self { token: (!token.is_empty()).then(|| Sha256::digest(token).into()) }
    }

    /// Whether the request carries the token, or, without one, names this machine.
    pub(super) fn admits(&self, request: &Request) -> bool {
        let text = |name| request.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        match self.token {
            Some(token) => text(header::AUTHORIZATION)
                .and_then(given)
                .is_some_and(|given| <[u8; 32]>::from(Sha256::digest(given)) == token),
            None => text(header::HOST).is_some_and(is_loopback),
        }
    }
}

/// The token that a request gives: as a bearer's, or as a password, which is how a browser can ask for it.
fn given(authorization: &str) -> Option<Vec<u8>> {
    if let Some(token) = authorization.strip_prefix("Bearer ") {
        return Some(token.as_bytes().to_vec());
    }
    let pair = STANDARD.decode(authorization.strip_prefix("Basic ")?).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    Some(pair[colon + 1..].to_vec())
}

fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.parse().map_or(name.eq_ignore_ascii_case("localhost"), |ip: std::net::IpAddr| ip.is_loopback())
}

/// Answers 401 or 403 to those who may not ask.
pub(super) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if guard.admits(&request) {
        return next.run(request).await;
    }
    match guard.token {
        Some(_) => (
            StatusCode::UNAUTHORIZED,
            AppendHeaders([
                (header::WWW_AUTHENTICATE, "Basic realm=\"pagesieve\", charset=\"UTF-8\""),
                (header::WWW_AUTHENTICATE, "Bearer"),
            ]),
            "give the token of `listen.token` as `Authorization: Bearer …`, or as the password of any user\n",
        )
            .into_response(),
        None => (StatusCode::FORBIDDEN, "only requests to localhost are answered\n").into_response(),
    }
}

/// Adds what a browser must know.
pub(super) async fn strict(mut answer: Response) -> Response {
    for (name, value) in STRICT {
        answer.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: HeaderName, value: &str) -> Request {
        Request::builder().header(name, value).body(axum::body::Body::empty()).unwrap()
    }

    #[test]
    fn without_a_token_only_loopback_names_are_answered() {
        let guard = Guard::new("");
        for host in ["localhost", "LOCALHOST:9", "127.0.0.1:9100", "[::1]:9100", "127.8.8.8"] {
            assert!(guard.admits(&request(header::HOST, host)), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:9", "10.0.0.1", "", "127.0.0.1.nip.io"] {
            assert!(!guard.admits(&request(header::HOST, host)), "{host}");
        }
    }

    #[test]
    fn a_token_must_be_whole_and_right() {
        let guard = Guard::new("secret");
        assert!(guard.admits(&request(header::AUTHORIZATION, "Bearer secret")));
        // `anyone:secret`, `:secret`, `anyone:x:secret`, `secret`, `secret:`
        assert!(guard.admits(&request(header::AUTHORIZATION, "Basic YW55b25lOnNlY3JldA==")));
        assert!(guard.admits(&request(header::AUTHORIZATION, "Basic OnNlY3JldA==")));
        for wrong in ["Basic YW55b25lOng6c2VjcmV0", "Basic c2VjcmV0", "Basic c2VjcmV0Og==", "Basic %%"] {
            assert!(!guard.admits(&request(header::AUTHORIZATION, wrong)), "{wrong}");
        }
        for wrong in ["Bearer secre", "Bearer secrets", "secret", "Basic secret", "Bearer "] {
            assert!(!guard.admits(&request(header::AUTHORIZATION, wrong)), "{wrong}");
        }
        assert!(!guard.admits(&request(header::HOST, "localhost")));
    }
}
