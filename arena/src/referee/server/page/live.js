"use strict";
// The live page of an event. It contains no chess rules: positions come as FEN. All data is inserted as text, not HTML. As a report
// (`HERALD_REPORT` is the last state) it works without the referee, from a disk.
const $ = id => document.getElementById(id);
const report = typeof HERALD_REPORT === "undefined" ? null : HERALD_REPORT;
const body = document.body.innerHTML;
const running = new Map(), cards = new Map(), kept = new Map(Object.entries(report?.games || {}).map(([number, game]) => [+number, game]));
const view = new HeraldReplay($("game"), { lines: true, onGo: stepped });
// `replay` is the game that is shown: its number, and the game once it has been loaded.
let state = null, replay = null, isChosen = false, isLost = false, isDirecting = false, showsAll = false, lastSeen = null;

function make(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}
function button(text, onclick, kind = "link") {
  const node = make("button", text, kind);
  node.type = "button";
  node.onclick = onclick;
  return node;
}
const timeText = millis => millis ? new Date(millis).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false }) : "";
const resultText = result => result.replaceAll("1/2", "½").replace("-", "–");

// The clocks.
function timeLeft(game, color) {
  const left = game.clocks[color];
  return left === null || game.running !== color || isLost ? left : left - (performance.now() - game.seen);
}
function showClock(clock, game, color) {
  const left = timeLeft(game, color);
  clock.textContent = left === null ? "–" : HeraldGraph.clockText(left / 1000);
  clock.classList.toggle("running", game.running === color && !isLost);
}
function tick() {
  if (isLost || report) return;
  for (const game of running.values()) {
    for (const clock of cards.get(game.number)?.node.querySelectorAll(".clock") || []) showClock(clock, game, clock.dataset.color);
  }
  const game = replay && running.get(replay.number);
  if (!game || !replay.game || view.at !== view.last()) return;
  view.colors().forEach((color, at) => showClock(view.sides[at].clock, game, color === "w" ? "white" : "black"));
}

// The boards of the games in play.
function side(game, color) {
  const line = make("div", undefined, "side"), clock = make("span", undefined, "clock");
  line.append(make("b", game[color]), clock);
  if (game.gone.includes(color)) line.classList.add("gone");
  clock.dataset.color = color;
  showClock(clock, game, color);
  return line;
}
function card(game) {
  let known = cards.get(game.number);
  if (!known) {
    const node = button(undefined, () => choose(game.number), "panel card"), frame = make("div"), parts = ["div", "div", "div"].map(name => make(name));
    node.id = "board-" + game.number;
    parts[0].className = "card-title";
    node.append(parts[0], parts[1], frame, parts[2]);
    // The position in words would be too long for a button's name; the game's own page has it.
    frame.setAttribute("aria-hidden", "true");
    const after = [...$("boards").children].find(other => +other.id.slice(6) > game.number);
    $("boards").insertBefore(node, after || null);
    known = { node, parts, board: new HeraldBoard(frame, { label: "Board", picture: true }) };
    cards.set(game.number, known);
  }
  const { score } = game, title = `Game ${game.number}, round ${game.round}` + (game.paused ? ", held" : "");
  known.parts[0].replaceChildren(make("span", title), make("b", score ? HeraldGraph.scoreText(score) : ""));
  known.parts[1].replaceChildren(side(game, "black"));
  known.parts[2].replaceChildren(side(game, "white"));
  known.board.show(game);
}
function show(game) {
  game.seen = performance.now();
  running.set(game.number, game);
  card(game);
  if (!replay || replay.number !== game.number || !replay.game) return;
  const plies = view.main.length - 1;
  if (game.ply === plies + 1 && game.move) view.add(game.move);
  else if (game.ply !== plies) return void load(game.number);
  showFacts();
}

