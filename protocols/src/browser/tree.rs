//! The tree of a game on the board: moves, variations, and what is said about them.
//!
//! Nodes keep their numbers while the tree lives, so that a page can name them. A removed node stays as an empty place.

use std::time::Duration;

use game::{
    Annotation, Game, GameTree, Move, MoveLine, MoveNode, ResultMarker, WhiteScore, clock_command,
    comment_words, eval_command, excerpt,
};
use pages::{PageLine, PageMove, PageStep};

use super::marks;
use super::messages::{BrowserGame, BrowserNode};

/// Maximum number of nodes of a tree.
const MOST_NODES: usize = 20_000;

/// Variations are nested at most so deep, as in the reader: other programs and our own writer go into them one by one.
const MOST_NESTED: usize = 100;

/// A tree of moves from a start position.
pub(super) struct VariationTree {
    tags: Vec<(String, String)>,
    start: Game,
    result: ResultMarker,
    nodes: Vec<TreeNode>,
}

/// A node: a move, and what stands around it in PGN. Node 0 is the start.
#[derive(Default)]
struct TreeNode {
    mv: Option<Move>,
    /// What stands before the move. It is the first one of a variation.
    before: Vec<Annotation>,
    /// What stands behind the move, but variations with a legal move. Those are nodes.
    annotations: Vec<Annotation>,
    /// The rest of a line that can't be played from here on, kept to be written.
    rest: Vec<MoveNode>,
    /// Whether the score is Herald's, so that it has to be written.
    is_own_score: bool,
    shown: BrowserNode,
}

/// The moves of a game's text that can't be played here, and so are not shown, by the first one of each line. They are kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HiddenMoves {
    mainline: Option<String>,
    variations: Vec<String>,
}

impl HiddenMoves {
    /// A sentence for the person; `None` if everything is shown.
    pub(super) fn notice(&self) -> Option<String> {
        let game = self.mainline.as_ref().map(|first| format!("the game from {first} on"));
        let variations = self.variations.first().map(|first| match self.variations.len() {
            1 => format!("a variation from {first} on"),
            number => format!("{number} variations, the first one from {first} on"),
        });
        let lines: Vec<String> = game.into_iter().chain(variations).collect();
        let lines = (!lines.is_empty()).then(|| lines.join("; "))?;
        Some(format!("Moves that can't be played here are not shown: {lines}. Save PGN keeps them."))
    }
}

impl VariationTree {
    /// A tree without moves.
    pub(super) fn new(start: Game) -> VariationTree {
        let fen = start.fen();
        let step = PageStep { fen, ..PageStep::default() };
        let shown = BrowserNode { shown: PageMove { step, ..PageMove::default() }, ..BrowserNode::default() };
        let root = TreeNode { shown, ..TreeNode::default() };
        VariationTree { tags: Vec::new(), start, result: ResultMarker::Open, nodes: vec![root] }
    }

    /// The tree of a game's text. Moves that can't be played, and those behind them, are text that [`VariationTree::pgn`] writes again.
    /// Also returns what is hidden so.
    ///
    /// # Errors
    /// The start position is faulty.
    pub(super) fn read(text: &GameTree) -> Result<(VariationTree, HiddenMoves), String> {
        let start = text.start().map_err(|fault| fault.to_string())?;
        let mut tree = VariationTree::new(start.clone());
        tree.tags.clone_from(&text.tags);
        tree.result = text.result;
        tree.annotate(0, text.mainline.before.iter().cloned());
        let mut hidden = HiddenMoves::default();
        let (at, rest, first) = tree.add_line(0, start, &text.mainline, &mut hidden);
        tree.nodes[at].rest = rest.to_vec();
        hidden.mainline = first;
        Ok((tree, hidden))
    }

