//! The live page of an event, open to everybody who can connect to it. It is read-only except for the director's
//! commands.
//!
//! The page contains no chess rules: positions are sent as FEN. All text is inserted as text nodes, and the content
//! security policy forbids resources from elsewhere.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll};
use std::time::{Duration, Instant, SystemTime};

use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::{Listener, ListenerExt as _};
use futures_util::Stream;
use futures_util::stream::unfold;
use game::PgnTags;
use players::PgnFields;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, broadcast, mpsc, oneshot};
use tokio::time::Sleep;

use super::listener::ConnectionPermit;
use super::rate::RateLimiter;
use super::tls::{self, ByteStream};
use super::{
    ConnectionLimiter, ConnectionLimits, ConnectionListener, Director, ServiceError, ServiceMessage, Tls,
};
use crate::referee::Order;
use crate::referee::guesses::network;
use crate::referee::settings::is_same;
use crate::referee::view::{self, Opinions};
use crate::schedule::Fixture;
use crate::table::GameRecord;

/// A request of the page.
#[derive(Debug)]
pub(super) enum PageQuery {
    /// Table, games and log, as JSON.
    State,
    /// A game with all its moves, as JSON. Carries its number, from 0.
    Game(u64),
    /// A game in PGN. Carries its number, from 0.
    Pgn(u64),
    /// All finished games, in PGN.
    AllPgn,
    /// A game in PGN as viewers read it. Carries its number, from 0.
    BroadcastPgn(u64),
    /// The games in play and those that have just ended, in PGN as viewers read it.
    LivePgn,
}

