// The page of a report: which problems are shown, and the board of each.
HeraldBoard.pictures();
(() => {
  const find = id => document.getElementById(id);
  const problems = new Map(JSON.parse(find("problem-data").textContent).map(problem => [problem.number, problem]));
  const dialog = find("problem"), rows = [...document.querySelectorAll("#rows tbody tr")];
  let replay = null, current = null;

  function isShown(row, filter) {
    const solved = row.dataset.solved;
    if (filter === "all") return true;
    if (filter === "some") return solved.includes("0");
    return [...filter].every((sign, run) => sign === "." || sign === solved[run]);
  }
  function show() {
    const filter = find("filter").value;
    for (const row of rows) row.hidden = !isShown(row, filter);
    const count = rows.filter(row => !row.hidden).length;
    find("shown").textContent = `${count} of ${rows.length}`;
  }

  function cell(row, text, kind = "") {
    const node = row.insertCell();
    node.textContent = text;
    node.className = kind;
  }
  function open(problem) {
    const { number, id, theme, turn, solution, fen, answers, arrows, game } = problem;
    current = number;
    find("problem-title").textContent = [`${number}.`, id].filter(Boolean).join(" ");
    find("problem-said").textContent = [`${turn} to move: ${solution}`, theme && `theme ${theme}`].filter(Boolean).join(" · ");
    find("problem-fen").textContent = fen;
    find("answers").replaceChildren();
    for (const [run, answer, facts] of answers) {
      const row = find("answers").insertRow();
      cell(row, run);
      cell(row, answer || "not tried", answer.startsWith("+") ? "right" : answer ? "wrong" : "");
      cell(row, facts, "quiet");
    }
    // First, as the dialog gives the focus to a button that can be pressed.
    find("previous").disabled = beside(-1) === null;
    find("next").disabled = beside(1) === null;
    if (!dialog.open) dialog.showModal();
    replay ??= new HeraldReplay(find("replay"));
    replay.show(game, {
      start: `${turn} to move`,
      arrows: arrows.map(([squares, kind]) => ({ from: squares.slice(0, 2), to: squares.slice(-2), kind })),
    });
    if (replay.board.flipped !== (turn === "Black")) replay.flip();
    dialog.scrollTop = 0;
  }
  // The number of the next problem that is shown, in this direction.
  function beside(step) {
    const shown = rows.filter(row => !row.hidden || row.id === `row${current}`);
    const at = shown.findIndex(row => row.id === `row${current}`) + step;
    return shown[at] ? +shown[at].id.slice(3) : null;
  }
  function go(step) {
    const number = beside(step);
    if (number !== null) location.hash = `p${number}`;
  }

  // The address tells which problem is open, so that a link leads to it.
  function follow() {
    const problem = problems.get(+(/^#p(\d+)$/.exec(location.hash) || [])[1]);
    if (problem) open(problem);
    else if (dialog.open) dialog.close();
  }
  dialog.addEventListener("close", () => {
    if (/^#p\d+$/.test(location.hash)) location.hash = `row${current}`;
    document.querySelector(`#row${current} a`)?.focus();
  });
  document.addEventListener("keydown", event => {
    const step = { n: 1, p: -1 }[event.key];
    if (step && dialog.open && !event.ctrlKey && !event.altKey && !event.metaKey) go(step);
  });
  find("previous").onclick = () => go(-1);
  find("next").onclick = () => go(1);
  find("close").onclick = () => dialog.close();
  addEventListener("hashchange", follow);
  if (find("filter")) {
    find("filter").onchange = show;
    show();
  }
  follow();
})();
