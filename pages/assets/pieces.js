"use strict";
// The pieces: plain geometric shapes on a grid of 100 units, drawn for Herald. `body` is filled, `line` is drawn on it.
const HERALD_PIECES = (() => {
  const foot = "M21 89v-6q0-5 5-5h48q5 0 5 5v6z";
  const shapes = {
    p: {
      body: "M26 89v-5q0-5 5-7c7-4 11-11 12-21h-6q-3 0-3-3.500t3-3.500h3.600a15 15 0 1 1 18.800 0h3.600q3 0 3 3.500t-3 3.500h-6c1 10 5 17 12 21q5 2 5 7v5z",
      line: "M32 78h36M43 56h14",
    },
    r: {
      body: "M21 89v-6q0-5 5-5h2l4-8 3-28-10-7v-19q0-3 3-3h8q2 0 2 2v6h7v-6q0-2 2-2h6q2 0 2 2v6h7v-6q0-2 2-2h8q3 0 3 3v19l-10 7 3 28 4 8h2q5 0 5 5v6z",
      line: "M28 78h44M34 69h32M35 43h30",
    },
    n: {
      body: "M24 89v-6q0-5 5-5h2c0-12 5-19 14-26l3-6c-5 2-9 3-12 6l-7 6q-3 2-6 0l-6-4q-3-2-1.500-5.500l12.500-25c2-4 5-6 9-8l1-8q.500-3 3-1l7 7c18 2 29 14 30 32 .5 12-2 24-4 32.500h2q5 0 5 5v6z",
      line: "M31 78h42M52 24c11 4 17 13 17 25 0 9-1 15-3 21M24 47l3-2",
      dot: [41, 30, 2.800],
    },
    b: {
      body: "M21 89v-5q0-4 4-4.500c9-1 15-3 17-8.500l1-8h-3q-3 0-3-3t3-3h1c-7-4-11-10-11-17 0-10 9-17 15-22a6.200 6.200 0 1 1 10 0c6 5 15 12 15 22 0 7-4 13-11 17h1q3 0 3 3t-3 3h-3l1 8c2 5.500 8 7.500 17 8.500q4 .5 4 4.500v5z",
      line: "M41 57h18M42 71h16M50 30v16M42 38h16",
    },
    q: {
      body: `M21 89v-6q0-5 5-5h3l4-9-17-35a5.500 5.500 0 1 1 5-1l13 15 1-23a5.500 5.500 0 1 1 6-1l9 22 9-22a5.500 5.500 0 1 1 6 1l1 23 13-15a5.500 5.500 0 1 1 5 1l-17 35 4 9h3q5 0 5 5v6z`,
      line: "M29 78h42M33 69h34M36 59q14-4 28 0",
    },
    k: {
      body: "M21 89v-6q0-5 5-5h3l3-8c-10-6-17-14-17-24 0-9 7-15 15-15 7 0 12 3 16 8v-13h-6q-2 0-2-2v-4q0-2 2-2h6v-6q0-2 2-2h4q2 0 2 2v6h6q2 0 2 2v4q0 2-2 2h-6v13c4-5 9-8 16-8 8 0 15 6 15 15 0 10-7 18-17 24l3 8h3q5 0 5 5v6z",
      line: "M29 78h42M32 69q18-5 36 0M50 39c-2 8-1 16 0 25 1-9 2-17 0-25",
    },
  };
  const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const symbols = Object.entries(shapes).flatMap(([role, { body, line, dot }]) => ["w", "b"].map(color =>
    `<symbol id="piece-${color}${role}" viewBox="0 0 100 100" class="piece-${color}"><path class="piece-body" d="${body}"/>`
    + `<path class="piece-line" d="${line}"/>`
    + (dot ? `<circle class="piece-dot" cx="${dot[0]}" cy="${dot[1]}" r="${dot[2]}"/>` : "") + "</symbol>"));
  /** Adds the artwork to the page, once. */
  function install() {
    if (document.getElementById("piece-wk")) return;
    const holder = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    holder.setAttribute("class", "piece-holder");
    holder.setAttribute("aria-hidden", "true");
    holder.innerHTML = symbols.join("");
    document.body.prepend(holder);
  }
  return { install, names };
})();