// The game that is shown.
function place() {
  const node = view.nodes?.[view.at];
  if (!replay?.game) return "";
  const isEnd = view.at === view.last() && running.has(replay.number);
  return `#game-${replay.number}` + (node && node.parent !== null && !isEnd ? `/${node.number.replace(/\D+$/, "")}${node.color}` : isEnd ? "" : "/0");
}
function stepped() {
  if (!replay?.game) return;
  const here = place();
  $("place").href = here;
  // A report in a file has no history that it may write to.
  if (isChosen && location.hash !== here) try { history.replaceState(null, "", here); } catch { /* then the address stays */ }
  for (const { clock } of view.sides) clock.classList.remove("running");
  tick();
}
// The node of `17b` on the mainline: after Black's seventeenth move.
function nodeAt(text) {
  if (text === "0") return 0;
  const [, number, color = "w"] = /^(\d+)([wb]?)$/.exec(text || "") || [];
  const found = view.main.find(id => view.nodes[id].color === (color || "w") && parseInt(view.nodes[id].number, 10) === +number && view.nodes[id].san);
  return found ?? view.last();
}
function showFacts() {
  const { game, number } = replay, live = running.get(number), facts = [];
  const row = state?.finished.find(row => row.number === number);
  if (live) {
    facts.push(live.paused ? "held by the director" : live.running ? `${live[live.turn]} to move` : "the clocks stand");
    facts.push(...live.gone.map(color => `${live[color]} is not connected`));
    facts.push(...live.near.map(({ rule, plies }) => plies === undefined ? "the position has occurred before" : `${rule} in ${plies} plies`));
    if (live.tables) facts.push(`endgame tables: ${live.tables === "draw" ? "draw" : `${live[live.tables]} wins`}`);
    if (live.began) facts.push(`began ${timeText(live.began)}`);
  } else if (game.termination || row) {
    facts.push(row?.reason || game.termination);
    if (row?.began) facts.push(`${timeText(row.began)} to ${timeText(row.ended)}`);
  }
  const opening = live?.opening || game.opening;
  if (opening) facts.unshift(opening);
  $("facts").textContent = facts.join(" · ");
  const names = Object.fromEntries(game.tags), result = live ? "" : row?.result || (game.result === "*" ? "" : game.result);
  $("title").textContent = `Game ${number}: ${names.White} – ${names.Black} ${resultText(result)}`;
}
async function fetchGame(number) {
  if (kept.has(number) && (report || !running.has(number))) return { number, game: kept.get(number) };
  if (report) return report.games ? null : readGame(number);
  const answer = await fetch(`game/${number}.json`).catch(() => null);
  if (!answer || !answer.ok) return kept.has(number) ? { number, game: kept.get(number) } : null;
  const told = await answer.json().catch(() => null);
  if (told) kept.set(number, told.game);
  return told;
}
// A game of a report is a script beside it: a page from a disk may read no other files.
const awaited = new Map();
globalThis.heraldGame = told => { kept.set(told.number, told.game); awaited.get(told.number)?.(told); };
function readGame(number) {
  return new Promise(done => {
    awaited.set(number, done);
    const script = make("script");
    script.src = `game-${number}.js`;
    script.onerror = () => done(null);
    document.head.append(script);
  });
}
// The game stays at the move that it shows, or at its end.
async function load(number, move) {
  const loaded = await fetchGame(number);
  if (!loaded || !replay || replay.number !== number) return;
  const isSame = replay.game, { at } = view, isAtEnd = !isSame || at === view.last();
  replay.game = loaded.game;
  const live = running.get(number);
  if (!live) kept.set(number, loaded.game);
  $("game").hidden = $("files").hidden = false;
  view.show(loaded.game);
  view.go(move !== undefined ? nodeAt(move) : isAtEnd ? view.last() : Math.min(at, view.last()));
  // Whoever was in the moves of the game before is in those of this one.
  if (replay.takesFocus) view.moves.stop?.focus({ preventScroll: true });
  replay.takesFocus = false;
  $("pgn").href = report ? `game-${number}.pgn` : `game/${number}.pgn`;
  $("pgn").hidden = Boolean(report?.games);
  showFacts();
  showOrders();
}
async function open(number, move) {
  replay = { number, game: null, takesFocus: view.moves.focused() !== undefined };
  $("replay").hidden = false;
  $("game").hidden = $("files").hidden = true;
  $("facts").textContent = "";
  $("title").textContent = `Game ${number}`;
  markCards();
  showOrders();
  await load(number, move);
  if (replay?.number === number && !replay.game) $("title").textContent = report?.games ? `Game ${number} is not in this file.` : `Game ${number} can't be shown now.`;
}
function choose(number) {
  isChosen = true;
  try { history.pushState(null, "", `#game-${number}`); } catch { /* then the address stays */ }
  open(number).then(() => $("replay").scrollIntoView());
}
function close() {
  replay = null;
  $("replay").hidden = true;
  isChosen = true;
  try { history.replaceState(null, "", "#boards"); } catch { /* as above */ }
  scrollTo(0, 0);
  markCards();
  showOrders();
}
function markCards() {
  for (const [number, { node }] of cards) {
    if (replay?.number === number) node.setAttribute("aria-current", "true");
    else node.removeAttribute("aria-current");
  }
}
// The address says which game is shown: `#game-3`, `#game-3/17b`, `#boards`. Without one, the page follows a game in play.
function readAddress() {
  const [, number, move] = /^#game-(\d+)(?:\/(\w+))?$/.exec(location.hash) || [];
  isChosen = Boolean(number) || location.hash === "#boards";
  if (location.hash === "#boards") close();
  else if (number && replay?.number === +number && replay.game) view.go(nodeAt(move));
  else if (number) open(+number, move);
  else follow();
}
let leaving = null;
function follow() {
  if (isChosen) return;
  const first = [...running.keys()].sort((a, b) => a - b)[0], last = state?.finished.filter(game => !report?.games || kept.has(game.number)).at(-1)?.number;
  if (!replay) {
    if (first ?? last) open(first ?? last);
  } else if (!running.has(replay.number) && first && !leaving) {
    // The end of a game can be seen before the next one is shown.
    leaving = setTimeout(() => {
      leaving = null;
      const [next] = [...running.keys()].sort((a, b) => a - b);
      if (!isChosen && replay && !running.has(replay.number) && next) open(next);
    }, 8000);
  }
}
function beside(by) {
  const numbers = [...(state?.finished || []), ...running.values()].map(game => game.number).sort((a, b) => a - b);
  const at = replay ? numbers.indexOf(replay.number) + by : by > 0 ? 0 : numbers.length - 1;
  if (numbers[at] !== undefined) choose(numbers[at]);
}

