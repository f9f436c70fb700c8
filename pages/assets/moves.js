"use strict";
// The moves of a game with variations and comments.
//
//   const moves = new HeraldMoves(element, { onGo: node => ... });
//   moves.show(nodes);      // `nodes[0]` is the start; each has `{ parent, next: [ids], san, number, ... }`, its mainline first
//   moves.go(id);
//
// The Tab key stops at one move, the current one, and then leads on. The focus follows the current move.
const HeraldMoves = (() => {
  const GLYPHS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 7: "□", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±", 17: "∓", 18: "+−", 19: "−+",
    22: "⨀", 32: "⟳", 36: "↑", 40: "→", 132: "⇆", 140: "∆", 142: "⌓", 146: "N" };
  const GLYPH_WORDS = { 1: "good move", 2: "mistake", 3: "brilliant move", 4: "blunder", 5: "interesting move", 6: "inaccuracy" };
  const KINDS = { 1: "good", 2: "mistake", 3: "brilliant", 4: "blunder", 5: "interesting", 6: "inaccuracy" };

  /** The class of a judged move: `blunder`, `mistake`, `inaccuracy`, `good`, `brilliant`, `interesting`; undefined without one. */
  function kind(nags) {
    return (nags || []).map(nag => KINDS[nag]).find(Boolean);
  }

  function make(name, kind_, text, into) {
    const node = document.createElement(name);
    if (kind_) node.className = kind_;
    if (text) node.textContent = text;
    if (into) into.append(node);
    return node;
  }

  class HeraldMoves {
    constructor(root, { onGo = null } = {}) {
      Object.assign(this, { root, onGo, buttons: new Map() });
      root.classList.add("moves");
      root.addEventListener("click", event => {
        const button = event.target.closest("button[data-node]");
        if (button && this.onGo) this.onGo(+button.dataset.node);
      });
      // The current move stays in sight when the list shrinks because something else is shown beside it.
      new ResizeObserver(() => this.reveal()).observe(root);
    }

    show(nodes) {
      const focused = this.focused();
      this.nodes = nodes;
      this.buttons.clear();
      this.root.replaceChildren();
      const start = nodes[0];
      if (start.comment) make("p", "moves-comment", start.comment, this.root);
      this.mainline(start);
      this.at = null;
      this.stopAt(0);
      // A list that grows while somebody is in it does not throw them out.
      if (focused !== undefined) (this.buttons.get(focused) || this.stop)?.focus({ preventScroll: true });
    }

    // The node whose button has the focus, if one has it.
    focused() {
      const button = document.activeElement?.closest("button[data-node]");
      return button && this.root.contains(button) ? +button.dataset.node : undefined;
    }

    // Lets the Tab key stop at a move, or at the first one.
    stopAt(id) {
      if (this.stop) this.stop.tabIndex = -1;
      this.stop = this.buttons.get(id) || this.buttons.values().next().value;
      if (this.stop) this.stop.tabIndex = 0;
    }

    // The mainline in columns: number, White's move, Black's move. Comments and variations stand between the rows.
    mainline(start) {
      let row = null;
      for (let node = start; node.next.length; ) {
        const main = this.nodes[node.next[0]], isWhite = !main.number.endsWith("…");
        if (main.before) { make("p", "moves-comment", main.before, this.root); row = null; }
        if (!row || isWhite) {
          row = make("div", "moves-row", "", this.root);
          make("span", "moves-number", main.number.replace("…", "."), row);
          if (!isWhite) make("span", "moves-dots", "…", row);
        }
        row.append(this.button(main, true));
        if (main.opening) make("p", "moves-opening", main.opening, this.root);
        if (main.comment) make("p", "moves-comment", main.comment, this.root);
        const others = node.next.slice(1);
        for (const other of others) this.variation(this.nodes[other], make("div", "moves-variation", "", this.root));
        if (main.comment || main.opening || others.length) row = null;
        node = main;
      }
    }

    // A variation as running text. Those inside it are put in parentheses.
    variation(first, into) {
      let node = first, isAfterText = true;
      for (let gap = ""; ; gap = " ") {
        if (node.before) { make("span", "moves-comment", gap + node.before, into); isAfterText = true; gap = " "; }
        into.append(gap, isAfterText || !node.number.endsWith("…") ? `${node.number.replace("…", "...")} ` : "", this.button(node, false));
        isAfterText = false;
        if (node.comment) { make("span", "moves-comment", " " + node.comment, into); isAfterText = true; }
        const siblings = node === first ? [] : this.nodes[node.parent].next.slice(1);
        for (const sibling of siblings) {
          into.append(" (");
          this.variation(this.nodes[sibling], into);
          into.append(")");
          isAfterText = true;
        }
        if (!node.next.length) return;
        node = this.nodes[node.next[0]];
      }
    }

    button(node, isMain) {
      const button = make("button", kind(node.nags) || "");
      button.type = "button";
      button.tabIndex = -1;
      button.dataset.node = node.id;
      if (node.note) button.title = node.note;
      if (isMain) make("span", "unseen", `${node.number.replace("…", "...")} `, button);
      make("b", "", node.san, button);
      if (node.nags?.length) {
        const glyphs = node.nags.map(nag => GLYPHS[nag]).filter(Boolean), words = node.nags.map(nag => GLYPH_WORDS[nag]).filter(Boolean);
        if (glyphs.length) make("i", "", glyphs.join(" "), button).setAttribute("aria-hidden", "true");
        if (words.length) make("span", "unseen", `, ${words.join(", ")}`, button);
      }
      if (isMain && node.score) make("small", "", HeraldGraph.scoreText(node.score), button);
      this.buttons.set(node.id, button);
      return button;
    }

    go(id) {
      const before = this.buttons.get(this.at), button = this.buttons.get(id);
      before?.removeAttribute("aria-current");
      this.at = id;
      this.stopAt(id);
      if (this.focused() !== undefined) this.stop?.focus({ preventScroll: true });
      // Scrolling has the page laid out, which is not yet needed at the start.
      if (!button) return void (before && (this.root.scrollTop = 0));
      button.setAttribute("aria-current", "step");
      this.reveal();
    }

    // Scrolls to the current move: the list alone, never the page.
    reveal() {
      const { root } = this, button = this.buttons.get(this.at);
      if (!button) return;
      const box = button.getBoundingClientRect(), frame = root.getBoundingClientRect();
      if (box.top < frame.top + 8) root.scrollTop += box.top - frame.top - 8;
      else if (box.bottom > frame.bottom - 8) root.scrollTop += box.bottom - frame.bottom + 8;
    }
  }
  return Object.assign(HeraldMoves, { kind });
})();
