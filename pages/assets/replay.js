"use strict";
// A game to step through: board, clocks, list of moves and graph.
//
//   const replay = new HeraldReplay(element);
//   replay.show(game);       // JSON as pages/src/game_page.rs describes it
//   replay.show(game, { start: "White to move", arrows: [{ from, to, kind }] });   // what is said and drawn at its start
//   replay.go(id);           // 0 is the start
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
    if (node.note) facts.push(node.note);
    if (node.better) facts.push(`better was ${node.better}`);
    return facts.join(", ");
  }

  class HeraldReplay {
    constructor(root) {
      root.classList.add("replay");
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
      this.chart = make("section", "replay-graph", "", root);
      this.chart.setAttribute("aria-label", "Graph");
      this.graph = new HeraldGraph(make("div", "", "", this.chart), { onGo: ply => this.go(this.main[ply]) });
      this.key = make("p", "graph-key", "", this.chart);
      [["e", "evaluation"], ["w", "White's clock"], ["b", "Black's clock"]].forEach(([kind, text]) => make("span", `key-${kind}`, text, this.key));
      document.addEventListener("keydown", event => this.press(event));
      this.root = root;
    }

    side(into) {
      const line = make("p", "replay-side", "", into);
      return { name: make("span", "", "", line), clock: make("time", "", "", line) };
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

    /** Shows a game from its start. */
    show(game, { start = "Start of the game", arrows = null } = {}) {
      this.nodes = tree(game, { start, arrows });
      this.main = [0];
      for (let at = 0; this.nodes[at].next.length; ) this.main.push(at = this.nodes[at].next[0]);
      this.plies = new Map(this.main.map((id, ply) => [id, ply]));
      const tags = Object.fromEntries(game.tags);
      this.names = { w: tags.White || "White", b: tags.Black || "Black" };
      this.moves.show(this.nodes);
      const line = this.main.map(id => this.nodes[id]);
      this.graph.show(line.map(node => ({
        score: HeraldGraph.scoreOf(node), clock: node.clock, color: node.color, kind: HeraldMoves.kind(node.nags), label: node.san ? `${node.number} ${node.san}` : "Start",
      })));
      const hasClocks = line.some(node => node.clock !== undefined), hasScores = line.some(node => node.score);
      this.chart.hidden = !hasClocks && !hasScores;
      this.key.querySelector(".key-e").hidden = !hasScores;
      for (const key of this.key.querySelectorAll(".key-w, .key-b")) key.hidden = !hasClocks;
      this.go(0);
    }

    go(id) {
      this.at = id;
      const node = this.nodes[id];
      this.board.show({ fen: node.fen, last: node.squares, check: /[+#]/.test(node.san) });
      this.board.arrows(node.arrows || (node.arrow && node.arrow.san !== node.san ? [node.arrow] : []));
      this.board.say(words(node));
      this.moves.go(id);
      this.graph.go(this.plies.get(this.branch(node)));
      this.said.textContent = [words(node), node.comment].filter(Boolean).join(". ");
      this.showSides();
    }

    // The last node of the mainline on the way to a node.
    branch(node) {
      let at = node;
      while (!this.plies.has(at.id)) at = this.nodes[at.parent];
      return at.id;
    }

    showSides() {
      const clocks = {};
      for (let node = this.nodes[this.at]; node.parent !== null; node = this.nodes[node.parent]) {
        if (node.clock !== undefined) clocks[node.color] ??= node.clock;
      }
      (this.board.flipped ? ["w", "b"] : ["b", "w"]).forEach((color, at) => {
        this.sides[at].name.textContent = this.names[color];
        this.sides[at].clock.textContent = HeraldGraph.clockText(clocks[color]);
      });
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
  return HeraldReplay;
})();
