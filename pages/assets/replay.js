"use strict";
// A game to step through: board, clocks, list of moves and graph.
//
//   const replay = new HeraldReplay(element, { lines: true, onGo: node => ... });
//   replay.show(game);       // JSON as pages/src/game_page.rs describes it
//   replay.show(game, { start: "White to move", arrows: [{ from, to, kind }] });   // what is said and drawn at its start
//   replay.go(id);           // 0 is the start
//
// With `lines` both programs' scores are curves of their own, and their main lines and a third opinion stand beside the board;
// `replay.third` is the name of the third program.
const HeraldReplay = (() => {
  function make(name, kind, text, into) {
    const node = document.createElement(name);
    if (kind) node.className = kind;
    if (text) node.textContent = text;
    if (into) into.append(node);
    return node;
  }
  const pair = squares => squares.length < 4 ? [squares] : [squares.slice(0, 2), squares.slice(2, 4)];

  // A FEN may leave out the fields in which it is like the one before.
  function expand(fen, before) {
    const old = before.split(/[/ ]/), ends = fen.match(/[/ ]/g) || [];
    return fen.split(/[/ ]/).map((field, at) => (field || old[at]) + (ends[at] || "")).join("");
  }

  // A node of the tree. Its FEN is put together when it is asked for.
  class Node {
    constructor(nodes, parent, move, more) {
      const before = nodes[parent], isBlack = before.turn === "b";
      Object.assign(this, move, { id: nodes.length, parent, next: [], variations: undefined, before: move.comment_before }, more);
      Object.defineProperty(this, "fen", { get: () => this.full ??= expand(move.fen, nodes[parent].fen) });
      this.squares = pair(move.squares);
      this.number = before.count + (isBlack ? "…" : ".");
      this.color = before.turn;
      this.turn = isBlack ? "w" : "b";
      this.count = before.count + (isBlack ? 1 : 0);
      before.next.push(this.id);
      nodes.push(this);
    }
  }

  /** The nodes of a game's tree as `HeraldMoves` takes them. */
  function tree(game, { start, arrows }) {
    const [, turn = "w", , , , count] = game.start.split(" ");
    const nodes = [{ id: 0, parent: null, next: [], fen: game.start, said: start, arrows, turn, count: parseInt(count, 10) || 1, score: game.start_score, comment: game.comment, san: "", number: "" }];
    const addLine = (parent, moves) => {
      let at = parent;
      for (const move of moves) {
        const before = at;
        at = new Node(nodes, before, move).id;
        for (const variation of move.variations || []) addLine(before, variation);
        if (move.best) addBest(before, move.best, nodes[at]);
      }
    };
    // A better line is a variation, unless the game or a variation begins so.
    const addBest = (parent, best, played) => {
      if (!best.moves.length) return;
      const [first, squares] = best.moves[0];
      played.arrow = { from: squares.slice(0, 2), to: squares.slice(-2), kind: "best", san: first };
      if (nodes[parent].next.some(id => nodes[id].san === first)) return;
      let at = parent;
      best.moves.forEach(([san, squares, fen], ply) => {
        at = new Node(nodes, at, { san, squares, fen }, ply ? {} : { before: "Better:", score: best.score }).id;
      });
      nodes[at].comment = HeraldGraph.scoreText(best.score);
      played.better = first;
    };
    addLine(0, game.moves);
    return nodes;
  }

  function words(node) {
    if (node.parent === null) return node.said;
    const facts = [`${node.number.replace("…", "...")} ${node.san}`];
    if (node.score) facts.push(HeraldGraph.scoreText(node.score) + (node.depth ? ` at depth ${node.depth}` : ""));
    if (node.used !== undefined) facts.push(`${node.used.toFixed(node.used < 10 ? 2 : 0)} s`);
    if (node.note) facts.push(node.note);
    if (node.better) facts.push(`better was ${node.better}`);
    return facts.join(", ");
  }

  /** A count as text: `950`, `12.3k`, `1.25M`. */
  function countText(count) {
    const [unit, sign] = count >= 1e9 ? [1e9, "G"] : count >= 1e6 ? [1e6, "M"] : count >= 1e4 ? [1e3, "k"] : [1, ""];
    return sign ? (count / unit).toPrecision(3).replace(/e.*/, "") + sign : String(Math.round(count));
  }

  /** What a program tells of its search: depth, nodes, speed, time. */
  function searchText({ depth, nodes, used }) {
    const facts = [];
    if (depth !== undefined) facts.push(`depth ${depth}`);
    if (nodes !== undefined) facts.push(`${countText(nodes)} nodes`);
    if (nodes && used > 0) facts.push(`${countText(nodes / used)} a second`);
    if (used !== undefined) facts.push(`${used.toFixed(used < 10 ? 2 : 0)} s`);
    return facts.join(", ");
  }

  /** The moves of a line, written as arrays of move, squares and FEN. */
  function steps(line, start) {
    let before = start;
    return line.moves.map(([san, squares, fen]) => ({ san, squares: pair(squares), fen: before = expand(fen, before) }));
  }

  const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };
  /** The pieces that each side has more than the other, and the difference in pawns from White's side. */
  function material(fen) {
    const more = { w: "", b: "" };
    let pawns = 0;
    const pieces = [...HeraldBoard.read(fen).pieces.values()];
    for (const [role, value] of Object.entries(VALUES)) {
      const by = pieces.filter(piece => piece === "w" + role).length - pieces.filter(piece => piece === "b" + role).length;
      pawns += by * value;
      more[by > 0 ? "w" : "b"] += role.repeat(Math.abs(by));
    }
    return { more, pawns };
  }

  class HeraldReplay {
    constructor(root, { lines = false, onGo = null } = {}) {
      root.classList.add("replay");
      Object.assign(this, { onGo, hasLines: lines });
      const left = make("section", "", "", root);
      left.setAttribute("aria-label", "Board");
      this.sides = [this.side(left)];
      const frame = make("div", "", "", left);
      this.sides.push(this.side(left));
      this.board = new HeraldBoard(frame, { label: "Position" });
      this.steps(left);
      this.said = make("p", "replay-said", "", left);
      const right = make("section", "panel replay-moves", "", root);
      right.setAttribute("aria-label", "Moves");
      this.moves = new HeraldMoves(make("div", "", "", right), { onGo: id => this.go(id) });
      if (lines) this.buildLines(root);
      this.chart = make("section", "replay-graph", "", root);
      this.chart.setAttribute("aria-label", "Graph");
      const goPly = ply => this.go(this.main[ply]);
      this.scores = make("div", "", "", this.chart);
      this.graph = new HeraldGraph(this.scores, { onGo: goPly });
      // Two curves of evaluation and two of clocks would be too many for one graph.
      this.clocks = lines ? new HeraldGraph(make("div", "", "", this.chart), { onGo: goPly, label: "Clocks over the moves", height: 60 }) : null;
      this.key = make("p", "graph-key", "", this.chart);
      const keys = [["e", "evaluation"], ["own-w", ""], ["own-b", ""], ["third", "third opinion"], ["w", "White's clock"], ["b", "Black's clock"]];
      keys.forEach(([kind, text]) => make("span", `key-${kind}`, text, this.key));
      document.addEventListener("keydown", event => this.press(event));
      this.root = root;
    }

    buildLines(root) {
      root.classList.add("with-lines");
      const section = make("section", "panel replay-lines", "", root);
      section.setAttribute("aria-label", "Main lines");
      this.lines = new HeraldLines(section);
    }

    side(into) {
      const line = make("p", "replay-side", "", into);
      return { line, name: make("span", "", "", line), material: make("span", "replay-material", "", line), clock: make("time", "", "", line) };
    }

    steps(into) {
      const steps = make("div", "steps", "", into);
      steps.setAttribute("role", "group");
      steps.setAttribute("aria-label", "Steps");
      const button = (text, label, action) => {
        const node = make("button", "button", text, steps);
        node.type = "button";
        node.setAttribute("aria-label", label);
        node.title = label;
        node.onclick = action;
      };
      button("«", "First position", () => this.go(0));
      button("‹", "Move back", () => this.go(this.back()));
      button("›", "Move on", () => this.go(this.on()));
      button("»", "Last position", () => this.go(this.last()));
      button("⇅", "Turn the board round", () => this.flip());
    }

    /** Shows a game from its start, or at a place in it. `start` is said there, and `arrows` are drawn. */
    show(game, { at = 0, start = "Start of the game", arrows = null } = {}) {
      Object.assign(this, { game, beginning: { start, arrows } });
      this.nodes = tree(game, { start, arrows });
      this.main = [0];
      for (let at = 0; this.nodes[at].next.length; ) this.main.push(at = this.nodes[at].next[0]);
      this.plies = new Map(this.main.map((id, ply) => [id, ply]));
      const tags = Object.fromEntries(game.tags);
      this.names = { w: tags.White || "White", b: tags.Black || "Black" };
      this.moves.show(this.nodes);
      this.showGraph();
      this.go(at);
    }

    /** Adds a move to the game, and goes on to it from the end. */
    add(move) {
      const isAtEnd = this.at === this.last();
      this.game.moves.push(move);
      const { at } = this;
      this.show(this.game, { at, ...this.beginning });
      if (isAtEnd) this.go(this.last());
    }

    showGraph() {
      const line = this.main.map(id => this.nodes[id]), { hasLines } = this;
      const own = (node, color) => node.color === color ? HeraldGraph.scoreOf(node) : undefined;
      const label = node => node.san ? `${node.number} ${node.san}` : "Start";
      this.clocks?.show(line.map(node => ({ clock: node.clock, color: node.color, label: label(node) })));
      this.graph.show(line.map(node => ({
        score: hasLines ? undefined : HeraldGraph.scoreOf(node), clock: hasLines ? undefined : node.clock, color: node.color,
        kind: HeraldMoves.kind(node.nags), label: label(node),
        scores: hasLines ? { w: own(node, "w"), b: own(node, "b"), third: node.third?.score } : undefined,
      })));
      const hasClocks = line.some(node => node.clock !== undefined), hasScores = line.some(node => node.score), hasThird = line.some(node => node.third?.score);
      this.chart.hidden = !hasClocks && !hasScores && !hasThird;
      this.scores.hidden = hasLines && !hasScores && !hasThird;
      const isShown = { e: hasScores && !hasLines, "own-w": hasScores && hasLines, "own-b": hasScores && hasLines, third: hasThird && hasLines, w: hasClocks, b: hasClocks };
      for (const [kind, shown] of Object.entries(isShown)) this.key.querySelector(`.key-${kind}`).hidden = !shown;
      for (const color of ["w", "b"]) this.key.querySelector(`.key-own-${color}`).textContent = this.names[color];
    }

    /** A third opinion on the position after so many plies, as it comes. */
    opine(ply, third) {
      const node = this.nodes[this.main[ply]];
      if (!node) return;
      node.third = third;
      if (ply) this.game.moves[ply - 1].third = third;
      this.showGraph();
      this.goGraph();
      this.showLines();
    }

    goGraph() {
      const ply = this.plies.get(this.branch(this.nodes[this.at]));
      this.graph.go(ply);
      this.clocks?.go(ply);
    }

    // The last lines that the programs told before or at the position on the board.
    showLines() {
      if (!this.hasLines) return;
      const found = {};
      for (let node = this.nodes[this.at]; node && node.parent !== null; node = this.nodes[node.parent]) {
        if (node.used !== undefined || node.line) found[node.color] ??= { node, start: this.nodes[node.parent], told: node, line: node.line };
        if (node.third) found.third ??= { node, start: node, told: node.third, line: node.third };
        if (found.w && found.b && found.third) break;
      }
      const names = { ...this.names, third: this.third || "Third opinion" };
      this.lines.show(["w", "b", "third"].filter(kind => found[kind]).map(kind => {
        const { start, told, line } = found[kind], isWhite = start.turn === "w";
        return { kind, name: names[kind], score: told.score, facts: searchText(told), start: start.fen, count: start.count, isWhite, steps: line ? steps(line, start.fen) : [] };
      }));
    }

    go(id) {
      this.at = id;
      const node = this.nodes[id];
      this.board.show({ fen: node.fen, last: node.squares, check: /[+#]/.test(node.san) });
      this.board.arrows(node.arrows || (node.arrow && node.arrow.san !== node.san ? [node.arrow] : []));
      this.board.say(words(node));
      this.moves.go(id);
      this.goGraph();
      this.said.textContent = [words(node), node.comment].filter(Boolean).join(". ");
      this.showSides();
      this.showLines();
      if (this.onGo) this.onGo(node);
    }

    // The last node of the mainline on the way to a node.
    branch(node) {
      let at = node;
      while (!this.plies.has(at.id)) at = this.nodes[at.parent];
      return at.id;
    }

    showSides() {
      const clocks = {}, { flag } = this.game;
      if (flag && this.at === this.last()) clocks[flag] = 0;
      for (let node = this.nodes[this.at]; node.parent !== null; node = this.nodes[node.parent]) {
        if (node.clock !== undefined) clocks[node.color] ??= node.clock;
      }
      const { more, pawns } = material(this.nodes[this.at].fen);
      this.colors().forEach((color, at) => {
        const ahead = color === "w" ? pawns : -pawns;
        this.sides[at].name.textContent = this.names[color];
        this.sides[at].clock.textContent = HeraldGraph.clockText(clocks[color]);
        this.showMaterial(this.sides[at].material, color, more[color], ahead);
      });
    }
    // The colours as they sit, from above.
    colors() { return this.board.flipped ? ["w", "b"] : ["b", "w"]; }

    showMaterial(node, color, roles, ahead) {
      const other = color === "w" ? "b" : "w";
      node.replaceChildren(...[...roles].map(role => HeraldBoard.piece(color + role)), ahead > 0 ? `+${ahead}` : "");
      const words = [...roles].map(role => HERALD_PIECES.names[role]).join(", ");
      if (words) make("span", "unseen", ` more than ${other === "w" ? "White" : "Black"}: ${words}`, node);
    }

    flip() {
      this.board.flip();
      this.showSides();
    }
    back() { return this.nodes[this.at].parent ?? 0; }
    on() { return this.nodes[this.at].next[0] ?? this.at; }
    last() { return this.main[this.main.length - 1]; }
    beside(by) {
      const { parent } = this.nodes[this.at], siblings = parent === null ? [0] : this.nodes[parent].next;
      return siblings[siblings.indexOf(this.at) + by] ?? this.at;
    }

    press(event) {
      const isElsewhere = event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, select");
      if (isElsewhere || !this.nodes || !this.root.offsetParent) return;
      const to = {
        ArrowLeft: () => this.back(), ArrowRight: () => this.on(), Home: () => 0, End: () => this.last(),
        ArrowUp: () => this.beside(-1), ArrowDown: () => this.beside(1),
      }[event.key];
      if (to) this.go(to());
      else if (event.key === "f") this.flip();
      else return;
      event.preventDefault();
    }
  }
  return Object.assign(HeraldReplay, { countText, searchText, lineSteps: steps });
})();