// The tables.
function fill(table, heads, rows) {
  const line = (cells, kind) => {
    const row = make("tr");
    row.append(...cells.map(cell => {
      if (!(cell instanceof Node)) return make(cell === "" ? "td" : kind, cell);
      const node = make("td");
      node.append(cell);
      return node;
    }));
    return row;
  };
  // Whoever is in the table with the keyboard stays there.
  const label = table.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
  table.replaceChildren(line(heads, "th"), ...rows.map(row => line(row, "td")));
  if (label) table.querySelector(`[aria-label="${CSS.escape(label)}"]`)?.focus({ preventScroll: true });
}
function showFigures(figures) {
  $("figures").hidden = figures.length === 0;
  $("figures").replaceChildren(...figures.map(figure => {
    const node = make("div", undefined, "figure");
    node.append(make("span", figure.label), make("b", figure.value), make("span", figure.note));
    return node;
  }));
}
function showTables() {
  // Two players have the same opponents.
  const { table } = state, breaks = table.length > 2;
  fill($("table"), ["", "Program", "Points", "Games", "Won", "Drawn", "Lost", ...(breaks ? ["SB", "Buchholz"] : []), "", ...(isDirecting ? ["Director"] : [])],
    table.map((row, rank) => [rank + 1, row.name, row.points, row.games, row.won, row.drawn, row.lost, ...(breaks ? [row.sb.toFixed(2), row.buchholz] : []), row.withdrawn ? "withdrawn" : row.present || state.over || report ? "" : "not here", ...(isDirecting ? [orderButton(row.name)] : [])]));
  const cell = (row, other) => {
    const text = row.cells[other] || "";
    if (!/\d|½/.test(text) || row.name === table[other].name) return text;
    const node = button(text, () => { meet(row.name, table[other].name); $("encounter").scrollIntoView({ block: "nearest" }); });
    node.setAttribute("aria-label", `${row.name} against ${table[other].name}: ${text}`);
    return node;
  };
  fill($("cross"), ["", "Program", ...table.map((_, rank) => rank + 1)], table.map((row, rank) => [rank + 1, row.name, ...row.cells.map((_, other) => cell(row, other))]));
  const names = table.map(row => row.name).sort();
  choices($("one"), names, names[0]);
  choices($("other"), names, names.find(name => name !== $("one").value));
  choices($("filter"), ["all", ...names], "all");
  showEncounter();
  showSchedule();
}
function choices(select, names, preset) {
  if (select.options.length === names.length && names.every((name, at) => select.options[at].value === name)) return;
  const before = select.value;
  select.replaceChildren(...names.map(name => new Option(name, name)));
  select.value = names.includes(before) ? before : preset;
}
function meet(one, other) {
  $("one").value = one;
  $("other").value = other;
  showEncounter();
}
function showEncounter() {
  const one = $("one").value, other = $("other").value;
  const met = state.finished.filter(game => (game.white === one && game.black === other) || (game.white === other && game.black === one));
  const count = { won: 0, drawn: 0, lost: 0 };
  for (const game of met) count[game.result === "1/2-1/2" ? "drawn" : (game.result === "1-0") === (game.white === one) ? "won" : "lost"] += 1;
  const points = text => String(text).replace(/^0\.5$/, "½").replace(".5", "½");
  $("encounter-score").textContent = one === other || !met.length ? "They have not met." : `${one} ${points(count.won + count.drawn / 2)} – ${points(count.lost + count.drawn / 2)} ${other}: ${count.won} won, ${count.drawn} drawn, ${count.lost} lost.`;
  $("encounter").hidden = !met.length;
  fill($("encounter"), ["Game", "Round", "White", "Black", "Result", "Plies", "Reason"],
    met.map(game => [gameLink(game.number), game.round, game.white, game.black, resultText(game.result), game.plies ?? "", game.reason]));
}
const gameLink = number => {
  const node = button(String(number), () => choose(number));
  node.setAttribute("aria-label", `Game ${number}`);
  return node;
};
// Number of rows of the schedule that are shown at first.
const ROWS = 60;
function showSchedule() {
  const who = $("filter").value, isHis = game => who === "all" || game.white === who || game.black === who;
  const ended = state.finished.filter(isHis), playing = state.running.filter(isHis), coming = (state.coming || []).filter(isHis);
  const lasted = state.finished.filter(game => game.began).map(game => game.ended - game.began);
  const mean = lasted.length ? lasted.reduce((sum, time) => sum + time, 0) / lasted.length : null;
  const expected = (game, at) => mean === null || !state.running.length || isLost || report ? "" : "≈ " + timeText(state.now + mean * (at + 1) / state.running.length);
  const rows = [
    ...ended.map(game => [gameLink(game.number), game.round, game.white, game.black, resultText(game.result), timeText(game.began), timeText(game.ended), game.plies ?? "", game.reason]),
    ...playing.map(game => [gameLink(game.number), game.round, game.white, game.black, isLost ? "unknown" : "in play", timeText(game.began), "", "", game.opening || ""]),
    ...coming.map((game, at) => [game.number, game.round, game.white, game.black, "to come", expected(game, (state.coming || []).indexOf(game)), "", "", ""]),
  ];
  const kinds = [...ended.map(() => ""), ...playing.map(() => "now"), ...coming.map(() => "coming")];
  // Those in play stand in the middle of what is shown.
  const from = showsAll ? 0 : Math.max(0, Math.min(ended.length - ROWS / 2, rows.length - ROWS)), to = showsAll ? rows.length : from + ROWS;
  fill($("games"), ["Game", "Round", "White", "Black", "Result", "Began", "Ended", "Plies", "Reason or opening"], rows.slice(from, to));
  [...$("games").rows].slice(1).forEach((row, at) => { row.className = kinds[from + at]; });
  $("more").hidden = rows.length <= ROWS || showsAll;
}

