"use strict";
// The page of an annotated game. Its data is the JSON in the page; pages/src/game_page.rs describes it.
(() => {
  const $ = id => document.getElementById(id);
  const game = JSON.parse($("game-data").textContent), tags = Object.fromEntries(game.tags);

  // In the page a FEN has empty fields where it is as that before it.
  function expand(fen, before) {
    const old = before.split(/[/ ]/), ends = fen.match(/[/ ]/g) || [];
    return fen.split(/[/ ]/).map((field, at) => (field || old[at]) + (ends[at] || "")).join("");
  }
  const pair = squares => squares.length < 4 ? [squares] : [squares.slice(0, 2), squares.slice(2, 4)];

  const nodes = [{ id: 0, parent: null, next: [], fen: game.start, score: game.start_score, comment: game.comment, san: "", number: "" }];
  function add(parent, move, more) {
    const before = nodes[parent].fen, [, turn, , , , count = "1"] = before.split(" ").slice(-6);
    const node = {
      id: nodes.length, parent, next: [], san: move.san, fen: expand(move.fen, before), squares: pair(move.squares),
      number: count + (turn === "b" ? "…" : "."), color: turn, score: move.score, depth: move.depth, clock: move.clock, nags: move.nags,
      before: move.comment_before, comment: move.comment, opening: move.opening, ...more,
    };
    nodes.push(node);
    nodes[parent].next.push(node.id);
    return node.id;
  }
  function addLine(parent, moves) {
    let at = parent;
    for (const move of moves) {
      const before = at;
      at = add(before, move);
      nodes[at].best = move.best;
      for (const variation of move.variations || []) addLine(before, variation);
      if (move.best) addBest(before, move.best, at);
    }
  }
  // A better line is a variation, unless the game or a variation begins so.
  function addBest(parent, best, played) {
    const siblings = nodes[parent].next.map(id => nodes[id].san);
    if (!best.moves.length || siblings.includes(best.moves[0].san)) return;
    let at = parent;
    best.moves.forEach((step, ply) => { at = add(at, step, ply ? {} : { before: "Better:", score: best.score }); });
    nodes[at].comment = HeraldGraph.scoreText(best.score);
    nodes[played].better = best.moves[0].san;
  }
  addLine(0, game.moves);

  // The graph shows the mainline.
  const main = [0];
  while (nodes[main[main.length - 1]].next.length) main.push(nodes[main[main.length - 1]].next[0]);
  const plies = new Map(main.map((id, ply) => [id, ply]));

  const board = new HeraldBoard($("board"), { label: "Position" });
  const moves = new HeraldMoves($("moves"), { onGo: id => go(id) });
  const graph = new HeraldGraph($("graph"), { onGo: ply => go(main[ply]) });
  let at = 0;

  function clocks(id) {
    const seen = {};
    for (let node = nodes[id]; node.parent !== null; node = nodes[node.parent]) {
      if (node.clock !== undefined && seen[node.color] === undefined) seen[node.color] = node.clock;
    }
    return seen;
  }

  function words(node) {
    if (node.parent === null) return "Start of the game";
    const facts = [`${node.number.replace("…", "...")} ${node.san}`];
    if (node.score) facts.push(HeraldGraph.scoreText(node.score) + (node.depth ? ` at depth ${node.depth}` : ""));
    if (node.better) facts.push(`better was ${node.better}`);
    return facts.join(", ");
  }

  function go(id) {
    at = id;
    const node = nodes[id], time = clocks(id);
    board.show({ fen: node.fen, last: node.squares });
    const best = node.best && node.best.moves[0];
    board.arrows(best && best.san !== node.san ? [{ from: pair(best.squares)[0], to: best.squares.slice(-2), kind: "best" }] : []);
    board.say(words(node));
    moves.go(id);
    let branch = node;
    while (!plies.has(branch.id)) branch = nodes[branch.parent];
    graph.go(plies.get(branch.id));
    $("said").textContent = [words(node), node.comment].filter(Boolean).join(". ");
    const sides = board.flipped ? ["w", "b"] : ["b", "w"];
    ["above", "below"].forEach((place, side) => {
      $(place + "-name").textContent = sides[side] === "w" ? tags.White || "White" : tags.Black || "Black";
      $(place + "-clock").textContent = HeraldGraph.clockText(time[sides[side]]);
    });
  }
  const step = {
    first: () => 0, last: () => main[main.length - 1],
    back: () => nodes[at].parent ?? 0, on: () => nodes[at].next[0] ?? at,
    other: by => {
      const siblings = at ? nodes[nodes[at].parent].next : [0];
      return siblings[siblings.indexOf(at) + by] ?? at;
    },
  };
  for (const name of ["first", "back", "on", "last"]) $(name).onclick = () => go(step[name]());
  $("flip").onclick = () => { board.flip(); go(at); };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select")) return;
    const to = { ArrowLeft: step.back, ArrowRight: step.on, Home: step.first, End: step.last, ArrowUp: () => step.other(-1), ArrowDown: () => step.other(1) }[event.key];
    if (to) { event.preventDefault(); go(to()); } else if (event.key === "f") $("flip").click();
  });

  moves.show(nodes);
  graph.show(main.map(id => ({
    score: nodes[id].score, clock: nodes[id].clock, color: nodes[id].color, kind: HeraldMoves.kind(nodes[id].nags), label: words(nodes[id]),
  })));
  $("graph-panel").hidden = !main.some(id => nodes[id].score || nodes[id].clock !== undefined);
  for (const key of document.querySelectorAll(".key-w, .key-b")) key.hidden = !main.some(id => nodes[id].clock !== undefined);
  go(0);
})();
