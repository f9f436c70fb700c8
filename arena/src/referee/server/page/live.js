"use strict";
// The live page of an event. It contains no chess rules: positions come as FEN. All data is inserted as text, not HTML.
const $ = id => document.getElementById(id);
const running = new Map(), cards = new Map();
const view = new HeraldReplay($("game"));
let replay = null, isLost = false, isDirecting = false;

function make(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

function showClock(clock, game) {
  const color = clock.dataset.color, runs = game.running === color, left = game.clocks[color];
  const now = left === null || !runs ? left : left - (performance.now() - game.seen);
  clock.textContent = now === null ? "–" : HeraldGraph.clockText(now / 1000);
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
  let known = cards.get(game.number);
  if (!known) {
    const node = make("button", undefined, "panel card"), frame = make("div"), parts = ["div", "div", "div"].map(name => make(name));
    node.id = "game-" + game.number;
    node.onclick = () => open(game.number);
    node.append(parts[0], parts[1], frame, parts[2]);
    // The position in words would be too long for a button's name; the game's own page has it.
    frame.setAttribute("aria-hidden", "true");
    const after = [...$("boards").children].find(other => +other.id.slice(5) > game.number);
    $("boards").insertBefore(node, after || null);
    known = { node, parts, board: new HeraldBoard(frame, { label: "Board", picture: true }) };
    cards.set(game.number, known);
  }
  const title = `Game ${game.number}, round ${game.round}` + (game.paused ? ", held" : "");
  known.parts[0].textContent = title;
  known.parts[1].replaceChildren(side(game, "black"));
  known.parts[2].replaceChildren(side(game, "white"));
  known.board.show(game);
}

function show(game) {
  game.seen = performance.now();
  running.set(game.number, game);
  card(game);
  if (replay && replay.number === game.number) load(game.number);
}

function tick() {
  if (isLost) return;
  for (const game of running.values()) {
    const node = $("game-" + game.number);
    for (const clock of node ? node.querySelectorAll(".clock") : []) showClock(clock, game);
  }
}

function fill(table, heads, rows) {
  const line = (cells, kind) => { const row = make("tr"); row.append(...cells.map(cell => make(cell === "" ? "td" : kind, cell))); return row; };
  table.replaceChildren(line(heads, "th"), ...rows.map(row => line(row, "td")));
}

function showFigures(figures) {
  $("figures").hidden = figures.length === 0;
  $("figures").replaceChildren(...figures.map(figure => {
    const node = make("div", undefined, "figure");
    node.append(make("span", figure.label), make("b", figure.value), make("span", figure.note));
    return node;
  }));
}

// Without a connection the state is unknown, in particular the clock times.
function lose() {
  isLost = true;
  $("about").textContent = "Herald can't be reached.";
  $("about").className = "lost";
}

async function refresh() {
  const state = await fetch("state.json").then(answer => answer.json()).catch(() => null);
  if (state) showState(state);
}

function showState(state) {
  isLost = false;
  $("about").className = "quiet";
  document.title = $("event").textContent = state.event;
  $("about").textContent = (state.over ? "The event is over. " : "") + (state.site === "?" ? "" : state.site + ", ") + "time control " + state.control;
  showFigures(state.figures || []);
  // Two players have the same opponents.
  const breaks = state.table.length > 2;
  fill($("table"), ["", "Program", "Points", "Games", "Won", "Drawn", "Lost", ...(breaks ? ["SB", "Buchholz"] : []), ""],
    state.table.map((row, rank) => [rank + 1, row.name, row.points, row.games, row.won, row.drawn, row.lost, ...(breaks ? [row.sb.toFixed(2), row.buchholz] : []), row.present ? "" : "not here"]));
  fill($("cross"), ["", "Program", ...state.table.map((_, rank) => rank + 1)],
    state.table.map((row, rank) => [rank + 1, row.name, ...row.cells]));
  const games = state.finished.map(game => [game.number, game.round, game.white, game.black, game.result, game.reason]);
  fill($("games"), ["Game", "Round", "White", "Black", "Result", "Reason"], games);
  [...$("games").rows].slice(1).forEach((row, at) => {
    const button = make("button", String(games[at][0]));
    button.onclick = () => open(games[at][0]);
    row.cells[0].replaceChildren(button);
  });
  $("director").hidden = !state.directed;
  $("log").textContent = state.log.slice().reverse().join("\n");
  const now = new Set(state.running.map(game => game.number));
  for (const number of [...running.keys()].filter(number => !now.has(number))) {
    running.delete(number);
    cards.get(number)?.node.remove();
    cards.delete(number);
  }
  state.running.forEach(show);
  showOrders();
  // The replayed game has ended since it was loaded.
  if (replay && replay.game.result === "*" && !running.has(replay.number)) load(replay.number);
}

function showOrders() {
  $("sign-in").hidden = isDirecting;
  $("orders").hidden = !isDirecting;
  $("game-orders").hidden = !isDirecting || !replay || !running.has(replay.number);
}

// The game stays at the move that it shows, or at its end.
async function load(number) {
  const answer = await fetch(`game/${number}.json`).catch(() => null);
  if (!answer || !answer.ok) return;
  const loaded = await answer.json(), isSame = replay && replay.number === number;
  const at = view.at, isAtEnd = !isSame || at === view.last();
  replay = loaded;
  const names = Object.fromEntries(loaded.game.tags), { result, termination } = loaded.game;
  $("title").textContent = `Game ${number}: ${names.White} – ${names.Black} ${result === "*" ? "" : result}` + (termination ? `, ${termination}` : "");
  $("pgn").href = `game/${number}.pgn`;
  $("game").hidden = false;
  view.show(loaded.game);
  if (isAtEnd) view.go(view.last());
  else if (at < view.nodes.length) view.go(at);
  showOrders();
}

function open(number) {
  replay = null;
  $("replay").hidden = false;
  $("boards").hidden = $("game").hidden = true;
  $("title").textContent = `Game ${number} can't be shown now.`;
  showOrders();
  load(number).then(() => $("replay").scrollIntoView());
}

$("close").onclick = () => { replay = null; $("replay").hidden = true; $("boards").hidden = false; };
$("answer").onclick = () => { $("answer").textContent = ""; };

// The director's commands, in the syntax of the console. The token is kept while the page is open.
let token = null;
async function order(words) {
  const request = { method: "POST", headers: { Authorization: "Bearer " + token }, body: words };
  const answer = await fetch("order", request).catch(() => null);
  $("answer").textContent = answer ? await answer.text() : "Herald can't be reached.";
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
    if (isGrave === undefined) order(words);
    else if (confirm(`${words}: really?`)) order(words + " --yes");
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
// The referee goes. What it showed last stays; after a pause the page finds it again.
events.addEventListener("end", event => {
  const state = JSON.parse(event.data);
  showState(state);
  isLost = true;
  if (state.over) events.close();
  else $("about").textContent = "The event is interrupted; the clocks stand.";
});
setInterval(tick, 100);