// The state of the event, and of the connection to it.
function tell(text, isBad) {
  $("notice").hidden = !text;
  $("notice").textContent = text;
  $("notice").className = isBad ? "lost" : "";
}
// Without a connection the state is unknown, in particular the clock times. What was seen last stays.
function lose() {
  if (isLost || report) return;
  isLost = true;
  document.body.classList.add("stale");
  const since = lastSeen ? ` since ${new Date(lastSeen).toLocaleTimeString([], { hour12: false })}` : "";
  const games = running.size ? " The games in play are as they were then." : "";
  if (state?.over) tell("The event is over. Table and games stay here; Save keeps them in a file.", false);
  else tell(`Herald can't be reached${since}.${games} This page tries again by itself.`, true);
  for (const game of running.values()) card(game);
  if (state) showSchedule();
}
async function refresh() {
  const told = await fetch("state.json").then(answer => answer.json()).catch(() => null);
  if (told) showState(told);
}
function showState(told) {
  state = told;
  isLost = false;
  lastSeen = Date.now();
  document.body.classList.remove("stale");
  tell(state.over ? "The event is over." : "", false);
  document.title = $("event").textContent = state.event;
  $("about").textContent = (state.site === "?" ? "" : state.site + ", ") + "time control " + state.control;
  showFigures(state.figures || []);
  $("director").hidden = !state.directed;
  $("log").textContent = state.log.slice().reverse().join("\n");
  const now = new Set(state.running.map(game => game.number));
  for (const number of [...running.keys()].filter(number => !now.has(number))) {
    running.delete(number);
    kept.delete(number);
    cards.get(number)?.node.remove();
    cards.delete(number);
  }
  state.running.forEach(show);
  showTables();
  showOrders();
  markCards();
  // The game that is shown has ended since it was loaded.
  if (replay?.game?.result === "*" && !running.has(replay.number)) load(replay.number);
  else if (replay?.game) showFacts();
  if (view.third !== state.kibitzer) {
    view.third = state.kibitzer;
    if (replay?.game) view.showLines();
  }
  follow();
  keepSoon();
}
function showOrders() {
  $("sign-in").hidden = isDirecting;
  $("orders").hidden = !isDirecting;
  $("game-orders").hidden = !isDirecting || !replay;
  const live = replay && running.get(replay.number);
  $("hold").hidden = !live;
  $("hold").textContent = live?.paused ? "Let go on" : "Hold";
}