    /// Adds a line behind a node as far as it can be played. Returns its last node, the moves that are left, and the first of them
    /// for the person.
    // The reader limits how deeply variations are nested.
    fn add_line<'t>(
        &mut self,
        parent: usize,
        mut game: Game,
        line: &'t MoveLine,
        hidden: &mut HiddenMoves,
    ) -> (usize, &'t [MoveNode], Option<String>) {
        let mut at = parent;
        for (played, node) in line.moves.iter().enumerate() {
            let before = node.variations().next().map(|_| game.clone());
            let added = game.parse_move(&node.text).map_err(|error| error.to_string());
            let Ok(id) = added.and_then(|mv| self.add(at, &mut game, mv)) else {
                let first = format!("{} {}", marks::number(&game), excerpt(&node.text));
                return (at, &line.moves[played..], Some(first));
            };
            let plain =
                node.after.iter().filter(|annotation| !matches!(annotation, Annotation::Variation(_)));
            self.annotate(id, plain.cloned());
            for variation in node.variations() {
                let Some(before) = &before else { continue };
                if !self.add_variation(at, before.clone(), variation, hidden) {
                    self.annotate(id, [Annotation::Variation(variation.clone())]);
                }
            }
            at = id;
        }
        (at, &[], None)
    }

    /// Adds a variation behind a node as far as it can be played; `false` if it has no move that can.
    fn add_variation(
        &mut self,
        parent: usize,
        game: Game,
        line: &MoveLine,
        hidden: &mut HiddenMoves,
    ) -> bool {
        let first = self.nodes.len();
        let (at, rest, cut) = self.add_line(parent, game, line, hidden);
        hidden.variations.extend(cut);
        if at == parent {
            return false;
        }
        self.nodes[at].rest = rest.to_vec();
        self.nodes[first].before.clone_from(&line.before);
        self.nodes[first].shown.shown.comment_before = comment_words(&line.before);
        true
    }

    /// Adds a move behind a node, last among those there, and plays it on `game`, which is at that node.
    fn add(&mut self, parent: usize, game: &mut Game, mv: Move) -> Result<usize, String> {
        if self.nodes.len() >= MOST_NODES {
            return Err(format!("a game has at most {MOST_NODES} moves here"));
        }
        let number = marks::number(game);
        let step = PageStep::play(game, mv).ok_or("the move is illegal")?;
        let id = self.nodes.len();
        let shown = PageMove { step, ..PageMove::default() };
        let shown = BrowserNode { id, parent: Some(parent), next: Vec::new(), number, shown };
        self.nodes.push(TreeNode { mv: Some(mv), shown, ..TreeNode::default() });
        self.nodes[parent].shown.next.push(id);
        Ok(id)
    }

    /// Makes a move behind a node: goes to the node that has it, or adds one. `game` is at the node.
    pub(super) fn play(&mut self, parent: usize, game: &mut Game, mv: Move) -> Result<usize, String> {
        let next = &self.nodes[parent].shown.next;
        if let Some(id) = next.iter().copied().find(|id| self.nodes[*id].mv == Some(mv)) {
            return game.play(mv).map(|()| id).map_err(|error| error.to_string());
        }
        let id = self.add(parent, game, mv)?;
        self.check_nesting().inspect_err(|_| {
            self.remove(id);
            game.undo();
        })?;
        Ok(id)
    }

    /// Checks how deeply variations are nested.
    fn check_nesting(&self) -> Result<(), String> {
        let mut depths = vec![0; self.nodes.len()];
        // A node stands behind its parent.
        for (id, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.shown.parent {
                let is_variation = self.nodes[parent].shown.next.first() != Some(&id);
                depths[id] = depths[parent] + usize::from(is_variation);
            }
        }
        match depths.into_iter().max() {
            Some(MOST_NESTED..) => Err(format!("variations are nested at most {MOST_NESTED} deep here")),
            _ => Ok(()),
        }
    }

    /// Adds what PGN says behind a move, without the variations that are nodes.
    fn annotate(&mut self, id: usize, annotations: impl IntoIterator<Item = Annotation>) {
        let node = &mut self.nodes[id];
        node.annotations.extend(annotations);
        marks::show(&node.annotations, &mut node.shown.shown);
    }
}

/// What the tree says.
impl VariationTree {
    /// Whether a number is that of a node that is part of the tree.
    pub(super) fn has(&self, id: usize) -> bool {
        self.nodes.get(id).is_some_and(|node| id == 0 || node.shown.parent.is_some())
    }

    /// The node before.
    pub(super) fn parent(&self, id: usize) -> Option<usize> {
        self.nodes[id].shown.parent
    }

    /// The node as the page has it.
    pub(super) fn shown(&self, id: usize) -> &BrowserNode {
        &self.nodes[id].shown
    }

    /// The nodes of the mainline behind the start.
    pub(super) fn mainline(&self) -> Vec<usize> {
        let next = |id: &usize| self.nodes[*id].shown.next.first().copied();
        std::iter::successors(next(&0), next).collect()
    }

    /// The game up to a node.
    pub(super) fn game(&self, id: usize) -> Game {
        let mut moves: Vec<Move> = std::iter::successors(Some(id), |id| self.parent(*id))
            .filter_map(|id| self.nodes[id].mv)
            .collect();
        moves.reverse();
        let mut game = self.start.clone();
        for mv in moves {
            // Every move was legal when it was added.
            let _ = game.play(mv);
        }
        game
    }

    /// The whole tree as the page has it.
    pub(super) fn page(&self) -> BrowserGame {
        BrowserGame {
            tags: self.tags.clone(),
            start: self.start.fen(),
            result: self.result.as_str(),
            nodes: self.nodes.iter().map(|node| node.shown.clone()).collect(),
        }
    }
}

