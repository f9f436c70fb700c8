//! The tree of a game on the board: moves, variations, and what is said about them.
//!
//! Nodes keep their numbers while the tree lives, so that a page can name them. A removed node stays as an empty place.

use std::time::Duration;

use game::{
    Annotation, Game, GameTree, Move, MoveLine, MoveNode, ResultMarker, WhiteScore, clock_command,
    comment_words, eval_command,
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

/// A node: a move, and what stands behind it in PGN but variations. Node 0 is the start.
#[derive(Default)]
struct TreeNode {
    mv: Option<Move>,
    annotations: Vec<Annotation>,
    /// Whether the score is Herald's, so that it has to be written.
    is_own_score: bool,
    shown: BrowserNode,
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

    /// The tree of a game's text, as far as its moves are legal. Also returns what was wrong with the first move that is not.
    ///
    /// # Errors
    /// The start position is faulty.
    pub(super) fn read(text: &GameTree) -> Result<(VariationTree, Option<String>), String> {
        let start = text.start().map_err(|fault| fault.to_string())?;
        let mut tree = VariationTree::new(start.clone());
        tree.tags.clone_from(&text.tags);
        tree.result = text.result;
        tree.annotate(0, &text.mainline.before);
        let mut fault = None;
        tree.add_line(0, start, &text.mainline, &mut fault);
        Ok((tree, fault))
    }

    // The reader limits how deeply variations are nested.
    fn add_line(&mut self, parent: usize, mut game: Game, line: &MoveLine, fault: &mut Option<String>) {
        let mut at = parent;
        for node in &line.moves {
            let before = node.variations().next().map(|_| game.clone());
            let added = game.parse_move(&node.text).map_err(|error| error.to_string());
            let added = added.and_then(|mv| self.add(at, &mut game, mv));
            let parent = at;
            match added {
                Ok(id) => at = id,
                Err(error) => {
                    fault.get_or_insert(error);
                    return;
                }
            }
            self.annotate(at, &node.after);
            for variation in node.variations() {
                let Some(before) = &before else { continue };
                self.add_variation(parent, before.clone(), variation, fault);
            }
        }
    }

    fn add_variation(&mut self, parent: usize, game: Game, line: &MoveLine, fault: &mut Option<String>) {
        let first = self.nodes.len();
        self.add_line(parent, game, line, fault);
        let before = comment_words(&line.before);
        if let Some(node) = self.nodes.get_mut(first) {
            node.shown.shown.comment_before = before;
        }
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

    /// Adds what PGN says behind a move, without its variations.
    fn annotate(&mut self, id: usize, annotations: &[Annotation]) {
        let node = &mut self.nodes[id];
        let plain = annotations.iter().filter(|annotation| !matches!(annotation, Annotation::Variation(_)));
        node.annotations.extend(plain.cloned());
        let shown = &mut node.shown.shown;
        marks::show(&node.annotations, shown);
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
        self.nodes[id].shown.shown.best = Some(PageLine { score: None, moves });
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

    /// The mainline behind a node.
    fn line(&self, from: usize) -> MoveLine {
        let mut line = MoveLine { before: self.nodes[from].annotations.clone(), moves: Vec::new() };
        let mut at = from;
        while let Some((&main, others)) = self.nodes[at].shown.next.split_first() {
            let mut node = self.node(main);
            node.after.extend(others.iter().map(|other| Annotation::Variation(self.variation(*other))));
            line.moves.push(node);
            at = main;
        }
        line
    }

    // Nesting is limited where variations are read. Those made on the board are as deep as a person cares to go.
    fn variation(&self, first: usize) -> MoveLine {
        let mut line = self.line(first);
        line.before = self.nodes[first]
            .shown
            .shown
            .comment_before
            .as_deref()
            .and_then(Annotation::comment)
            .into_iter()
            .collect();
        line.moves.insert(0, self.node(first));
        line
    }

    fn node(&self, id: usize) -> MoveNode {
        let TreeNode { annotations, is_own_score, shown, .. } = &self.nodes[id];
        let mut after = annotations.clone();
        if *is_own_score && let Some(score) = shown.shown.score {
            after.push(Annotation::Comment(eval_command(score, shown.shown.depth)));
        }
        MoveNode { text: shown.shown.step.san.clone(), after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pgn: &str) -> (VariationTree, Option<String>) {
        let parsed = game::TreeReader::new(pgn.as_bytes()).next().expect("a game").expect("text");
        VariationTree::read(&parsed.tree).expect("a start")
    }

    const GAME: &str = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A\"]\n[Black \"?\"]\n[Result \"*\"]\n\n{before} 1. e4 {[%eval 0.30,12] good} 1... e5 (1... c5 $1 2. Nf3 (2. c3 d5)\n\
        2... d6) (1... e6) 2. Nf3 *\n\n";

    #[test]
    fn a_tree_is_written_as_it_was_read() {
        let (tree, fault) = read(GAME);
        assert_eq!((fault, tree.pgn().as_str()), (None, GAME));
        let shown = tree.page();
        assert_eq!(shown.nodes[0].shown.comment.as_deref(), Some("before"));
        let first = &shown.nodes[1];
        assert_eq!((first.number.as_str(), first.shown.comment.as_deref()), ("1.", Some("good")));
        assert_eq!((first.shown.score, first.shown.depth), (Some(WhiteScore::Centipawns(30)), Some(12)));
        assert_eq!(
            first.next.iter().map(|id| shown.nodes[*id].shown.step.san.as_str()).collect::<Vec<_>>(),
            ["e5", "c5", "e6"]
        );
        assert_eq!(shown.nodes[2].number, "1…");
    }

    #[test]
    fn the_roster_comes_first() {
        let (tree, _) = read("[ECO \"C20\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 0-1");
        let names = ["Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO"];
        let pgn = tree.pgn();
        let tags = pgn.lines().filter_map(|line| line.strip_prefix('[')?.split_once(' '));
        assert_eq!(tags.map(|(name, _)| name).collect::<Vec<_>>(), names);
        assert!(pgn.contains("[Black \"B\"]\n[Result \"0-1\"]"), "{pgn}");
        assert!(VariationTree::new(Game::default()).pgn().starts_with("[Event \"?\"]\n[Site"));
    }

    #[test]
    fn a_game_ends_where_a_move_is_illegal() {
        let (tree, fault) = read("1. e4 e5 2. Ke3 Nc6 *");
        assert_eq!(tree.mainline().len(), 2);
        assert!(fault.is_some_and(|fault| fault.contains("Ke3")));
    }

    #[test]
    fn moves_are_found_added_promoted_and_removed() {
        let (mut tree, _) = read(GAME);
        let mut game = tree.game(1);
        let mv = game.parse_move("c5").unwrap();
        let found = tree.play(1, &mut game, mv).unwrap();
        assert_eq!(tree.shown(found).shown.step.san, "c5");
        tree.promote(found).unwrap();
        assert_eq!(tree.mainline().len(), 4, "e4 c5 Nf3 d6");
        tree.remove(found);
        assert!(!tree.has(found) && tree.has(1) && !tree.has(999));
        assert_eq!(tree.mainline().len(), 3, "e4 e5 Nf3");
        assert!(!tree.pgn().contains("c5"));
        let mut game = tree.game(1);
        let mv = game.parse_move("d5").unwrap();
        let added = tree.play(1, &mut game, mv).unwrap();
        assert!(tree.has(added) && tree.pgn().contains("(1... d5)"));
    }

    #[test]
    fn judged_moves_have_a_better_line_beside_them() {
        let (mut tree, _) = read("1. f3 e5 2. g4 Qh4# 0-1");
        let game = tree.game(2);
        let better = [game.parse_move("e4").unwrap()];
        tree.judge(3, 4, &better);
        tree.set_score(3, Some(WhiteScore::Mate(-1)), 9);
        assert!(tree.pgn().contains("2. g4 $4 {[%eval #-1,9]} (2. e4)"), "{}", tree.pgn());
    }

    #[test]
    fn variations_are_not_nested_without_end() {
        let mut tree = VariationTree::new(Game::default());
        let (mut at, mut refused) = (0, None);
        for ply in 0..300 {
            let mut game = tree.game(at);
            // The knights go out and back; the other move makes what follows a variation.
            let there_and_back = ["Nf3", "Nf6", "Ng1", "Ng8"];
            for text in ["a3", "a6", "a4", "a5", "h3", "h6"] {
                if let Ok(mv) = game.parse_move(text) {
                    let _ = tree.play(at, &mut game.clone(), mv);
                    break;
                }
            }
            let mv = game.parse_move(there_and_back[ply % 4]).unwrap();
            match tree.play(at, &mut game, mv) {
                Ok(next) => at = next,
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        assert!(refused.is_some_and(|error| error.contains("nested")));
        assert!(tree.pgn().matches('(').count() >= 90);
    }
}
