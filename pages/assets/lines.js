"use strict";
// The main lines of programs, each with a small board that shows where the line leads. Pointing at a move, or the arrow keys, let the
// board follow the line.
//
//   const lines = new HeraldLines(element);
//   lines.show([{ kind, name, score, facts, start, count, isWhite, steps }]);
//
// `kind` is a class of the style sheet: `w`, `b` or `third`. `start` is the FEN before the line, `count` the number of its first move, and
// `steps` is a list of `{ san, squares, fen }`.
const HeraldLines = (() => {
  function make(name, kind, text, into) {
    const node = document.createElement(name);
    if (kind) node.className = kind;
    if (text) node.textContent = text;
    if (into) into.append(node);
    return node;
  }

  class Line {
    constructor(into) {
      this.root = make("section", "line", "", into);
      const head = make("h3", "line-head", "", this.root);
      this.name = make("span", "line-name", "", head);
      this.score = make("b", "line-score", "", head);
      this.facts = make("p", "line-facts quiet", "", this.root);
      this.text = make("p", "line-moves", "", this.root);
      this.text.addEventListener("pointerover", event => this.follow(event.target));
      this.text.addEventListener("click", event => this.follow(event.target));
      this.text.addEventListener("focusin", event => this.follow(event.target));
      this.text.addEventListener("keydown", event => this.key(event));
      const frame = make("div", "line-board", "", this.root);
      this.board = new HeraldBoard(frame, { label: "Line", picture: true });
      this.key_ = "";
    }

    show({ kind, name, score, facts, start, count, isWhite, steps }) {
      this.root.className = `line line-${kind}`;
      this.name.textContent = name;
      this.score.textContent = HeraldGraph.scoreText(score);
      this.facts.textContent = facts;
      const key = [start, ...steps.map(step => step.san)].join(" ");
      if (key === this.key_) return;
      Object.assign(this, { key_: key, start, steps, name_: name });
      const hadFocus = this.text.contains(document.activeElement);
      let [number, white] = [count, isWhite];
      this.text.replaceChildren(...steps.flatMap(({ san }, ply) => {
        const button = make("button", "", (white ? `${number}. ` : ply ? "" : `${number}... `) + san);
        button.type = "button";
        button.dataset.ply = ply;
        button.tabIndex = -1;
        if (!white) number += 1;
        white = !white;
        return [button, " "];
      }));
      if (!steps.length) make("span", "quiet", "tells no line", this.text);
      this.go(steps.length - 1);
      if (hadFocus) this.focus();
    }

    go(ply) {
      this.at = ply;
      const step = this.steps[ply];
      this.board.label = step ? `${this.name_}: after ${step.san}` : this.name_;
      this.board.show({ fen: step ? step.fen : this.start, last: step ? step.squares : [], check: /[+#]/.test(step?.san || "") });
      [...this.text.querySelectorAll("button")].forEach((button, at) => {
        button.tabIndex = at === ply ? 0 : -1;
        if (at === ply) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      });
    }

    follow(target) {
      const button = target.closest("button[data-ply]");
      if (button && +button.dataset.ply !== this.at) this.go(+button.dataset.ply);
    }

    key(event) {
      const last = this.steps.length - 1;
      const to = { ArrowLeft: this.at - 1, ArrowUp: this.at - 1, ArrowRight: this.at + 1, ArrowDown: this.at + 1, Home: 0, End: last }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.go(Math.max(0, Math.min(to, last)));
      this.focus();
    }
    focus() {
      this.text.querySelector("[aria-current]")?.focus();
    }
  }

  class HeraldLines {
    constructor(root) {
      this.root = root;
      root.classList.add("lines");
      this.lines = [];
    }

    show(told) {
      while (this.lines.length > told.length) this.lines.pop().root.remove();
      told.forEach((line, at) => (this.lines[at] ??= new Line(this.root)).show(line));
    }

    /** Puts the keyboard into a line, from 0. */
    focus(at) {
      this.lines[at]?.focus();
    }
  }
  return HeraldLines;
})();
