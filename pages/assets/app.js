"use strict";
// The page of herald board. It knows no chess: moves and positions come from the program, by the interface of docs/BOARD.md.
(() => {
  const $ = id => document.getElementById(id);
  const VARIANTS = { chess: "Chess", chess960: "Chess960", crazyhouse: "Crazyhouse", "3check": "Three-check", atomic: "Atomic", antichess: "Antichess",
    kingofthehill: "King of the Hill", horde: "Horde", racingkings: "Racing Kings" };
  const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  const other = { white: "black", black: "white" };
  let session = null, state = null, nodes = [], tags = {}, at = 0, seen = 0, thinking = null, hint = null, isLost = false, notice = "";

  const board = new HeraldBoard($("board"), { label: "Board", onMove: async move => { if (await send({ command: "move", move })) showBoard(); } });
  const moves = new HeraldMoves($("moves"), { onGo: id => go(id) });
  const graph = new HeraldGraph($("graph"), { onGo: ply => go(main()[ply]) });

  // The interface.
  async function post(path, body, kind) {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": kind }, body }).catch(() => null);
    if (!answer) return "Herald can't be reached.";
    if (answer.ok) return null;
    const error = await answer.json().then(told => told.error).catch(() => answer.status === 413 ? "That is too long." : "Herald has refused that.");
    return error[0].toUpperCase() + error.slice(1) + (/[.!?]$/.test(error) ? "" : ".");
  }
  /** Gives a command; returns what is wrong with it, or null. */
  async function send(command) {
    notice = "";
    const error = await post(`sessions/${session}/commands`, JSON.stringify(command), "application/json");
    if (error) tell(error);
    return error;
  }
  function tell(text) {
    notice = text;
    showStatus();
  }
  const stored = { get: () => { try { return sessionStorage.getItem("herald-session"); } catch { return null; } },
    set: id => { try { sessionStorage.setItem("herald-session", id); } catch { /* then a reload opens another board */ } } };

  async function begin() {
    const type = performance.getEntriesByType("navigation")[0]?.type;
    session = type === "reload" || type === "back_forward" ? stored.get() : null;
    if (!session && !await openSession()) return;
    listen();
  }
  async function openSession() {
    const answer = await fetch("sessions", { method: "POST" }).catch(() => null);
    const told = answer ? await answer.json().catch(() => ({})) : { error: "Herald can't be reached." };
    if (!told.session) return void tell(told.error || "No board can be opened.");
    session = told.session;
    stored.set(session);
    return true;
  }
  function listen() {
    const events = new EventSource(`sessions/${session}/events`);
    const on = (name, hear) => events.addEventListener(name, event => hear(JSON.parse(event.data)));
    on("state", hearState);
    on("game", hearGame);
    on("node", hearNode);
    on("thinking", told => { thinking = told; showThinking(); });
    on("hint", told => { hint = told; showBoard(); tell(`Hint: ${told.san}`); });
    on("games", showGames);
    on("notice", told => tell(told.text));
    events.onopen = () => { isLost = false; $("export").href = `sessions/${session}/game.pgn`; showStatus(); };
    events.onerror = async () => {
      isLost = true;
      showStatus();
      if (events.readyState === EventSource.CLOSED && await openSession()) listen();
    };
  }

  // What is told.
  function adopt(node) {
    const squares = node.squares || "";
    return { ...node, squares: squares.length < 4 ? [squares].filter(Boolean) : [squares.slice(0, 2), squares.slice(2, 4)],
      before: node.comment_before, color: node.number.endsWith("…") ? "b" : "w" };
  }
  function hearGame(told) {
    nodes = told.nodes.map(adopt);
    tags = Object.fromEntries(told.tags);
    if (!nodes[at] || (at && nodes[at].parent === null)) at = 0;
    moves.show(nodes);
    showGraph();
  }
  function hearNode(told) {
    nodes[told.id] = adopt(told);
    moves.show(nodes);
    moves.go(at);
    showGraph();
  }
  function hearState(told) {
    const before = state;
    state = told;
    seen = performance.now();
    const isNew = !before || before.node !== told.node || before.fen !== told.fen;
    if (isNew || before.mode !== told.mode) hint = null;
    if (before?.mode !== told.mode || (told.play && before?.play?.person !== told.play.person)) board.flip(told.play?.person === "black");
    at = told.node;
    showAll();
    if (!isNew) return;
    const node = nodes[at];
    if (!node?.san) board.say("The first position.");
    else if (told.play && before && told.node < before.node) board.say(`Taken back to ${node.san}.`);
    else board.say(`${told.play && told.turn === told.play.person ? "Herald plays " : ""}${node.san}. ${told.outcome || (told.check ? "Check." : "")}`);
  }

  // What is shown.
  function showAll() {
    showBoard();
    showSides();
    showTools();
    showStatus();
    showThinking();
    showGraph();
    moves.go(at);
    graph.go(Math.max(0, main().indexOf(branch())));
  }
  function showBoard() {
    const node = nodes[at];
    if (!state || !node) return;
    const isNow = at === state.node;
    board.show({ fen: node.fen, last: node.squares, check: isNow ? state.check : /[+#]/.test(node.san || ""), moves: isNow ? state.moves : [] });
    showArrows();
  }
  function showArrows() {
    const ends = (squares, kind) => ({ from: squares.slice(0, 2), to: squares.slice(-2), kind });
    const arrows = [];
    if (hint && at === state.node) arrows.push(ends(hint.squares, "hint"));
    else if (state.analysing && thinking?.node === at) thinking.lines.forEach((line, rank) => line.moves.length && arrows.push(ends(line.moves[0][1], rank ? "second" : "best")));
    else if (nodes[at].best?.moves.length) arrows.push(ends(nodes[at].best.moves[0][1], "best"));
    board.arrows(arrows.reverse());
  }
  function showSides() {
    const play = state.play, clocks = play ? play.clocks : [null, null];
    const names = play ? { [play.person]: "You", [other[play.person]]: play.elo ? `Herald, ${play.elo} Elo` : "Herald" } : { white: tags.White || "White", black: tags.Black || "Black" };
    (board.flipped ? ["white", "black"] : ["black", "white"]).forEach((color, place) => {
      const line = $(place ? "below" : "above"), clock = line.lastChild, runs = play?.running === color;
      line.firstChild.textContent = names[color];
      let left = clocks[color === "white" ? 0 : 1];
      if (!play) left = lastClock(color[0]);
      else if (left !== null && runs) left -= performance.now() - seen;
      clock.textContent = left === null || left === undefined ? "" : HeraldGraph.clockText(left / 1000);
      clock.className = runs ? (left !== null && left < 20000 ? "low" : "running") : "";
      clock.hidden = clock.textContent === "";
    });
  }
  function lastClock(color) {
    for (let node = nodes[at]; node && node.parent !== null; node = nodes[node.parent]) {
      if (node.color === color && node.clock !== undefined) return node.clock * 1000;
    }
    return null;
  }
  function showTools() {
    const play = state.play, isOver = state.outcome !== null;
    $("play-tools").hidden = !play;
    $("analysis-tools").hidden = Boolean(play);
    $("tree-tools").hidden = Boolean(play) || at === 0;
    $("promote").disabled = variation() === 0;
    for (const id of ["hint", "draw", "resign"]) $(id).disabled = isOver;
    $("take-back").disabled = isOver || main().length - 1 < (play?.thinking ? 1 : 2);
    $("hint").disabled ||= play?.thinking;
    $("move-now").hidden = !play?.thinking;
    $("draw").textContent = play?.claim ? "Claim draw" : "Offer draw";
    for (const id of ["draw", "resign"]) $(id).hidden = isOver;
    $("explore").textContent = isOver ? "Analyse" : "Stop and analyse";
    $("explore").classList.toggle("strong", isOver);
    $("analyse").setAttribute("aria-pressed", state.analysing);
    $("analyse").textContent = state.analysing ? "Stop analysis" : "Analyse";
    $("analyse").disabled = isOver && !state.analysing;
    $("lines").value = String(state.lines);
    $("annotate").setAttribute("aria-pressed", state.annotating !== null);
    $("annotate").textContent = state.annotating ? "Stop annotating" : "Annotate game";
    $("annotate").disabled = main().length < 2;
    $("play-here").disabled = isOver;
  }
  function showStatus() {
    $("status").className = isLost ? "lost" : "";
    $("status").textContent = isLost ? "Herald can't be reached." : notice || situation();
  }
  function situation() {
    if (!state) return "";
    const play = state.play, side = state.turn === "white" ? "White" : "Black";
    if (state.outcome) {
      const [result, reason] = state.outcome.replace("}", "").split(" {");
      if (!play) return `${result.replace("1/2-1/2", "½–½")}: ${reason}`;
      const winner = { "1-0": "white", "0-1": "black" }[result];
      return `${reason}. ${winner ? (winner === play.person ? "You win." : "Herald wins.") : "A draw."}`;
    }
    if (play) {
      if (play.claim) return `Your move. You may claim a draw: ${play.claim}.`;
      return play.thinking ? "Herald is thinking." : `Your move, ${side}.${state.check ? " You are in check." : ""}`;
    }
    if (state.annotating) return `Annotating: ${state.annotating[0]} of ${state.annotating[1]} positions`;
    return `${side} to move.${state.check ? " Check." : ""}`;
  }
  function showThinking() {
    if (!state) return;
    const isShown = state.analysing && !state.play;
    $("thinking").hidden = !isShown;
    const lines = isShown && thinking?.node === at ? thinking.lines : [];
    $("depth").textContent = lines.length ? `Depth ${thinking.depth}, ${count(thinking.nodes)} nodes, ${count(thinking.speed)} a second` : isShown ? "…" : "";
    $("best").replaceChildren(...lines.map(line => {
      const item = document.createElement("li"), score = document.createElement("b"), text = document.createElement("span");
      score.textContent = HeraldGraph.scoreText(line.score);
      let count_ = nodes[at].fen.split(" ")[5] || 1, isWhite = state.turn === "white";
      line.moves.forEach(([san], ply) => {
        const number = isWhite ? `${count_}. ` : ply ? "" : `${count_}... `;
        if (!isWhite) count_ = +count_ + 1;
        isWhite = !isWhite;
        if (ply) return void text.append(` ${number}${san}`);
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = number + san;
        button.title = "Make this move";
        button.onclick = () => send({ command: "move", move: san });
        text.append(button);
      });
      item.append(score, text);
      return item;
    }));
    const score = lines[0]?.score || nodes[at]?.score;
    $("bar").hidden = Boolean(state.play) || !(isShown || score);
    $("bar").classList.toggle("flipped", board.flipped);
    $("bar").firstChild.style.height = `${score ? 50 + 50 * HeraldGraph.chance(score) : 50}%`;
    if (nodes[at]) showArrows();
  }
  const count = number => number >= 1e7 ? `${Math.round(number / 1e6)}M` : number >= 1e4 ? `${Math.round(number / 1e3)}k` : String(number);
  function main() {
    const line = [0];
    for (let id = 0; nodes[id]?.next.length; ) line.push(id = nodes[id].next[0]);
    return line;
  }
  // The last node of the mainline on the way to the node on the board.
  function branch() {
    const line = new Set(main());
    let id = at;
    while (!line.has(id)) id = nodes[id].parent ?? 0;
    return id;
  }
  // The first move of the innermost variation that the node on the board is in; 0 on the mainline.
  function variation() {
    let id = at;
    while (id && nodes[nodes[id].parent].next[0] === id) id = nodes[id].parent;
    return id;
  }
  function showGraph() {
    const line = main().map(id => nodes[id]), hasScores = line.some(node => node?.score), hasClocks = line.some(node => node?.clock !== undefined);
    $("chart").hidden = !hasScores && !(hasClocks && state?.mode === "analyse");
    $("chart").querySelector(".key-e").hidden = !hasScores;
    for (const key of $("chart").querySelectorAll(".key-w, .key-b")) key.hidden = !hasClocks;
    graph.show(line.map(node => ({ score: HeraldGraph.scoreOf(node), clock: node.clock, color: node.color, kind: HeraldMoves.kind(node.nags), label: node.san ? `${node.number} ${node.san}` : "Start" })));
  }
  function showGames(told) {
    $("games-label").hidden = told.headings.length < 2;
    $("games").replaceChildren(...told.headings.map((heading, number) => new Option(`${number + 1}. ${heading}`, number)));
    if (told.open === null) $("games").prepend(new Option("–", "", true, true));
    else $("games").value = String(told.open);
  }

  // Stepping through the game. In a game against Herald only the page looks back.
  function go(id) {
    if (id === undefined || !nodes[id] || id === at) return;
    at = id;
    if (state.mode === "analyse") send({ command: "go", node: id });
    showAll();
  }
  const step = { first: () => 0, back: () => nodes[at].parent ?? 0, on: () => nodes[at].next[0] ?? at, last: () => main().at(-1) };
  for (const name of Object.keys(step)) $(name).onclick = () => go(step[name]());
  function flip() {
    board.flip();
    showSides();
    showThinking();
  }
  $("flip").onclick = flip;
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select, dialog") || !nodes[at]) return;
    const siblings = at ? nodes[nodes[at].parent].next : [0], beside = by => siblings[siblings.indexOf(at) + by] ?? at;
    const to = { ArrowLeft: step.back, ArrowRight: step.on, Home: step.first, End: step.last, ArrowUp: () => beside(-1), ArrowDown: () => beside(1) }[event.key];
    if (to) go(to());
    else if (event.key === "f") flip();
    else return;
    event.preventDefault();
  });

  // Buttons.
  const commands = { "take-back": { command: "take_back" }, hint: { command: "hint" }, "move-now": { command: "move_now" }, explore: { command: "explore" }, draw: { command: "draw" } };
  for (const [id, command] of Object.entries(commands)) $(id).onclick = () => send(command);
  $("resign").onclick = () => { if (confirm("Resign this game?")) send({ command: "resign" }); };
  $("analyse").onclick = () => send({ command: "analyse", on: !state.analysing });
  $("annotate").onclick = () => send({ command: "annotate", on: state.annotating === null });
  $("lines").onchange = () => send({ command: "lines", count: +$("lines").value });
  $("promote").onclick = () => send({ command: "promote", node: variation() });
  $("delete").onclick = () => send({ command: "delete", node: at });
  $("games").onchange = () => { if ($("games").value !== "") send({ command: "open", game: +$("games").value }); };
  $("typed").onsubmit = async event => {
    event.preventDefault();
    const move = $("typed-move").value.trim();
    if (move && !await send({ command: "move", move })) $("typed-move").value = "";
  };
  $("copy-fen").onclick = async () => {
    const fen = nodes[at]?.fen || "";
    await navigator.clipboard?.writeText(fen).then(() => tell("The FEN is copied."), () => tell(fen)) ?? tell(fen);
  };

  // Dialogs.
  for (const select of document.querySelectorAll(".variants")) select.append(...Object.entries(VARIANTS).map(([name, text]) => new Option(text, name)));
  for (const button of document.querySelectorAll("[data-close]")) button.onclick = () => button.closest("dialog").close();
  function ask(id, act) {
    const dialog = $(id), error = dialog.querySelector(".app-error");
    dialog.firstElementChild.onsubmit = async event => {
      event.preventDefault();
      error.textContent = "";
      const fault = await act();
      error.textContent = fault || "";
      if (fault) return;
      // A move that was refused belongs to the game before.
      $("typed-move").value = "";
      dialog.close();
    };
    return () => { error.textContent = ""; dialog.showModal(); };
  }
  const elo = () => +$("elo").value > 2800 ? null : +$("elo").value;
  const showElo = () => { $("elo-text").textContent = elo() ? `${elo()} Elo` : "full strength"; $("elo").setAttribute("aria-valuetext", $("elo-text").textContent); };
  $("elo").oninput = showElo;
  showElo();
  $("control").onchange = () => { $("control-row").hidden = $("control").value !== ""; };
  const openNew = ask("new-dialog", () => {
    const side = document.querySelector("input[name=side]:checked").value, control = ($("control").value || $("control-text").value).trim();
    const game = { command: "play", side, control, variant: $("here").checked ? state.variant : $("variant").value };
    if (elo()) game.elo = elo();
    if ($("here").checked) game.fen = nodes[at].fen;
    return send(game);
  });
  function newGame(here) {
    $("here").checked = here;
    $("here-row").hidden = !nodes[at] || nodes[at].fen === START;
    $("variant").value = state.variant;
    if (here) document.querySelector(`input[name=side][value=${state.turn}]`).checked = true;
    openNew();
  }
  $("new-game").onclick = () => newGame(false);
  $("play-here").onclick = () => newGame(true);
  const openText = ask("open-dialog", async () => {
    const file = $("file").files[0];
    if (!file && !$("text").value.trim()) return "Paste something, or choose a file.";
    const error = await post(`sessions/${session}/games`, file || $("text").value, "text/plain");
    if (!error) { $("text").value = ""; $("file").value = ""; at = 0; }
    return error;
  });
  $("open-text").onclick = openText;

  // Setting up positions: the FEN in the dialog is what counts.
  const setup = new HeraldBoard($("setup-board"), { label: "Position to set up", onEdit: square => put(square) });
  let inHand = null;
  const palette = [..."KQRBNP", null, ..."kqrbnp"].map(piece => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.piece = piece || "";
    const color = piece && piece === piece.toUpperCase() ? "w" : "b";
    button.setAttribute("aria-label", piece ? `${color === "w" ? "white" : "black"} ${HERALD_PIECES.names[piece.toLowerCase()]}` : "remove");
    if (piece) {
      const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      picture.setAttribute("viewBox", "0 0 1 1");
      picture.innerHTML = `<use href="#piece-${color}${piece.toLowerCase()}" width="1" height="1"/>`;
      button.append(picture);
    } else button.textContent = "✕";
    button.onclick = () => choosePiece(piece);
    return button;
  });
  $("palette").append(...palette);
  function choosePiece(piece) {
    inHand = piece;
    for (const button of palette) button.setAttribute("aria-pressed", button.dataset.piece === (piece || ""));
  }
  function put(square) {
    const fields = $("fen").value.split(" "), { pieces } = HeraldBoard.read($("fen").value);
    const code = inHand && (inHand === inHand.toUpperCase() ? "w" : "b") + inHand.toLowerCase();
    if (!code || pieces.get(square) === code) pieces.delete(square);
    else pieces.set(square, code);
    const rank = number => [..."abcdefgh"].map(file => {
      const piece = pieces.get(file + number);
      return piece ? (piece[0] === "w" ? piece[1].toUpperCase() : piece[1]) : "1";
    }).join("").replace(/1+/g, ones => ones.length);
    const hand = fields[0].includes("[") ? fields[0].slice(fields[0].indexOf("[")) : "";
    fields[0] = [8, 7, 6, 5, 4, 3, 2, 1].map(rank).join("/") + hand;
    setFen(fields.join(" "));
  }
  function setFen(fen) {
    $("fen").value = fen;
    const fields = fen.split(" ");
    setup.show({ fen });
    $("black-moves").checked = fields[1] === "b";
    for (const box of $("castling").querySelectorAll("input")) box.checked = (fields[2] || "").includes(box.value);
  }
  function changeField(number, value) {
    const fields = $("fen").value.trim().split(/\s+/);
    while (fields.length < 4) fields.push(["", "w", "-", "-"][fields.length]);
    fields[number] = value;
    fields[3] = "-";
    setFen(fields.join(" "));
  }
  $("fen").oninput = () => setFen($("fen").value);
  $("black-moves").onchange = () => changeField(1, $("black-moves").checked ? "b" : "w");
  $("castling").onchange = () => changeField(2, [...$("castling").querySelectorAll("input:checked")].map(box => box.value).join("") || "-");
  $("setup-start").onclick = () => setFen(START);
  $("setup-clear").onclick = () => setFen("8/8/8/8/8/8/8/8 w - - 0 1");
  const openSetup = ask("setup-dialog", () => send({ command: "setup", variant: $("setup-variant").value, fen: $("fen").value }));
  $("set-up").onclick = () => {
    $("setup-variant").value = state.variant;
    setFen(nodes[at].fen);
    choosePiece("K");
    openSetup();
  };

  setInterval(() => { if (state?.play?.running && !isLost) showSides(); }, 100);
  begin();
})();
