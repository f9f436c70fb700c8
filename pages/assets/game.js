// The page of an annotated game. With the engine in it, it analyses the position on the board when asked to.
(() => {
  const $ = id => document.getElementById(id);
  const replay = new HeraldReplay($("game"), { onGo: node => look(node) });
  const button = $("analyse");
  let engine = null, lines = null, shown = null;

  function look(node) {
    if (!engine) return;
    shown = node;
    lines.show([line({ moves: [] })]);
    engine.analyse(node.fen);
  }
  function line(told) {
    return { kind: "third", name: "Herald in this page", score: told.score, facts: HeraldReplay.searchText(told), start: shown.fen, count: shown.count,
      isWhite: shown.turn === "w", steps: HeraldReplay.lineSteps(told, shown.fen) };
  }
  function start() {
    lines ??= new HeraldLines($("analysis-lines"));
    const bytes = Uint8Array.from(atob($("engine-module").textContent), letter => letter.charCodeAt(0));
    engine = new HeraldEngine(bytes, told => lines.show([line(told)]), fault => {
      toggle();
      $("engine-fault").textContent = `There is no analysis here: ${fault}`;
    });
    look(replay.nodes[replay.at]);
  }
  function stop() {
    engine.stop();
    engine = null;
    lines.show([]);
  }
  function toggle() {
    $("engine-fault").textContent = "";
    if (engine) stop();
    else start();
    button.setAttribute("aria-pressed", String(Boolean(engine)));
    button.textContent = engine ? "Stop analysis" : "Analyse here";
  }

  replay.show(JSON.parse($("game-data").textContent));
  if (!$("engine-module")) return;
  // Beside the board, below the moves.
  document.querySelector(".replay-moves").append($("engine"));
  button.onclick = toggle;
})();