/// What a page shows: an event, or a match.
pub(super) trait PageSource {
    /// Table, games and log.
    fn state(&self) -> Value;
    /// Shows a game in play or one that has ended; `None` if it is not known, or not any more.
    fn find(&self, number: u64, show: ShowGame<'_>) -> Result<Option<String>, ServiceError>;
    /// Shows the games that have just ended, and those in play.
    fn live(&self, show: ShowGame<'_>) -> Result<String, ServiceError>;
    /// All finished games, in PGN.
    fn all_pgn(&self) -> Option<String>;
    /// The tags of every game.
    fn tags(&self) -> PgnTags;
}

/// Describes a game, with what a third program thinks of it.
pub(super) type ShowGame<'a> = &'a dyn Fn(&Fixture, &GameRecord, Option<&Opinions>) -> String;

/// Answers a request of a page; `None` if the requested game is not known.
pub(super) fn answer(source: &impl PageSource, query: &PageQuery) -> Result<Option<String>, ServiceError> {
    let tags = source.tags();
    let broadcast: ShowGame<'_> = &|fixture, record, _| record.broadcast_pgn(fixture, &tags);
    match *query {
        PageQuery::State => Ok(Some(source.state().to_string())),
        PageQuery::Game(number) => source.find(number, &view::detail),
        PageQuery::Pgn(number) => {
            source.find(number, &|fixture, record, _| record.pgn_of(fixture, &tags, &PgnFields::default()))
        }
        PageQuery::AllPgn => Ok(source.all_pgn()),
        PageQuery::BroadcastPgn(number) => source.find(number, broadcast),
        PageQuery::LivePgn => source.live(broadcast).map(Some),
    }
}

/// Time for which a game that has ended stays among the live games, so that a viewer that asks now and then sees its result.
const RECENT: Duration = Duration::from_mins(5);
/// Maximum number of ended games among the live games.
pub(super) const MOST_RECENT: usize = 32;

/// Whether a game that ended at that moment still stands among the live games.
pub(super) fn is_recent(ended: SystemTime, now: SystemTime) -> bool {
    now.duration_since(ended).is_ok_and(|since| since < RECENT)
}

/// An update pushed to the page.
#[derive(Clone, Debug)]
pub(super) enum PageUpdate {
    /// The present state of a game in play, as JSON.
    Game(String),
    /// Something else has changed; the page has to request the state again.
    Changed,
    /// A third program's opinion on a position, as JSON.
    Third(String),
    /// The service ends. Carries the last state and the last games, as JSON.
    End(String),
}

/// Maximum number of updates queued for a slow page; beyond it the page has to request the state again.
const BACKLOG: usize = 1024;

/// Maximum length of a command, in bytes.
const LONGEST_ORDER: usize = 1024;

#[derive(Clone)]
struct PageState {
    service: Sender<ServiceMessage>,
    told: broadcast::Sender<PageUpdate>,
    /// Authenticates the director; `None` if the page accepts no commands.
    auth: Option<Arc<DirectorAuth>>,
    /// Requests that may wait for the deciding thread, so that few replies of programs wait behind them.
    turns: Arc<Semaphore>,
}

/// Maximum number of requests of the page that wait for the deciding thread.
const MOST_WAITING: usize = 2;

/// Requests that an address may make at once, and then in a second. A page makes some six in a second while games are fast.
const MOST_REQUESTS: f64 = 200.0;
const REQUESTS_PER_SECOND: f64 = 40.0;

/// Limits the requests of each address.
#[derive(Default)]
struct RequestLimiter(Mutex<HashMap<IpAddr, RateLimiter>>);

impl RequestLimiter {
    fn admits(&self, from: IpAddr, at: Instant) -> bool {
        let mut rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rates.len() >= MOST_ADDRESSES {
            rates.retain(|_, rate| !rate.is_full(at));
        }
        let is_full = rates.len() >= MOST_ADDRESSES;
        let new = || RateLimiter::new(REQUESTS_PER_SECOND, MOST_REQUESTS);
        match rates.entry(network(from)) {
            Entry::Occupied(mut rate) => rate.get_mut().take(1.0, at),
            Entry::Vacant(place) => !is_full && place.insert(new()).take(1.0, at),
        }
    }
}

/// Refuses the requests of an address that makes too many.
async fn limit_requests(
    State(limiter): State<Arc<RequestLimiter>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    if limiter.admits(from.ip(), Instant::now()) {
        return next.run(request).await;
    }
    let retry = [(header::RETRY_AFTER, HeaderValue::from_static("1"))];
    (StatusCode::TOO_MANY_REQUESTS, retry, "too many requests\n").into_response()
}

/// Makes the channel for updates.
pub(super) fn channel() -> broadcast::Sender<PageUpdate> {
    broadcast::channel(BACKLOG).0
}

/// Serves the page at an address, inside the network's runtime, and returns the local address. Commands are accepted
/// with the director's token.
pub(super) fn serve(
    address: SocketAddr,
    limits: ConnectionLimits,
    service: Sender<ServiceMessage>,
    told: broadcast::Sender<PageUpdate>,
    token: Option<String>,
    tls: Option<Tls>,
) -> io::Result<SocketAddr> {
    let (visits, to_log) = (service.clone(), service.clone());
    let listener = ConnectionListener::open(address, visits, limits, ConnectionLimiter::default())?;
    let address = listener.address;
    let page = |kind: &'static str, text: &'static str| get(move || async move { reply(kind, text) });
    let routes = Router::new()
        .route("/", get(index))
        .route("/live.css", page("text/css; charset=utf-8", LIVE_STYLE))
        .route("/board.css", page("text/css; charset=utf-8", pages::STYLE))
        .route("/board.js", page("text/javascript; charset=utf-8", pages::SCRIPT))
        .route("/icon.svg", page("image/svg+xml", pages::ICON))
        .route("/live.js", page("text/javascript; charset=utf-8", LIVE_SCRIPT))
        .route("/state.json", get(state))
        .route("/game/{name}", get(game))
        .route("/games.pgn", get(all_games))
        .route("/games/{name}", get(broadcast_game))
        .route("/live.pgn", get(live_games))
        .route("/events", get(events))
        .route("/order", post(order).layer(DefaultBodyLimit::max(LONGEST_ORDER)))
        .with_state(PageState {
            service,
            told,
            auth: token.map(|token| Arc::new(DirectorAuth::new(token))),
            turns: Arc::new(Semaphore::new(MOST_WAITING)),
        })
        .layer(from_fn_with_state(Arc::new(HostCheck::new(address, to_log)), check_host))
        .layer(from_fn_with_state(Arc::<RequestLimiter>::default(), limit_requests))
        .into_make_service_with_connect_info::<SocketAddr>();
    // `tap_io` is needed: only then does axum give the remote address of a custom listener.
    let listener = PageListener::open(listener, tls).tap_io(|_| ());
    // The server ends with the runtime of the service.
    tokio::spawn(axum::serve(listener, routes).into_future());
    Ok(address)
}

const LIVE_BODY: &str = include_str!("page/index.html");
const LIVE_STYLE: &str = include_str!("page/live.css");
const LIVE_SCRIPT: &str = include_str!("page/live.js");

async fn index() -> Response {
    reply("text/html; charset=utf-8", pages::served_page("live", LIVE_BODY))
}

/// The files of the page as a report, which opens from a disk: their names and contents. The state of the event is JSON. The games
/// are added as [`report_game`].
pub(super) fn report_files(state: &str) -> [(&'static str, String); 7] {
    let state = format!("\"use strict\";\nconst HERALD_REPORT = {};\n", pages::script_json(state));
    [
        ("index.html", pages::stored_page("live", "state", LIVE_BODY)),
        ("state.js", state),
        ("board.css", pages::STYLE.to_owned()),
        ("board.js", pages::SCRIPT.to_owned()),
        ("live.css", LIVE_STYLE.to_owned()),
        ("live.js", LIVE_SCRIPT.to_owned()),
        ("icon.svg", pages::ICON.to_owned()),
    ]
}

/// The script that gives the page of a report a game. Carries the game as JSON.
pub(super) fn report_game(game: &str) -> String {
    format!("heraldGame({});\n", pages::script_json(game))
}

/// What requests for other hosts are checked with, and where they are told, three at once and then one in ten seconds.
struct HostCheck {
    address: SocketAddr,
    service: Sender<ServiceMessage>,
    told: Mutex<RateLimiter>,
}

impl HostCheck {
    fn new(address: SocketAddr, service: Sender<ServiceMessage>) -> HostCheck {
        HostCheck { address, service, told: Mutex::new(RateLimiter::new(0.1, 3.0)) }
    }

    fn tell(&self, from: SocketAddr, host: Option<&str>) {
        let is_told = self.told.lock().unwrap_or_else(PoisonError::into_inner).take(1.0, Instant::now());
        if is_told {
            let host = game::excerpt(host.unwrap_or("none"));
            // Sending fails only if the service has ended.
            let text = format!(
                "a request from {from} is refused: it is for another host, `{host}` (told at most once in ten seconds)"
            );
            let _ = self.service.send(ServiceMessage::Warning(text));
        }
    }
}

/// Refuses requests for another host. A page elsewhere that has made its own name lead here would otherwise read ours.
async fn check_host(
    State(check): State<Arc<HostCheck>>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let host = host_of(&request);
    if host.as_deref().is_some_and(|host| is_own_host(check.address, host)) {
        return next.run(request).await;
    }
    check.tell(from, host.as_deref());
    (StatusCode::FORBIDDEN, "this page has another address\n").into_response()
}

/// The host that a request is for: that of its target, if it has one (RFC 9112, 3.2.2), else that of its `Host`, of which there must be
/// exactly one.
fn host_of(request: &Request) -> Option<String> {
    let mut hosts = request.headers().get_all(header::HOST).into_iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return None };
    let host = String::from_utf8_lossy(host.as_bytes()).into_owned();
    Some(request.uri().authority().map_or(host, ToString::to_string))
}

/// Whether a host is this one. Any name may lead to an address that others can reach.
fn is_own_host(address: SocketAddr, host: &str) -> bool {
    if !address.ip().is_loopback() {
        return true;
    }
    if host.parse::<SocketAddr>().is_ok_and(|named| named.ip().is_loopback()) {
        return true;
    }
    let name =
        host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Makes a response with a restrictive content security policy.
fn reply(kind: &'static str, text: impl Into<String>) -> Response {
    let mut response = text.into().into_response();
    for (name, value) in [("content-type", kind)].into_iter().chain(pages::HEADERS) {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

impl PageState {
    async fn ask(&self, query: PageQuery, kind: &'static str) -> Response {
        let _turn = self.turns.acquire().await;
        let (answer, answered) = oneshot::channel();
        let is_asked = self.service.send(ServiceMessage::Query(query, answer)).is_ok();
        match answered.await {
            Ok(Some(text)) if is_asked => reply(kind, text),
            Ok(_) => no_such_game(),
            Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the service has ended\n").into_response(),
        }
    }
}

const JSON: &str = "application/json";
const PGN: &str = "application/x-chess-pgn";

async fn state(State(page): State<PageState>) -> Response {
    page.ask(PageQuery::State, JSON).await
}

async fn all_games(State(page): State<PageState>) -> Response {
    page.ask(PageQuery::AllPgn, PGN).await
}

async fn live_games(State(page): State<PageState>) -> Response {
    page.ask(PageQuery::LivePgn, PGN).await
}

/// The number of a game and the format in a name such as `17.json`.
fn game_file(name: &str) -> Option<(u64, &str)> {
    let (number, kind) = name.split_once('.')?;
    Some((number.parse::<u64>().ok()?.checked_sub(1)?, kind))
}

fn no_such_game() -> Response {
    (StatusCode::NOT_FOUND, "there is no such game\n").into_response()
}

/// Returns a game as `17.json` or `17.pgn`.
async fn game(State(page): State<PageState>, Path(name): Path<String>) -> Response {
    match game_file(&name) {
        Some((number, "json")) => page.ask(PageQuery::Game(number), JSON).await,
        Some((number, "pgn")) => page.ask(PageQuery::Pgn(number), PGN).await,
        _ => no_such_game(),
    }
}

/// Returns a game as `17.pgn` as viewers read it.
async fn broadcast_game(State(page): State<PageState>, Path(name): Path<String>) -> Response {
    match game_file(&name) {
        Some((number, "pgn")) => page.ask(PageQuery::BroadcastPgn(number), PGN).await,
        _ => no_such_game(),
    }
}

/// Executes a command of the director, in the syntax of the console.
async fn order(
    State(page): State<PageState>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    words: String,
) -> Response {
    let Some(auth) = &page.auth else {
        return (StatusCode::NOT_FOUND, "no orders are taken here\n").into_response();
    };
    if let Err(refusal) = auth.admit(from.ip(), &headers, Instant::now()) {
        let (status, text) = refusal.answer();
        if refusal != AuthError::TooMany {
            let text = format!("an order from {from} is refused: {text}");
            // Sending fails only if the service has ended.
            let _ = page.service.send(ServiceMessage::Warning(text));
        }
        return (status, text).into_response();
    }
    let order = match Order::with_secret_in(&words, &format!("page {}", from.ip())) {
        Ok(order) => order,
        Err(why) => return (StatusCode::BAD_REQUEST, why).into_response(),
    };
    let is_question = order.needs_confirmation();
    let done = Director(page.service.clone()).send(order).await;
    match done.unwrap_or_else(|_| Err("the service has ended".to_owned())) {
        Ok(question) if is_question => (StatusCode::CONFLICT, question).into_response(),
        Ok(text) => reply("text/plain; charset=utf-8", text),
        Err(why) => (StatusCode::BAD_REQUEST, why).into_response(),
    }
}

async fn events(State(page): State<PageState>) -> Sse<impl Stream<Item = Result<Sent, Infallible>>> {
    // Browsers show comments to nobody, so that the sign of life is an event.
    let alive = KeepAlive::new().interval(ALIVE).event(Sent::default().event("alive").data("1"));
    Sse::new(stream(page.told.subscribe())).keep_alive(alive)
}

/// Interval of the signs of life on a stream without updates. A page that hears nothing for some seconds knows that the
/// referee is out of reach.
const ALIVE: Duration = Duration::from_secs(2);

/// Returns the stream of updates. A page that missed updates is told to request the state again.
fn stream(told: broadcast::Receiver<PageUpdate>) -> impl Stream<Item = Result<Sent, Infallible>> {
    // Browsers ignore events without data.
    let changed = || Sent::default().event("changed").data("all");
    unfold(told, move |mut told| async move {
        let sent = match told.recv().await {
            Ok(PageUpdate::Game(json)) => Sent::default().event("game").data(json),
            Ok(PageUpdate::Third(json)) => Sent::default().event("third").data(json),
            Ok(PageUpdate::End(json)) => Sent::default().event("end").data(json),
            Ok(PageUpdate::Changed) | Err(RecvError::Lagged(_)) => changed(),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(sent), told))
    })
}

/// Response to a browser that does not speak TLS.
const PLAIN: &str = "HTTP/1.1 400 Only https is spoken here\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n\
    only https is spoken here\n";
/// Maximum number of connections that wait for the page.
const WAITING: usize = 16;

/// Queue of connections with completed handshakes. Each handshake runs in a separate task, so that a slow one delays
/// nobody.
struct PageListener {
    address: SocketAddr,
    arrivals: mpsc::Receiver<(ByteStream, SocketAddr)>,
}

impl PageListener {
    /// Starts to listen. Must be called inside the network's runtime.
    fn open(listener: ConnectionListener, tls: Option<Tls>) -> PageListener {
        let (sender, arrivals) = mpsc::channel(WAITING);
        let address = listener.address;
        tokio::spawn(receive(listener, tls, sender));
        PageListener { address, arrivals }
    }
}

async fn receive(
    listener: ConnectionListener,
    tls: Option<Tls>,
    arrivals: mpsc::Sender<(ByteStream, SocketAddr)>,
) {
    while let Some(connection) = listener.next().await {
        let (tls, arrivals, service) = (tls.clone(), arrivals.clone(), listener.service.clone());
        tokio::spawn(async move {
            let address = connection.address;
            // A connection counts towards the limits from before its handshake to its end. Sending fails only if the service has
            // ended.
            match tls::secure(connection.stream, tls.as_ref(), PLAIN).await {
                Ok(stream) => {
                    let counted = CountedStream::new(stream, connection.permit);
                    drop(arrivals.send((Box::new(counted), address)).await);
                }
                Err(reason) => {
                    drop(service.send(ServiceMessage::Warning(format!("{address} is refused: {reason}"))));
                }
            }
        });
    }
}

/// Maximum number of connections of a page.
pub(super) const MOST_CONNECTIONS: usize = 512;
/// Time in which a request has to be complete.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);
/// Time that a connection may be idle. The stream of updates has a sign of life every two seconds.
const LONGEST_IDLE: Duration = Duration::from_mins(1);

/// A connection that counts towards the limits until it is dropped. Reading from it fails when a request is not complete in time,
/// or when nothing has been asked for too long.
struct CountedStream {
    stream: ByteStream,
    _permit: ConnectionPermit,
    deadline: Pin<Box<Sleep>>,
    /// Whether a request has begun and was not answered yet.
    is_asked: bool,
}

impl CountedStream {
    fn new(stream: ByteStream, permit: ConnectionPermit) -> CountedStream {
        let deadline = Box::pin(tokio::time::sleep(LONGEST_REQUEST));
        CountedStream { stream, _permit: permit, deadline, is_asked: true }
    }

    fn wait_for(&mut self, is_asked: bool) {
        if is_asked && self.is_asked {
            return;
        }
        let time = if is_asked { LONGEST_REQUEST } else { LONGEST_IDLE };
        self.is_asked = is_asked;
        self.deadline.as_mut().reset(tokio::time::Instant::now() + time);
    }
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.deadline.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_ready() && buffer.filled().len() > before {
            self.wait_for(true);
        }
        read
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if matches!(written, Poll::Ready(Ok(bytes)) if bytes > 0) {
            self.wait_for(false);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Listener for PageListener {
    type Io = ByteStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (ByteStream, SocketAddr) {
        match self.arrivals.recv().await {
            Some(arrival) => arrival,
            // The service has ended; there will be no more connections.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

/// Number of wrong tokens that an address ([`network`]) may send within the period below; further requests from it are refused
/// until the period has passed.
const MOST_FAILURES: u32 = 5;
const FAILURES_LAST: Duration = Duration::from_mins(1);
/// Number of addresses whose failures are remembered. While the memory is full, nobody can sign in.
const MOST_ADDRESSES: usize = 10_000;

/// Checks the director's token.
struct DirectorAuth {
    token: String,
    /// Number of wrong tokens from each address, and the start of the period.
    failures: Mutex<HashMap<IpAddr, (u32, Instant)>>,
}

/// Why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AuthError {
    /// The request comes from a page of another origin.
    CrossSite,
    /// The token is missing or wrong.
    WrongToken,
    /// The address has sent too many wrong tokens.
    TooMany,
}

impl AuthError {
    /// Returns the response to the refused request.
    fn answer(self) -> (StatusCode, &'static str) {
        match self {
            AuthError::CrossSite => (StatusCode::FORBIDDEN, "it comes from another page"),
            AuthError::WrongToken => (StatusCode::UNAUTHORIZED, "wrong token"),
            AuthError::TooMany => (StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens; wait a minute"),
        }
    }
}

impl DirectorAuth {
    fn new(token: String) -> DirectorAuth {
        DirectorAuth { token, failures: Mutex::default() }
    }

    /// Checks that a command carries the token, in the header `Authorization: Bearer TOKEN`. A page of another origin
    /// cannot make a browser send this header.
    fn admit(&self, from: IpAddr, headers: &HeaderMap, at: Instant) -> Result<(), AuthError> {
        if !is_same_origin(headers) {
            return Err(AuthError::CrossSite);
        }
        let from = network(from);
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

    fn is_own(address: SocketAddr, target: &str, hosts: &[&'static str]) -> bool {
        let mut request = Request::new(axum::body::Body::empty());
        *request.uri_mut() = target.parse().expect("a target");
        for host in hosts {
            request.headers_mut().append(header::HOST, HeaderValue::from_static(host));
        }
        host_of(&request).is_some_and(|host| is_own_host(address, &host))
    }

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn other_hosts_are_refused_on_this_machine() {
        let here = SocketAddr::from(([127, 0, 0, 1], 8080));
        for own in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080", "[::1]", "127.0.0.1"] {
            assert!(is_own(here, "/", &[own]), "{own}");
        }
        for other in ["evil.example:8080", "evil.example", "localhost.evil.example", "10.0.0.1:8080", ""] {
            assert!(!is_own(here, "/", &[other]), "{other}");
            let everywhere = SocketAddr::from(([0, 0, 0, 0], 8080));
            assert!(is_own(everywhere, "/", &[other]), "{other}");
        }
        assert!(!is_own(here, "/", &[]) && !is_own(here, "/", &["localhost", "evil.example"]));
        assert!(!is_own(here, "http://evil.example/state.json", &["localhost"]), "the target counts");
        assert!(is_own(here, "http://localhost:8080/state.json", &["evil.example"]));
    }

    #[test]
    fn a_report_is_scripts_that_no_name_can_end() {
        let files = report_files("{\"event\":\"</script><b>\"}");
        let text = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| text.as_str());
        let index = text("index.html").expect("a page");
        let place = |script: &str| index.find(&format!("<script src=\"{script}.js\"")).expect("a script");
        assert!(place("board") < place("state") && place("state") < place("live"));
        assert!(index.contains("script-src 'self' file:") && !index.contains("http:"));
        assert!(text("state.js").is_some_and(|state| state.contains("\\u003c/script>\\u003cb>")));
        assert_eq!(report_game("{\"number\":1}"), "heraldGame({\"number\":1});\n");
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
    fn an_address_makes_so_many_requests_and_no_more() {
        let (limiter, begin) = (RequestLimiter::default(), Instant::now());
        let [one, other] = [1, 2].map(|last| IpAddr::from([10, 0, 0, last]));
        let admitted = |at| (0..1000).filter(|_| limiter.admits(one, at)).count();
        assert_eq!((admitted(begin), admitted(begin + Duration::from_secs(1))), (200, 40));
        assert!(limiter.admits(other, begin));
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
        // Whoever is given addresses of IPv6 is given 64 bits of them.
        let neighbour = |n| IpAddr::from([0x2001, 0xdb8, 1, 2, 3, 4, 5, n]);
        for n in 0..MOST_FAILURES as u16 {
            assert_eq!(auth.admit(neighbour(n), &HeaderMap::new(), now), Err(AuthError::WrongToken));
        }
        assert_eq!(auth.admit(neighbour(9), &right, now), Err(AuthError::TooMany));
    }
}
