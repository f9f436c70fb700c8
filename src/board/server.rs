//! HTTP for the board: its page, commands, and the stream of messages. docs/BOARD.md describes it.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::serve::Listener;
use futures_util::StreamExt as _;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocols::browser::{BrowserCommand, SessionHandle};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::guard::{AccessToken, Guard};
use super::sessions::{MOST_SESSIONS, SessionTable};
use super::{Signpost, take_down};

/// Maximum length of a command, in bytes.
const LONGEST_COMMAND: usize = 64 * 1024;
/// Maximum length of games to be loaded, in bytes.
const LONGEST_GAMES: usize = 16 << 20;
/// How often sessions without a page are looked for.
const ROUND: Duration = Duration::from_mins(1);

/// How long a connection may be without a request or in the head of one. Idle ones would take the place of the page.
const LONGEST_HEAD: Duration = Duration::from_secs(10);

const JSON: &str = "application/json";

/// Serves the board until the program ends.
pub(super) async fn serve(
    listener: TcpListener,
    address: SocketAddr,
    token: AccessToken,
    sessions: SessionTable,
    signpost: Signpost,
) -> Result<()> {
    let rounds = sessions.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(ROUND).await;
            rounds.end_idle();
        }
    });
    let asset = |kind: &'static str, text: &'static str| get(move || async move { reply(kind, text) });
    let page = get(move || async move {
        take_down(&signpost);
        reply("text/html; charset=utf-8", pages::app::page())
    });
    let routes = Router::new()
        .route("/{token}/", page)
        .route("/{token}/board.css", asset("text/css; charset=utf-8", pages::STYLE))
        .route("/{token}/board.js", asset("text/javascript; charset=utf-8", pages::SCRIPT))
        .route("/{token}/app.css", asset("text/css; charset=utf-8", pages::app::STYLE))
        .route("/{token}/app.js", asset("text/javascript; charset=utf-8", pages::app::SCRIPT))
        .route("/{token}/icon.svg", asset("image/svg+xml", pages::ICON))
        .route("/{token}/sessions", post(open))
        .route("/{token}/sessions/{id}/events", get(events))
        .route("/{token}/sessions/{id}/commands", post(command).layer(DefaultBodyLimit::max(LONGEST_COMMAND)))
        .route("/{token}/sessions/{id}/games", post(load).layer(DefaultBodyLimit::max(LONGEST_GAMES)))
        .route("/{token}/sessions/{id}/game.pgn", get(pgn))
        .with_state(sessions)
        .layer(middleware::from_fn_with_state(Arc::new(Guard::new(token, address)), admit));
    serve_connections(listener, routes).await
}

/// Answers on each connection. `axum::serve` waits for a request without end.
async fn serve_connections(mut listener: TcpListener, routes: Router) -> ! {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(LONGEST_HEAD);
    loop {
        // This waits a second if there are too many connections.
        let (stream, _) = Listener::accept(&mut listener).await;
        let connection =
            server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes.clone()));
        // An error means that the connection was given up.
        tokio::spawn(async move { drop(connection.await) });
    }
}

async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.admit(request.uri().path(), request.headers()) {
        Ok(()) => explained(next.run(request).await),
        Err((status, text)) => refuse(status, text),
    }
}

/// Gives the refusals of the library our body: unknown paths, other methods, bodies that are too long.
fn explained(response: Response) -> Response {
    let is_ours = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == JSON);
    let text = match response.status() {
        status if !status.is_client_error() || is_ours => return response,
        StatusCode::NOT_FOUND => "there is nothing at this address",
        StatusCode::METHOD_NOT_ALLOWED => "this address has another method",
        StatusCode::PAYLOAD_TOO_LARGE => "the body is too long",
        _ => "the request is not understood",
    };
    let mut refusal = refuse(response.status(), text);
    if let Some(methods) = response.headers().get(header::ALLOW) {
        refusal.headers_mut().insert(header::ALLOW, methods.clone());
    }
    refusal
}

/// Makes a response with the headers of all pages.
fn reply(kind: &'static str, text: impl Into<String>) -> Response {
    let mut response = with_headers(text.into().into_response());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn with_headers(mut response: Response) -> Response {
    for (name, value) in pages::HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

fn refuse(status: StatusCode, error: &str) -> Response {
    let mut response = reply(JSON, json!({ "error": error }).to_string());
    *response.status_mut() = status;
    response
}

fn no_session() -> Response {
    refuse(StatusCode::NOT_FOUND, "the session has ended")
}

async fn open(State(sessions): State<SessionTable>) -> Response {
    // Starting an engine allocates its hash table.
    let opened = tokio::task::spawn_blocking(move || sessions.open()).await;
    match opened {
        Ok(Ok(Some(id))) => reply(JSON, json!({ "session": id }).to_string()),
        Ok(Ok(None)) => {
            let error = format!("{MOST_SESSIONS} boards are open already; close one");
            refuse(StatusCode::SERVICE_UNAVAILABLE, &error)
        }
        Ok(Err(error)) => {
            refuse(StatusCode::SERVICE_UNAVAILABLE, &format!("no engine can be started: {error}"))
        }
        Err(_) => refuse(StatusCode::SERVICE_UNAVAILABLE, "no engine can be started"),
    }
}

async fn events(State(sessions): State<SessionTable>, Path((_, id)): Path<(String, String)>) -> Response {
    let Some(messages) = sessions.watch(&id) else { return no_session() };
    let events = messages
        .map(|message| Ok::<_, Infallible>(Event::default().event(message.name).data(&*message.json)));
    with_headers(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

/// Asks a session and waits for its answer.
async fn ask(ask: impl FnOnce(oneshot::Sender<Result<(), String>>)) -> Response {
    let (sender, answer) = oneshot::channel();
    ask(sender);
    match answer.await {
        Ok(Ok(())) => with_headers(StatusCode::NO_CONTENT.into_response()),
        Ok(Err(error)) => refuse(StatusCode::BAD_REQUEST, &error),
        Err(_) => no_session(),
    }
}

async fn command(
    State(sessions): State<SessionTable>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    // A page elsewhere can't send this type without asking first, which is not answered.
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| kind.trim() != JSON) {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a command is application/json");
    }
    let Some(session) = sessions.find(&id) else { return no_session() };
    match serde_json::from_slice::<BrowserCommand>(&body) {
        Ok(command) => ask(|answer| session.command(command, reply_to(answer))).await,
        Err(error) => refuse(StatusCode::BAD_REQUEST, &format!("that is no command: {error}")),
    }
}

async fn load(
    State(sessions): State<SessionTable>,
    Path((_, id)): Path<(String, String)>,
    body: Bytes,
) -> Response {
    let Some(session) = sessions.find(&id) else { return no_session() };
    ask(|answer| session.load(body.into(), reply_to(answer))).await
}

fn reply_to(answer: oneshot::Sender<Result<(), String>>) -> protocols::browser::CommandReply {
    // Fails only if the page no longer waits.
    Box::new(move |result| drop(answer.send(result)))
}

async fn pgn(State(sessions): State<SessionTable>, Path((_, id)): Path<(String, String)>) -> Response {
    let Some(session): Option<SessionHandle> = sessions.find(&id) else { return no_session() };
    let (sender, answer) = oneshot::channel();
    session.pgn(move |pgn| drop(sender.send(pgn)));
    answer.await.map_or_else(|_| no_session(), |pgn| reply("application/x-chess-pgn; charset=utf-8", pgn))
}
