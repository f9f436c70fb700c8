"use strict";
// The board. It knows no rules of chess: positions come as FEN, and the moves that may be made as a list.
//
//   const board = new HeraldBoard(element, { label: "Game 1", onMove: move => ... });
//   board.show({ fen, last: ["e2", "e4"], check: true, moves: [{ from, to, move, promotion }] });
//
// A move in the list has `from` and `to`, or `drop` and `to` for a piece in hand, and for a pawn that promotes `promotion`.
// `move` is what `onMove` is called with. A board of the kind `picture` is an image; any other can be explored and played on with
// the keyboard: the arrow keys walk over the squares, Enter takes and puts down a piece, Escape lets go of it.
const HeraldBoard = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const FILES = "abcdefgh";
  const WORDS = { w: "white", b: "black" };

  function svg(name, attributes, into) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (into) into.append(node);
    return node;
  }

  function element(name, kind, into) {
    const node = document.createElement(name);
    if (kind) node.className = kind;
    if (into) into.append(node);
    return node;
  }

  /** The pieces of a FEN by their squares, and those in hand: `{ pieces: Map, hands: { w, b } or null, turn }`. */
  function read(fen) {
    const fields = fen.split(" ");
    const [board, hand] = fields[0].replace("]", "").split("[");
    const pieces = new Map(), ranks = board.split("/");
    ranks.slice(0, 8).forEach((rank, down) => {
      let file = 0;
      for (const c of rank) {
        if (c >= "1" && c <= "8") file += +c;
        else if (c !== "~") pieces.set(FILES[file++] + (8 - down), code(c));
      }
    });
    const held = hand !== undefined ? hand : ranks[8];
    let hands = null;
    if (held !== undefined) {
      hands = { w: {}, b: {} };
      for (const c of held) {
        const [color, role] = code(c);
        if (HERALD_PIECES.names[role]) hands[color][role] = (hands[color][role] || 0) + 1;
      }
    }
    return { pieces, hands, turn: fields[1] === "b" ? "b" : "w" };
  }

  const code = c => (c === c.toLowerCase() ? "b" : "w") + c.toLowerCase();
  const named = piece => `${WORDS[piece[0]]} ${HERALD_PIECES.names[piece[1]]}`;

  // The king of the side to move, for a check.
  const king = ({ pieces, turn }) => [...pieces].find(([, piece]) => piece === turn + "k")?.[0] ?? null;

  /** The position in words, for an image of it. */
  function described(fen) {
    const { pieces, turn } = read(fen);
    const side = color => {
      const list = [...pieces].filter(([, piece]) => piece[0] === color);
      list.sort((a, b) => "kqrbnp".indexOf(a[1][1]) - "kqrbnp".indexOf(b[1][1]));
      return list.map(([square, piece]) => `${HERALD_PIECES.names[piece[1]]} ${square}`).join(", ") || "nothing";
    };
    return `White: ${side("w")}. Black: ${side("b")}. ${turn === "w" ? "White" : "Black"} to move.`;
  }

  class HeraldBoard {
    constructor(root, { label = "Board", picture = false, flipped = false, onMove = null, onEdit = null } = {}) {
      HERALD_PIECES.install();
      Object.assign(this, { root, label, picture, flipped, onMove, onEdit, position: { fen: "8/8/8/8/8/8/8/8 w - - 0 1" } });
      this.pieces = new Map();
      this.nodes = new Map();
      this.hands = null;
      this.selected = null;
      this.drawn = [];
      this.build();
    }

    build() {
      const { root } = this;
      root.classList.add("board");
      this.svg = svg("svg", { viewBox: "0 0 8 8", class: "board-picture" });
      this.under = svg("g", {}, this.svg);
      this.letters = svg("g", { class: "board-letters" }, this.svg);
      this.standing = svg("g", {}, this.svg);
      this.over = svg("g", { class: "board-arrows" }, this.svg);
      root.replaceChildren(this.svg);
      if (this.picture) {
        this.svg.setAttribute("role", "img");
      } else {
        this.svg.setAttribute("aria-hidden", "true");
        this.buildCells();
        this.live = element("div", "unseen", root);
        this.live.setAttribute("aria-live", "polite");
      }
      this.drawLetters();
    }

    buildCells() {
      this.grid = element("div", "board-cells", this.root);
      this.grid.setAttribute("role", "grid");
      this.grid.setAttribute("aria-label", this.label);
      this.cells = [];
      for (let rank = 0; rank < 8; rank += 1) {
        const row = element("div", "board-row", this.grid);
        row.setAttribute("role", "row");
        for (let file = 0; file < 8; file += 1) {
          const cell = element("div", "", row);
          cell.setAttribute("role", "gridcell");
          cell.tabIndex = -1;
          this.cells.push(cell);
        }
      }
      this.at = 52; // e2 or e7, the square that the Tab key leads to
      this.cells[this.at].tabIndex = 0;
      this.grid.addEventListener("keydown", event => this.key(event));
      this.grid.addEventListener("pointerdown", event => this.press(event));
      this.grid.addEventListener("contextmenu", event => event.preventDefault());
      this.grid.addEventListener("focusin", event => {
        const at = this.cells.indexOf(event.target);
        if (at >= 0) this.walkTo(at, false);
      });
    }

    // Squares and places. Places are counted from the upper left corner as it is seen.
    square(place) {
      const seen = this.flipped ? 63 - place : place;
      return FILES[seen % 8] + (8 - (seen >> 3));
    }
    place(square) {
      const at = FILES.indexOf(square[0]) + 8 * (8 - +square[1]);
      return this.flipped ? 63 - at : at;
    }
    xy(square) {
      const at = this.place(square);
      return [at % 8, at >> 3];
    }

    /** Shows a position: `{ fen, last, check, moves }`. `check` says that the side to move is in check; `moves` may be made on the board. */
    show(position) {
      const seen = read(position.fen);
      this.position = { ...position, check: position.check ? king(seen) : null };
      this.inHand = seen.hands;
      this.turn = seen.turn;
      if (this.selected && !this.movesFrom(this.selected).length) this.selected = null;
      this.standPieces(seen.pieces);
      this.refresh();
    }

    /** Turns the board round. */
    flip(flipped = !this.flipped) {
      if (flipped === this.flipped) return;
      this.flipped = flipped;
      this.drawLetters();
      for (const [square, node] of this.nodes) this.moveNode(node, square);
      this.refresh();
    }

    /** Draws arrows: `[{ from, to, kind }]`, where kind is a class of the style sheet: `best`, `played`, `wrong`, `hint`. */
    arrows(list) {
      this.given = list || [];
      this.refreshArrows();
    }

    /** Has a screen reader say something. */
    say(text) {
      if (this.live) this.live.textContent = text;
    }

    // Moves the nodes of pieces that have gone elsewhere, so that they glide.
    standPieces(pieces) {
      const gone = [...this.nodes].filter(([square]) => pieces.get(square) !== this.pieces.get(square));
      gone.forEach(([square]) => this.nodes.delete(square));
      for (const [square, piece] of pieces) {
        if (this.nodes.has(square)) continue;
        const at = gone.findIndex(([from]) => this.pieces.get(from) === piece);
        const node = at >= 0 ? gone.splice(at, 1)[0][1] : svg("use", { href: `#piece-${piece}`, width: 1, height: 1 }, this.standing);
        this.moveNode(node, square);
        this.nodes.set(square, node);
      }
      gone.forEach(([, node]) => node.remove());
      this.pieces = pieces;
    }
    moveNode(node, square) {
      const [x, y] = this.xy(square);
      node.style.transform = `translate(${x}px, ${y}px)`;
    }

    // Everything but the pieces.
    refresh() {
      const { last = [], check = null } = this.position;
      this.under.replaceChildren();
      const mark = (square, kind) => {
        const [x, y] = this.xy(square);
        svg("rect", { x, y, width: 1, height: 1, class: kind }, this.under);
      };
      (last || []).forEach(square => mark(square, "mark-last"));
      if (this.selected && !this.selected.startsWith("@")) mark(this.selected, "mark-selected");
      if (check) {
        const [x, y] = this.xy(check);
        svg("circle", { cx: x + .5, cy: y + .5, r: .49, class: "mark-check" }, this.under);
      }
      for (const { to } of this.selected ? this.movesFrom(this.selected) : []) {
        const [x, y] = this.xy(to), takes = this.pieces.has(to);
        svg("circle", { cx: x + .5, cy: y + .5, r: takes ? .43 : .15, class: takes ? "mark-capture" : "mark-target" }, this.under);
      }
      if (this.picture) {
        this.svg.setAttribute("aria-label", `${this.label}. ${described(this.position.fen)}`);
      } else {
        this.refreshCells();
        this.refreshHands();
      }
      this.refreshArrows();
    }

    refreshCells() {
      const movable = new Set((this.position.moves || []).map(move => move.from));
      const targets = new Set(this.selected ? this.movesFrom(this.selected).map(move => move.to) : []);
      this.cells.forEach((cell, at) => {
        const square = this.square(at), piece = this.pieces.get(square);
        const words = [square, piece ? named(piece) : "empty"];
        if (this.position.check === square) words.push("in check");
        if ((this.position.last || []).includes(square)) words.push("last move");
        if (targets.has(square)) words.push("can be reached");
        cell.setAttribute("aria-label", words.join(", "));
        cell.setAttribute("aria-selected", this.selected === square);
        cell.dataset.square = square;
        cell.classList.toggle("movable", movable.has(square) || this.onEdit !== null);
      });
    }

    refreshHands() {
      if (!this.inHand) {
        this.hands?.forEach(hand => hand.remove());
        this.hands = null;
        return;
      }
      this.hands ??= ["before", "after"].map(where => {
        const hand = element("div", "board-hand");
        this.root[where](hand);
        return hand;
      });
      const colors = this.flipped ? ["w", "b"] : ["b", "w"];
      this.hands.forEach((hand, at) => {
        hand.replaceChildren(...Object.entries(this.inHand[colors[at]]).map(([role, count]) => {
          const button = element("button", "");
          button.type = "button";
          const picture = svg("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, button);
          svg("use", { href: `#piece-${colors[at]}${role}`, width: 1, height: 1 }, picture);
          button.append(String(count));
          const key = "@" + role, can = this.turn === colors[at] && this.movesFrom(key).length > 0;
          button.setAttribute("aria-label", `${named(colors[at] + role)} in hand: ${count}`);
          button.setAttribute("aria-pressed", can && this.selected === key);
          button.disabled = !can;
          button.onclick = () => this.select(this.selected === key ? null : key);
          return button;
        }));
      });
    }

    refreshArrows() {
      const arrows = [...(this.given || []), ...this.drawn];
      this.over.replaceChildren();
      for (const { from, to, kind = "own" } of arrows) {
        const [x1, y1] = this.xy(from).map(v => v + .5), [x2, y2] = this.xy(to).map(v => v + .5);
        const length = Math.hypot(x2 - x1, y2 - y1);
        if (!length) {
          svg("circle", { cx: x1, cy: y1, r: .44, class: `ring ${kind}` }, this.over);
          continue;
        }
        const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
        const point = (along, aside) => `${(x1 + dx * along - dy * aside).toFixed(3)} ${(y1 + dy * along + dx * aside).toFixed(3)}`;
        const tip = length - .12, neck = tip - .38, w = .075;
        const d = `M${point(.3, w)}L${point(neck, w)}L${point(neck, .22)}L${point(tip, 0)}L${point(neck, -.22)}L${point(neck, -w)}L${point(.3, -w)}z`;
        svg("path", { d, class: kind }, this.over);
      }
    }

    drawLetters() {
      this.letters.replaceChildren();
      if (this.picture) return;
      const letter = (text, x, y, light) => {
        svg("text", { x, y, class: light ? "on-light" : "on-dark" }, this.letters).textContent = text;
      };
      for (let at = 0; at < 8; at += 1) {
        letter(this.square(at * 8)[1], .06, at + .22, at % 2 === 0);
        letter(this.square(56 + at)[0], at + .84, 7.93, at % 2 === 1);
      }
    }

    // Selecting and moving.
    movesFrom(from) {
      const moves = this.position.moves || [];
      return from.startsWith("@") ? moves.filter(move => move.drop === from[1]) : moves.filter(move => move.from === from);
    }
    select(from) {
      this.selected = from;
      if (from) this.say(`${from.startsWith("@") ? HERALD_PIECES.names[from[1]] : named(this.pieces.get(from)) + " on " + from} taken`);
      this.refresh();
    }
    choose(square) {
      if (this.onEdit) return void this.onEdit(square);
      if (this.selected === square) return void this.select(null);
      const moves = this.selected ? this.movesFrom(this.selected).filter(move => move.to === square) : [];
      if (moves.length) return void this.make(moves, square);
      this.select(this.movesFrom(square).length ? square : null);
    }
    async make(moves, square) {
      const move = moves.length === 1 ? moves[0] : await this.promote(moves, square);
      this.selected = null;
      // Until the next position is shown nothing else can be done.
      if (move) this.position.moves = [];
      this.refresh();
      if (move && this.onMove) this.onMove(move.move);
    }

    // Asks which piece a pawn becomes.
    promote(moves, square) {
      return new Promise(done => {
        const dialog = element("div", "board-promotion", this.root);
        dialog.setAttribute("role", "dialog");
        dialog.setAttribute("aria-label", "Promote to");
        const [x, y] = this.xy(square);
        dialog.style.left = `${Math.min(x, 8 - moves.length) * 12.5}%`;
        dialog.style.top = `${y * 12.5}%`;
        dialog.style.width = `${moves.length * 12.5}%`;
        let isOpen = true;
        // Removing the dialog takes the focus from it, which closes it, too.
        const close = move => {
          if (!isOpen) return;
          isOpen = false;
          done(move);
          dialog.remove();
          this.cells[this.at].focus();
        };
        dialog.onkeydown = event => {
          const buttons = [...dialog.children], at = buttons.indexOf(document.activeElement), end = buttons.length - 1;
          const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: end }[event.key];
          event.stopPropagation();
          if (event.key === "Escape") return void close(null);
          if (to === undefined) return;
          event.preventDefault();
          buttons[Math.min(end, Math.max(0, to))].focus();
        };
        dialog.addEventListener("focusout", event => { if (!dialog.contains(event.relatedTarget)) close(null); });
        const order = move => "qnrbk".indexOf(move.promotion);
        for (const move of moves.slice().sort((a, b) => order(a) - order(b))) {
          const button = element("button", "", dialog);
          button.type = "button";
          button.setAttribute("aria-label", move.promotion ? HERALD_PIECES.names[move.promotion] : move.move);
          const picture = svg("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, button);
          svg("use", { href: `#piece-${this.turn}${move.promotion || "k"}`, width: 1, height: 1 }, picture);
          button.onclick = () => close(move);
        }
        dialog.firstChild.focus();
      });
    }

    walkTo(at, focus) {
      this.cells[this.at].tabIndex = -1;
      this.at = at;
      this.cells[at].tabIndex = 0;
      if (focus) this.cells[at].focus();
    }
    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const file = this.at % 8, rank = this.at >> 3;
      const to = {
        ArrowLeft: [file - 1, rank], ArrowRight: [file + 1, rank], ArrowUp: [file, rank - 1], ArrowDown: [file, rank + 1],
        Home: [0, rank], End: [7, rank], PageUp: [file, 0], PageDown: [file, 7],
      }[event.key];
      if (to) {
        if (to.every(v => v >= 0 && v < 8)) this.walkTo(to[0] + 8 * to[1], true);
      } else if (event.key === "Enter" || event.key === " ") {
        this.choose(this.square(this.at));
      } else if (event.key === "Escape" && this.selected) {
        this.select(null);
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    }

    // The mouse, the pen and the finger. The right button draws arrows.
    press(event) {
      const square = this.squareUnder(event);
      if (!square) return;
      if (event.button === 2) return void this.drag(event, to => this.draw(square, to), false);
      if (event.button !== 0) return;
      if (this.drawn.length) { this.drawn = []; this.refreshArrows(); }
      const wasSelected = this.selected === square;
      const canMove = !this.onEdit && this.movesFrom(square).length > 0;
      const isTarget = this.selected && this.movesFrom(this.selected).some(move => move.to === square);
      this.walkTo(this.place(square), true);
      event.preventDefault();
      if (!canMove || isTarget) return void this.choose(square);
      if (!wasSelected) this.select(square);
      this.drag(event, to => {
        if (to && to !== square) this.choose(to);
        else if (wasSelected && to === square) this.select(null);
      }, true);
    }
    drag(event, done, withPiece) {
      const node = withPiece ? this.nodes.get(this.squareUnder(event)) : null;
      const box = this.grid.getBoundingClientRect(), start = [event.clientX, event.clientY];
      let isMoving = false;
      const onMove = moved => {
        isMoving ||= Math.hypot(moved.clientX - start[0], moved.clientY - start[1]) > 4;
        if (!node || !isMoving) return;
        if (!node.classList.contains("dragged")) {
          node.classList.add("dragged");
          this.standing.append(node);
        }
        const x = (moved.clientX - box.left) / box.width * 8 - .5, y = (moved.clientY - box.top) / box.height * 8 - .5;
        node.style.transform = `translate(${x}px, ${y}px)`;
      };
      const stop = ended => {
        for (const [name, listener] of listeners) removeEventListener(name, listener);
        if (node) {
          for (const [square, other] of this.nodes) if (other === node) this.moveNode(node, square);
          requestAnimationFrame(() => node.classList.remove("dragged"));
        }
        if (ended) done(this.squareUnder(ended));
      };
      const listeners = [["pointermove", onMove], ["pointerup", stop], ["pointercancel", () => stop(null)]];
      for (const [name, listener] of listeners) addEventListener(name, listener);
    }
    draw(from, to) {
      if (!to) return;
      const same = arrow => arrow.from === from && arrow.to === to;
      const without = this.drawn.filter(arrow => !same(arrow));
      this.drawn = without.length < this.drawn.length ? without : [...without, { from, to }];
      this.refreshArrows();
    }
    squareUnder(event) {
      const box = this.grid.getBoundingClientRect();
      const file = Math.floor((event.clientX - box.left) / box.width * 8), rank = Math.floor((event.clientY - box.top) / box.height * 8);
      return file >= 0 && file < 8 && rank >= 0 && rank < 8 ? this.square(file + 8 * rank) : null;
    }
  }

  /** Shows a board in each element with `data-fen`; `data-arrows` holds `e2e4 best,g1f3 wrong`, `data-label` its name. */
  HeraldBoard.pictures = (within = document) => {
    for (const root of within.querySelectorAll("[data-fen]")) {
      const { fen, label = "Board", arrows = "", flipped } = root.dataset;
      const board = new HeraldBoard(root, { label, picture: true, flipped: flipped !== undefined });
      board.show({ fen });
      board.arrows(arrows.split(",").filter(Boolean).map(arrow => {
        const [squares, kind] = arrow.split(" ");
        return { from: squares.slice(0, 2), to: squares.slice(-2), kind };
      }));
    }
  };
  HeraldBoard.read = read;
  /** A small picture of a piece, such as `wn`. */
  HeraldBoard.piece = piece => {
    const picture = svg("svg", { viewBox: "0 0 1 1", class: "piece", "aria-hidden": "true" });
    svg("use", { href: `#piece-${piece}`, width: 1, height: 1 }, picture);
    return picture;
  };
  return HeraldBoard;
})();