// The last games are kept, so that they can be seen and saved when the referee has gone. One is loaded now and then.
const MOST_KEPT = 64;
let keeping = null;
function keepSoon() {
  if (keeping || report || isLost) return;
  const missing = state.finished.slice(-MOST_KEPT).filter(game => !kept.has(game.number)).at(-1);
  if (!missing) return;
  keeping = setTimeout(async () => {
    await fetchGame(missing.number);
    keeping = null;
    if (kept.has(missing.number)) keepSoon();
  }, 500 + 1500 * Math.random());
}

// The page as one file, which opens from a disk.
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
let parts = null;
async function loadParts() {
  const text = name => fetch(name).then(answer => answer.text());
  parts = await Promise.all(["board.css", "live.css", "board.js", "live.js"].map(text)).catch(() => null);
}
function save() {
  const games = Object.fromEntries(kept), last = { ...state, log: state.log, directed: false, running: [...running.values()], games };
  if (replay?.game) games[replay.number] = replay.game;
  const json = JSON.stringify(last).replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const [board, live, components, script] = parts, title = make("p", state.event).innerHTML;
  const html = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`
    + `<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>${title}</title>\n<style>\n${board}${live}</style>\n</head>\n<body>\n${body}\n`
    + `<script>const HERALD_REPORT = ${json};\n${components}${script}<${"/"}script>\n</body>\n</html>\n`;
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  link.download = `${state.event.replace(/[^\p{L}\p{N}]+/gu, "-")}.html`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The director's commands, in the syntax of the console. The token is kept while the page is open.
let token = null;
async function order(words) {
  const request = { method: "POST", headers: { Authorization: "Bearer " + token }, body: words };
  const answer = await fetch("order", request).catch(() => null);
  return answer ? { status: answer.status, text: await answer.text() } : { status: 0, text: "Herald can't be reached." };
}
async function orderAtOnce(words) {
  const { status, text } = await order(words);
  $("answer").textContent = text;
  return status === 200;
}
$("sign-in").onsubmit = async event => {
  event.preventDefault();
  token = $("token").value;
  isDirecting = await orderAtOnce("pairings");
  if (isDirecting) $("answer").textContent = "";
  $("token").value = "";
  showOrders();
  if (state) showTables();
  $(isDirecting ? "event-order" : "token").focus();
};
// What can be ordered of a game, a program and the event: a name, the words of the console, and when it is offered. The form asks for
// what stands in braces; what has a question mark may be left out.
const isLive = ({ game }) => running.has(game), hasEnded = ({ game }) => state.finished.some(row => row.number === game);
const isHeld = ({ game }) => Boolean(running.get(game)?.paused), hasWithdrawn = ({ program }) => state.table.some(row => row.name === program && row.withdrawn);
const ORDERS = {
  game: [
    ["Hold it", "pause {game}", about => isLive(about) && !isHeld(about)],
    ["Let it go on", "resume {game}", isHeld],
    ["Correct the result", "correct {game} {result} {reason?}", hasEnded],
    ["End it with a result", "adjudicate {game} {result} {reason?}", isLive],
    ["Play on from a move", "rewind {game} {move} {clocks?}", about => isLive(about) || hasEnded(about)],
    ["Play again from the beginning", "restart {game}", isLive],
    ["Give time", "add {game} {side} {seconds}", isLive],
    ["Take time", "take {game} {side} {seconds}", isLive],
    ["Set a clock", "clock {game} {side} {seconds}", isLive],
  ],
  program: [
    ["Send away; it may come back", "kick {program} {reason?}"],
    ["Lose its game, or its next one", "forfeit {program} {reason?}"],
    ["Withdraw", "withdraw {program} {reason?}", about => !hasWithdrawn(about)],
    ["Readmit", "readmit {program} {reason?}", about => !about.program || hasWithdrawn(about)],
    ["Begin its next game against", "pair {program} {other}"],
    ["Start on the referee's machine", "start {program}"],
    ["Stop on the referee's machine", "stop {program}"],
  ],
  event: [
    ["Tell all programs", "broadcast {text}"],
    ["Hold all games", "pause"],
    ["Let all games go on", "resume", () => [...running.values()].some(game => game.paused)],
    ["Begin the next round", "next"],
    ["Let a program enter", "enter {name} secret={secret}"],
    ["Time control from the next round on", "tc {control}"],
    ["Pair the next round again", "repair"],
    ["Table and games in play", "status"],
    ["Games to come", "pairings"],
    ["Go on without the observer", "alone"],
    ["Pause the service", "quit pause"],
    ["End the service", "quit"],
  ],
};
const programs = () => state.table.map(row => row.name).sort();
const games = () => [...running.keys(), ...state.finished.map(row => row.number).reverse()];
// What the form asks for: a label, and what may be chosen, or the attributes of an input.
const FIELDS = {
  game: ["Game", games], program: ["Program", programs], other: ["Opponent", programs], result: ["Result", () => ["1-0", "1/2-1/2", "0-1"]], side: ["Side", () => ["white", "black"]],
  seconds: ["Seconds", { inputMode: "decimal" }], move: ["Before the move (17, or 17b for Black)", {}], clocks: ["Seconds of White and Black, if not those of then", {}],
  reason: ["Reason", {}], text: ["Text", {}], name: ["Name", { maxLength: 100 }], secret: ["Secret, at least 8 characters", { type: "password" }],
  control: ["Time control, as 40/5:00 or 300+3", {}],
};
let subject = {}, isAsked = false;
// The console reads words as a shell does; texts and reasons are taken as they stand.
function quoted(name, text) {
  if (["text", "reason", "clocks"].includes(name) || !/['"\\#`$\s]/.test(text)) return text;
  return `"${text.replace(/["\\`$]/g, "\\$&")}"`;
}
function orderWords(isShown) {
  return $("order-kind").value.replace(/ ?(\w+=)?\{(\w+)\??\}/g, (_, key = "", name) => {
    const text = String(subject[name] ?? $("field-" + name)?.value ?? "").trim();
    return text && ` ${key}${isShown && name === "secret" ? "…" : quoted(name, text)}`;
  });
}
function showWords() {
  isAsked = false;
  $("order-words").textContent = orderWords(true);
  $("give").textContent = "Give this order";
  $("order-answer").textContent = $("order-answer").className = "";
}
function field(name, isOptional, preset) {
  const [text, how] = FIELDS[name], label = make("label", text + (isOptional ? " (may be empty)" : "")), input = make(typeof how === "function" ? "select" : "input");
  input.id = "field-" + name;
  if (typeof how === "function") input.append(...how().map(choice => new Option(choice, choice)));
  else Object.assign(input, how);
  if (preset !== undefined) input.value = preset;
  label.append(input);
  return label;
}
function showFields() {
  const asked = [...$("order-kind").value.matchAll(/\{(\w+)(\??)\}/g)].filter(([, name]) => subject[name] === undefined);
  $("order-fields").replaceChildren(...asked.map(([, name, mark]) => field(name, mark, name === "move" ? moveShown() : undefined)));
  showWords();
}
// The move that was played in the position that is shown.
function moveShown() {
  const node = view.nodes?.[view.at], number = parseInt(node?.number, 10);
  return !replay?.game || replay.number !== subject.game || !number ? "" : node.color === "w" ? `${number}b` : `${number + 1}`;
}
function openOrders(kind, title, about = {}) {
  subject = about;
  $("order-title").textContent = title;
  // Of a game or program that is yet to be chosen, everything is offered.
  const isOffered = ([, , when]) => !when || (kind !== "event" && !Object.keys(about).length) || when(about);
  $("order-kind").replaceChildren(...ORDERS[kind].filter(isOffered).map(([name, words]) => new Option(name, words)));
  showFields();
  $("order").showModal();
}
function orderButton(name) {
  const node = button("Orders", () => openOrders("program", name, { program: name }));
  node.setAttribute("aria-label", `Orders for ${name}`);
  return node;
}
$("order-kind").onchange = showFields;
$("order-fields").oninput = showWords;
$("order-form").onsubmit = async event => {
  event.preventDefault();
  const { status, text } = await order(orderWords(false) + (isAsked ? " --yes" : ""));
  // What can't be undone is given by a second press.
  isAsked = status === 409;
  $("order-answer").textContent = text;
  $("order-answer").className = isAsked ? "asks" : status === 200 ? "" : "lost";
  $("give").textContent = isAsked ? "Yes, do it" : "Give this order";
};
$("order-close").onclick = () => $("order").close();
// The button in the table by which the form was opened may have been replaced.
$("order").onclose = () => {
  if (document.activeElement === document.body && subject.program) $("table").querySelector(`[aria-label="Orders for ${CSS.escape(subject.program)}"]`)?.focus();
};
$("hold").onclick = () => orderAtOnce(`${running.get(replay.number)?.paused ? "resume" : "pause"} ${replay.number}`);
$("game-order").onclick = () => openOrders("game", $("title").textContent, { game: replay.number });
$("any-game-order").onclick = () => openOrders("game", "A game");
$("program-order").onclick = () => openOrders("program", "A program");
$("event-order").onclick = () => openOrders("event", "The event");

