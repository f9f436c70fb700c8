"use strict";
// The graph of a game: evaluation and clocks over the moves.
//
//   const graph = new HeraldGraph(element, { onGo: ply => ... });
//   graph.show([{ score, clock, color, label, kind, scores }, ...]);    // a point for each ply; the first is the start position
//   graph.go(ply);
//
// A score is `{ centipawns }` or `{ mate }`, from White's side. `score` makes an area; `scores: { w, b, third }` make a curve for each
// program. It is a slider: the arrow keys walk over the moves.
const HeraldGraph = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const CURVES = { w: "White", b: "Black", third: "third program" };

  /** White's chances, from -1 to 1: a logistic curve, 73 of 100 at 250 centipawns. */
  function chance(score) {
    if (score.mate !== undefined) return Math.sign(score.mate);
    return 2 / (1 + Math.exp(-score.centipawns / 250)) - 1;
  }

  /** The score of a node: that which was found, or of a mate on the board that of a mate. */
  const scoreOf = node => node.score || (/#$/.test(node.san || "") ? { mate: node.color === "w" ? 1 : -1 } : undefined);

  /** A score as text: `+0.35`, `#3`, `#-2`. */
  function scoreText(score) {
    if (!score) return "";
    if (score.mate !== undefined) return "#" + score.mate;
    const pawns = score.centipawns / 100;
    return (pawns > 0 ? "+" : pawns < 0 ? "−" : "") + Math.abs(pawns).toFixed(2);
  }

  /** A time in seconds as text: `1:05:09`, `5:09`, `0:09.4`. */
  function clockText(seconds) {
    if (seconds === null || seconds === undefined) return "";
    const left = Math.max(0, seconds), h = Math.floor(left / 3600), m = Math.floor(left / 60) % 60, s = left % 60;
    const tail = left < 20 ? (Math.floor(s * 10) / 10).toFixed(1).padStart(4, "0") : String(Math.floor(s)).padStart(2, "0");
    return (h ? `${h}:${String(m).padStart(2, "0")}` : m) + ":" + tail;
  }

  const curves = point => Object.entries(CURVES).flatMap(([name, words]) => point.scores?.[name] ? [`${words} ${scoreText(point.scores[name])}`] : []);

  class HeraldGraph {
    constructor(root, { onGo = null, label = "Evaluation and clocks over the moves", height = 150 } = {}) {
      Object.assign(this, { root, onGo, height, points: [], at: 0 });
      root.classList.add("graph");
      root.tabIndex = 0;
      root.setAttribute("role", "slider");
      root.setAttribute("aria-label", label);
      this.svg = this.node("svg", { "aria-hidden": "true" }, root);
      this.svg.style.height = `${height}px`;
      root.addEventListener("keydown", event => this.key(event));
      root.addEventListener("pointerdown", event => this.press(event));
      this.width = 0;
      new ResizeObserver(([{ contentRect }]) => {
        this.width = contentRect.width;
        this.draw();
      }).observe(root);
    }

    node(name, attributes, into) {
      const node = document.createElementNS(SVG, name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      if (into) into.append(node);
      return node;
    }

    show(points) {
      this.points = points;
      this.at = Math.min(this.at, points.length - 1);
      this.draw();
    }

    go(ply) {
      this.at = ply;
      this.drawCursor();
    }

    x(ply) {
      return this.points.length < 2 ? 0 : ply / (this.points.length - 1) * this.width;
    }
    y(score) {
      return this.height / 2 * (1 - chance(score) * .96);
    }

    draw() {
      // The observer tells the width once the page has been laid out.
      const { width, height } = this;
      if (!width) return;
      this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.svg.replaceChildren();
      this.drawEvaluation();
      for (const name of Object.keys(CURVES)) this.drawCurve(name);
      this.node("line", { x1: 0, x2: width, y1: this.height / 2, y2: this.height / 2, class: "graph-even" }, this.svg);
      this.drawClocks();
      this.points.forEach((point, ply) => {
        if (!point.kind || !point.score) return;
        this.node("circle", { cx: this.x(ply), cy: this.y(point.score), r: 4, class: `graph-${point.kind}` }, this.svg);
      });
      this.cursor = this.node("line", { y1: 0, y2: this.height, class: "graph-cursor" }, this.svg);
      this.drawCursor();
    }

    // The area of White's chances, in stretches without gaps.
    drawEvaluation() {
      let stretch = [];
      const close = () => {
        if (stretch.length > 1) {
          const line = stretch.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
          const [first, last] = [stretch[0][0], stretch[stretch.length - 1][0]];
          this.node("rect", { x: first, width: last - first, height: this.height, class: "graph-black" }, this.svg);
          this.node("path", { d: `M${first} ${this.height}L${line}L${last} ${this.height}z`, class: "graph-white" }, this.svg);
          this.node("path", { d: `M${line}`, class: "graph-line" }, this.svg);
        }
        stretch = [];
      };
      this.points.forEach((point, ply) => {
        if (point.score) stretch.push([this.x(ply), this.y(point.score)]);
        else close();
      });
      close();
    }

    // What one program says of the moves that it says something of.
    drawCurve(name) {
      const line = this.points.flatMap((point, ply) => point.scores?.[name] ? [[this.x(ply), this.y(point.scores[name])]] : []);
      if (!line.length) return;
      const d = line.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
      this.node("path", { d: `M${d}`, class: `graph-curve graph-curve-${name}` }, this.svg);
      const [x, y] = line[line.length - 1];
      this.node("circle", { cx: x, cy: y, r: 3, class: `graph-end-${name}` }, this.svg);
    }

    drawClocks() {
      const most = Math.max(...this.points.map(point => point.clock || 0));
      if (most <= 0) return;
      for (const color of ["w", "b"]) {
        const line = this.points.flatMap((point, ply) => point.color === color && point.clock !== undefined && point.clock !== null
          ? [`${this.x(ply).toFixed(1)} ${(this.height - 3 - (this.height - 6) * point.clock / most).toFixed(1)}`] : []);
        if (line.length > 1) this.node("path", { d: `M${line.join("L")}`, class: `graph-clock graph-clock-${color}` }, this.svg);
      }
    }

    drawCursor() {
      if (!this.cursor) return;
      const x = this.x(this.at), point = this.points[this.at];
      this.cursor.setAttribute("x1", x);
      this.cursor.setAttribute("x2", x);
      this.root.setAttribute("aria-valuemin", 0);
      this.root.setAttribute("aria-valuemax", Math.max(0, this.points.length - 1));
      this.root.setAttribute("aria-valuenow", this.at);
      this.root.setAttribute("aria-valuetext", point ? [point.label, scoreText(point.score), ...curves(point)].filter(Boolean).join(", ") : "");
    }

    press(event) {
      const go = moved => {
        const box = this.root.getBoundingClientRect();
        const ply = Math.round((moved.clientX - box.left) / box.width * (this.points.length - 1));
        this.choose(ply);
      };
      const stop = () => { removeEventListener("pointermove", go); removeEventListener("pointerup", stop); removeEventListener("pointercancel", stop); };
      addEventListener("pointermove", go);
      addEventListener("pointerup", stop);
      addEventListener("pointercancel", stop);
      go(event);
    }
    key(event) {
      const last = this.points.length - 1;
      const to = { ArrowLeft: this.at - 1, ArrowDown: this.at - 1, ArrowRight: this.at + 1, ArrowUp: this.at + 1, Home: 0, End: last,
        PageDown: this.at - 10, PageUp: this.at + 10 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.choose(to);
    }
    choose(ply) {
      const at = Math.max(0, Math.min(ply, this.points.length - 1));
      if (at !== this.at && this.onGo) this.onGo(at);
    }
  }
  return Object.assign(HeraldGraph, { chance, scoreOf, scoreText, clockText });
})();
