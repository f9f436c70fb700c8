"use strict";
// The live page of an event. It contains no chess rules: positions come as FEN. All data is inserted as text, not HTML.
const $ = id => document.getElementById(id);
const SYMBOLS = { k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };
const running = new Map();
let replay = null, isLost = false, isDirecting = false;

function make(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

function drawBoard(into, fen, last) {
  into.replaceChildren();
  into.className = "board";
  fen.split(" ")[0].split("/").forEach((rank, down) => {
    let file = 0;
    for (const c of rank.replace(/\d/g, n => ".".repeat(+n))) {
      const square = "abcdefgh"[file] + (8 - down);
      const node = make("span", SYMBOLS[c.toLowerCase()] || "", (file + down) % 2 ? "d" : "l");
      if (c !== "." && c === c.toUpperCase()) node.classList.add("white");
      if (last && last.includes(square)) node.classList.add("m");
      into.append(node);
      file += 1;
    }
  });
}

function clockText(millis) {
  if (millis === null) return "–";
  const seconds = Math.max(0, millis) / 1000, h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60;
  const s = seconds < 20 ? (seconds % 60).toFixed(1).padStart(4, "0") : String(Math.floor(seconds % 60)).padStart(2, "0");
  return (h ? h + ":" + String(m).padStart(2, "0") : m) + ":" + s;
}

function showClock(clock, game) {
  const color = clock.dataset.color, runs = game.running === color, left = game.clocks[color];
  clock.textContent = clockText(left === null || !runs ? left : left - (performance.now() - game.seen));
  clock.classList.toggle("running", runs);
}

function side(game, color) {
  const line = make("div", undefined, "side"), clock = make("span", undefined, "clock");
  line.append(make("b", game[color]), clock);
  if (game.gone.includes(color)) line.classList.add("gone");
  clock.dataset.color = color;
  showClock(clock, game);
  return line;
}

function card(game) {
  let node = $("game-" + game.number);
  if (!node) {
    node = make("button", undefined, "card");
    node.id = "game-" + game.number;
    node.onclick = () => open(game.number);
    const after = [...$("boards").children].find(other => +other.id.slice(5) > game.number);
    $("boards").insertBefore(node, after || null);
  }
  const board = make("div");
  drawBoard(board, game.fen, game.last);
  const title = `Game ${game.number}, round ${game.round}` + (game.paused ? ", held" : "");
  node.replaceChildren(make("div", title), side(game, "black"), board, side(game, "white"));
}

function show(game) {
  game.seen = performance.now();
  running.set(game.number, game);
  card(game);
  if (replay && replay.number === game.number) load(game.number, replay.at === replay.moves.length);
}

function tick() {
  if (isLost) return;
  for (const game of running.values()) {
    const node = $("game-" + game.number);
    for (const clock of node ? node.querySelectorAll(".clock") : []) showClock(clock, game);
  }
}

function fill(table, heads, rows) {
  const line = (cells, kind) => { const row = make("tr"); row.append(...cells.map(cell => make(kind, cell))); return row; };
  table.replaceChildren(line(heads, "th"), ...rows.map(row => line(row, "td")));
}

// Without a connection the state is unknown, in particular the clock times.
function lose() {
  isLost = true;
  $("about").textContent = "The referee can't be reached.";
  $("about").className = "lost";
}

async function refresh() {
  const state = await fetch("state.json").then(answer => answer.json()).catch(() => null);
  if (!state) return;
  isLost = false;
  $("about").className = "";
  document.title = $("event").textContent = state.event;
  $("about").textContent = (state.site === "?" ? "" : state.site + ", ") + "time control " + state.control;
  fill($("table"), ["", "Program", "Points", "Games", "Won", "Drawn", "Lost", "SB", "Buchholz", ""],
    state.table.map((row, rank) => [rank + 1, row.name, row.points, row.games, row.won, row.drawn, row.lost, row.sb.toFixed(2), row.buchholz, row.present ? "" : "not here"]));
  fill($("cross"), ["", "Program", ...state.table.map((_, rank) => rank + 1)],
    state.table.map((row, rank) => [rank + 1, row.name, ...row.cells]));
  const games = state.finished.map(game => [game.number, game.round, game.white, game.black, game.result, game.reason]);
  fill($("games"), ["Game", "Round", "White", "Black", "Result", "Reason"], games);
  [...$("games").rows].slice(1).forEach((row, at) => { row.onclick = () => open(games[at][0]); });
  $("director").hidden = !state.directed;
  $("log").textContent = state.log.slice().reverse().join("\n");
  const now = new Set(state.running.map(game => game.number));
  for (const number of [...running.keys()].filter(number => !now.has(number))) {
    running.delete(number);
    $("game-" + number)?.remove();
  }
  state.running.forEach(show);
  showOrders();
  // The replayed game has ended since it was loaded.
  if (replay && !replay.result && !running.has(replay.number)) load(replay.number, replay.at === replay.moves.length);
}

function showOrders() {
  $("sign-in").hidden = isDirecting;
  $("orders").hidden = !isDirecting;
  $("game-orders").hidden = !isDirecting || !replay || !running.has(replay.number);
}

async function load(number, atEnd) {
  const answer = await fetch(`game/${number}.json`).catch(() => null);
  if (!answer || !answer.ok) return;
  const game = await answer.json(), at = replay && replay.number === number ? replay.at : 0;
  replay = game;
  $("title").textContent = `Game ${number}: ${game.white} – ${game.black} ${game.result}`;
  $("pgn").href = `game/${number}.pgn`;
  $("moves").replaceChildren(...game.moves.flatMap((move, ply) => {
    const button = make("button", move.san);
    button.title = move.comment;
    button.onclick = () => step(ply + 1);
    return move.number ? [document.createTextNode(` ${move.number} `), button] : [button];
  }));
  step(atEnd ? game.moves.length : Math.min(at, game.moves.length));
  showOrders();
}

function step(at) {
  if (!replay) return;
  replay.at = Math.max(0, Math.min(at, replay.moves.length));
  const move = replay.moves[replay.at - 1];
  drawBoard($("board"), move ? move.fen : replay.start, move && move.squares);
  [...$("moves").querySelectorAll("button")].forEach((button, ply) => {
    button.classList.toggle("now", ply === replay.at - 1);
    if (ply === replay.at - 1) button.scrollIntoView({ block: "nearest" });
  });
}

function open(number) {
  replay = null;
  $("replay").hidden = false;
  $("boards").hidden = true;
  $("title").textContent = `Game ${number} can't be shown now.`;
  for (const id of ["board", "moves"]) $(id).replaceChildren();
  showOrders();
  load(number, running.has(number)).then(() => $("replay").scrollIntoView());
}

$("close").onclick = () => { replay = null; $("replay").hidden = true; $("boards").hidden = false; };
// Without a loaded game the buttons do nothing.
$("first").onclick = () => step(0);
$("back").onclick = () => step(replay?.at - 1);
$("on").onclick = () => step(replay?.at + 1);
$("last").onclick = () => step(replay?.moves.length);
document.onkeydown = event => {
  if (event.key === "ArrowLeft") step(replay?.at - 1);
  if (event.key === "ArrowRight") step(replay?.at + 1);
};
$("answer").onclick = () => { $("answer").textContent = ""; };

// The director's commands, in the syntax of the console. The token is kept while the page is open.
let token = null;
async function order(words) {
  const request = { method: "POST", headers: { Authorization: "Bearer " + token }, body: words };
  const answer = await fetch("order", request).catch(() => null);
  $("answer").textContent = answer ? await answer.text() : "The referee can't be reached.";
  return answer !== null && answer.status !== 401 && answer.status !== 429 && answer.status !== 403;
}
$("sign-in").onsubmit = async event => {
  event.preventDefault();
  token = $("token").value;
  isDirecting = await order("pairings");
  if (isDirecting) $("answer").textContent = "You direct.";
  $("token").value = "";
  showOrders();
};
for (const button of document.querySelectorAll("[data-order]")) {
  button.onclick = () => {
    let words = button.dataset.order.replace("#", replay ? replay.number : "");
    const { ask, confirm: isGrave } = button.dataset;
    if (ask !== undefined) {
      const more = prompt(ask);
      if (!more) return;
      words = words.replace("*", () => more);
    }
    if (isGrave === undefined || confirm(`${words}: really?`)) order(words);
  };
}

let due = null;
function refreshSoon() { due ??= setTimeout(() => { due = null; refresh(); }, 300); }
const events = new EventSource("events");
events.addEventListener("game", event => show(JSON.parse(event.data)));
events.addEventListener("changed", refreshSoon);
// Loads the state at first and after each reconnection.
events.onopen = refresh;
events.onerror = lose;
setInterval(tick, 100);