// Buttons and keys.
function enlarge() {
  const isBig = document.documentElement.classList.toggle("big");
  $("big").setAttribute("aria-pressed", isBig);
}
$("big").onclick = enlarge;
$("ask").onclick = () => $("keys").showModal();
$("close").onclick = close;
$("previous").onclick = () => beside(-1);
$("next").onclick = () => beside(1);
$("save").onclick = save;
$("answer").onclick = () => { $("answer").textContent = ""; };
$("one").onchange = $("other").onchange = showEncounter;
$("filter").onchange = showSchedule;
$("more").onclick = () => { showsAll = true; showSchedule(); };
const KEYS = { n: () => beside(1), p: () => beside(-1), g: close, b: enlarge, t: () => document.querySelector("[data-theme-switch]").click(), "?": () => $("keys").showModal(),
  1: () => view.lines.focus(0), 2: () => view.lines.focus(1), 3: () => view.lines.focus(2) };
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select, dialog") || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
addEventListener("hashchange", readAddress);

// The stream of changes. Two seconds without one, the referee gives a sign of life.
const SILENCE = 7000, RETRY = 2000, LONGEST_RETRY = 10000;
let events = null, heard = 0, tries = 0, due = null;
function refreshSoon() { due ??= setTimeout(() => { due = null; refresh(); }, 300); }
function listen() {
  events?.close();
  tries += 1;
  heard = performance.now();
  events = new EventSource("events");
  const on = (name, hear) => events.addEventListener(name, event => { heard = performance.now(); lastSeen = Date.now(); hear(event.data); });
  on("alive", () => { if (isLost) refreshSoon(); });
  on("game", data => show(JSON.parse(data)));
  on("third", data => {
    const { number, ply, third } = JSON.parse(data);
    if (replay?.number === number && replay.game) view.opine(ply, third);
  });
  on("changed", refreshSoon);
  // Loads the state at first and after each reconnection.
  events.onopen = () => { heard = performance.now(); tries = 0; refresh(); };
  // The page asks again by itself: a browser gives up for good after some answers.
  events.onerror = () => { events.close(); lose(); };
  // The referee goes. What it showed last stays; after a pause the page finds it again.
  on("end", data => {
    const told = JSON.parse(data);
    showState(told.state);
    for (const { number, game } of told.games) kept.set(number, game);
    lose();
  });
}
function watch() {
  const silent = performance.now() - heard;
  if (silent > SILENCE) lose();
  if (silent > SILENCE || (events.readyState === EventSource.CLOSED && silent > Math.min(RETRY * tries, LONGEST_RETRY))) listen();
}

if (report) {
  for (const id of ["director", "save", "live-pgn"]) $(id).hidden = true;
  // In a single file there is nothing to lead to.
  $("links").hidden = Boolean(report.games);
  readAddress();
  showState(report);
  tell(report.over ? "" : "The event was not over when this was written.", false);
} else {
  loadParts();
  readAddress();
  listen();
  setInterval(watch, 1000);
  setInterval(tick, 100);
}