/// Changes.
impl VariationTree {
    /// Sets a tag.
    pub(super) fn set_tag(&mut self, name: &str, value: String) {
        match self.tags.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.tags.push((name.to_owned(), value)),
        }
    }

    /// Sets the result.
    pub(super) fn set_result(&mut self, result: ResultMarker) {
        self.result = result;
    }

    /// Sets the clock of the side that has made the move, in seconds.
    pub(super) fn set_clock(&mut self, id: usize, seconds: f64) {
        self.nodes[id].shown.shown.clock = Some(seconds);
        let left = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.nodes[id].annotations.push(Annotation::Comment(clock_command(left)));
    }

    /// Sets Herald's evaluation of a node.
    pub(super) fn set_score(&mut self, id: usize, score: Option<WhiteScore>, depth: u32) {
        let node = &mut self.nodes[id];
        node.is_own_score = score.is_some();
        node.shown.shown.score = score;
        node.shown.shown.depth = Some(depth);
    }

    /// Sets the judgement of a move and the line that was better. A better line becomes a variation, unless there is one that
    /// begins with its first move.
    pub(super) fn judge(&mut self, id: usize, glyph: u8, better: &[Move]) {
        let node = &mut self.nodes[id];
        let is_judgement = |glyph: &u8| (1..=6).contains(glyph);
        node.annotations.retain(|annotation| !matches!(annotation, Annotation::Glyph(1..=6)));
        node.annotations.insert(0, Annotation::Glyph(glyph));
        node.shown.shown.nags.retain(|glyph| !is_judgement(glyph));
        node.shown.shown.nags.insert(0, glyph);
        let Some(parent) = self.parent(id) else { return };
        let (mut at, mut game, mut moves) = (parent, self.game(parent), Vec::new());
        for mv in better {
            let Ok(next) = self.play(at, &mut game, *mv) else { break };
            at = next;
            moves.push(self.nodes[next].shown.shown.step.clone());
        }
        self.nodes[id].shown.shown.best = Some(PageLine { moves, ..PageLine::default() });
    }

    /// Removes a node other than the start, and what follows it.
    pub(super) fn remove(&mut self, id: usize) {
        let Some(parent) = self.nodes[id].shown.parent else { return };
        self.nodes[parent].shown.next.retain(|next| *next != id);
        let mut removed = vec![id];
        while let Some(id) = removed.pop() {
            removed.extend(std::mem::take(&mut self.nodes[id].shown).next);
            self.nodes[id] =
                TreeNode { shown: BrowserNode { id, ..BrowserNode::default() }, ..TreeNode::default() };
        }
        while self.nodes.len() > 1 && self.nodes.last().is_some_and(|node| node.mv.is_none()) {
            self.nodes.pop();
        }
    }

    /// Makes a node the first choice of those beside it.
    pub(super) fn promote(&mut self, id: usize) -> Result<(), String> {
        let Some(parent) = self.nodes[id].shown.parent else { return Ok(()) };
        let next = &mut self.nodes[parent].shown.next;
        let before = next.clone();
        next.retain(|other| *other != id);
        next.insert(0, id);
        self.check_nesting().inspect_err(|_| self.nodes[parent].shown.next = before)
    }
}

/// PGN.
impl VariationTree {
    /// The game in PGN, with the roster of tags, variations, comments and evaluations.
    pub(super) fn pgn(&self) -> String {
        let mut text = GameTree { tags: self.tags.clone(), mainline: self.line(0), result: self.result };
        if !self.start.has_standard_start() {
            text.set_tag("SetUp", "1");
            text.set_tag("FEN", self.start.fen());
        }
        if let Some(variant) = marks::variant_tag(&self.start) {
            text.set_tag("Variant", variant);
        }
        text.complete_roster();
        text.write()
    }

    /// The mainline behind a node. The rest that can't be played ends it, or is a variation if there are other moves.
    fn line(&self, from: usize) -> MoveLine {
        let mut line = MoveLine { before: self.nodes[from].annotations.clone(), moves: Vec::new() };
        let mut at = from;
        while let Some((&main, others)) = self.nodes[at].shown.next.split_first() {
            let mut node = self.node(main);
            // What stood before a move that was a variation's first one.
            node.after.splice(0..0, self.nodes[main].before.iter().cloned());
            node.after.extend(others.iter().map(|other| Annotation::Variation(self.variation(*other))));
            let rest = MoveLine { before: Vec::new(), moves: self.nodes[at].rest.clone() };
            node.after.extend((!rest.moves.is_empty()).then_some(Annotation::Variation(rest)));
            line.moves.push(node);
            at = main;
        }
        line.moves.extend(self.nodes[at].rest.iter().cloned());
        line
    }

    // Nesting is limited where variations are read. Those made on the board are as deep as a person cares to go.
    fn variation(&self, first: usize) -> MoveLine {
        let mut line = self.line(first);
        line.before.clone_from(&self.nodes[first].before);
        line.moves.insert(0, self.node(first));
        line
    }

    fn node(&self, id: usize) -> MoveNode {
        let TreeNode { annotations, is_own_score, shown, .. } = &self.nodes[id];
        let mut after = annotations.clone();
        if *is_own_score && let Some(score) = shown.shown.score {
            after.push(Annotation::Comment(eval_command(score, shown.shown.depth)));
        }
        after.sort_by_key(|annotation| matches!(annotation, Annotation::Variation(_)));
        MoveNode { text: shown.shown.step.san.clone(), after }
    }
}
