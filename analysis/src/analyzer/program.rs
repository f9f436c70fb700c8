//! Analysis by another program over CECP or UCI.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::{Clock, DrawReason, Game, Move, Outcome, Score, TimeControl};
use players::{Arrival, NewGame, Player, PlayerEvent, PlayerFault, Protocol, Spec, Thinking, Turn};

use super::herald::{MateProver, PROOF_NODES, PlayingSearch};
use super::{
    AnalysisError, AnalysisListener, AnalysisResult, Analyzer, MateSearch, MateVerdict, PositionAnalysis,
};

/// Grace period after the time limit before a program counts as silent.
const MARGIN: Duration = Duration::from_secs(5);
/// Maximum silence of a program under a limit of depth or nodes.
const SILENCE: Duration = Duration::from_mins(10);
/// Interval at which a waiting thread polls the interrupt flag.
const LOOK: Duration = Duration::from_millis(100);

/// Nodes with which the solver looks whether a mate is false that a program tells without its line.
const CHECK_NODES: u64 = 200_000;
/// Hash tables for the proof, in MiB each.
const PROOF_MEMORY: usize = 16;

/// An external program. It is started on first use and restarted after a fault.
pub struct ProgramAnalyzer {
    spec: Spec,
    limit: TimeControl,
    interrupt: Arc<AtomicBool>,
    player: Option<Box<dyn Player>>,
    /// Whether the positions are those of one game, and whether the program has been told so.
    game: GameAnnouncement,
    mates: MateProver,
    /// Helps to prove what the program tells; created when it is first needed.
    adviser: Option<PlayingSearch>,
}

/// What came of a question.
enum Heard {
    /// The answer.
    Answer(PositionAnalysis),
    /// The program passed its limit and was asked for its move, but is silent. It had found this.
    Nothing(PositionAnalysis),
}

/// What the positions have to do with each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GameAnnouncement {
    /// Nothing: each is a new game.
    Apart,
    /// They are those of a game that the program doesn't know yet.
    Announced,
    /// They are those of one game, which the program knows.
    Begun,
}

impl ProgramAnalyzer {
    /// Creates an analyzer without starting the program. The program is stopped soon after `interrupt` is set.
    pub fn new(spec: Spec, limit: TimeControl, interrupt: Arc<AtomicBool>) -> ProgramAnalyzer {
        let mates = MateProver::new(PROOF_MEMORY);
        let (player, adviser, game) = (None, None, GameAnnouncement::Apart);
        ProgramAnalyzer { spec, limit, interrupt, player, game, mates, adviser }
    }

    /// Waits for the program's answer, or for nothing.
    fn listen(
        &self,
        player: &mut dyn Player,
        game: &Game,
        began: Instant,
        goes_on: AnalysisListener<'_>,
    ) -> AnalysisResult<Heard> {
        let mut last = PositionAnalysis::default();
        let mut heard = began;
        // When a program that passes its limit was asked for its move. What it had found until then is its answer.
        let mut asked: Option<Instant> = None;
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(AnalysisError::Interrupted);
            }
            let latest = match (asked, self.limit.initial()) {
                (Some(asked), _) => asked + MARGIN,
                (None, Some(longest)) => began + longest + MARGIN,
                (None, None) => heard + SILENCE,
            };
            let Some(Arrival { at, event }) = player.take() else {
                match wait(player, latest) {
                    Err(_) if asked.is_some() && !last.line.is_empty() => return Ok(Heard::Nothing(last)),
                    waited => waited?,
                }
                continue;
            };
            heard = at;
            let time = at.saturating_duration_since(began);
            match event {
                PlayerEvent::Thinking(_) | PlayerEvent::OtherLine(..) if asked.is_some() => {}
                PlayerEvent::Thinking(thinking) if passes(&thinking, &self.limit) => {
                    // Of a program that has said nothing before, this is all there is.
                    if last.line.is_empty() {
                        last = analysis(game, &thinking, time, last);
                    }
                    player.move_now()?;
                    asked = Some(at);
                }
                PlayerEvent::Move(_) if asked.is_some() && !last.line.is_empty() => {
                    return Ok(Heard::Answer(last));
                }
                PlayerEvent::Thinking(thinking) => {
                    last = analysis(game, &thinking, time, last);
                    if !last.line.is_empty() && !goes_on(&last) {
                        return Ok(Heard::Answer(last));
                    }
                }
                PlayerEvent::OtherLine(rank, thinking) => {
                    let line = thinking.moves(game);
                    if let Some(score) = thinking.score.filter(|score| is_possible(*score)) {
                        last.set_other(rank as usize, line, score);
                    }
                }
                event => {
                    if let Some(answer) = answer(game, event, time, &last) {
                        return answer.map(Heard::Answer);
                    }
                }
            }
        }
    }
}

impl ProgramAnalyzer {
    /// Whether a told mate is contradicted: by its line, or by the solver in a moment.
    fn is_false_mate(&mut self, game: &Game, analysis: &PositionAnalysis) -> AnalysisResult<bool> {
        let Some(score) = analysis.score else { return Ok(false) };
        if contradicts(game, &analysis.line, score) {
            return Ok(true);
        }
        let Some(mate) = analysis.mate().filter(|mate| analysis.line.len() < 2 * mate.get() as usize - 1)
        else {
            return Ok(false);
        };
        let search = self.prove(game, mate, analysis, CHECK_NODES)?;
        Ok(search.verdict == MateVerdict::Refuted)
    }

    /// Proves a mate that the program tells, along its line, with so many nodes at most.
    fn prove(
        &mut self,
        game: &Game,
        mate: NonZeroU32,
        told: &PositionAnalysis,
        nodes: u64,
    ) -> AnalysisResult<MateSearch> {
        let adviser = match &mut self.adviser {
            Some(adviser) => adviser,
            none => none.insert(PlayingSearch::new(PROOF_MEMORY)?),
        };
        adviser.forget();
        let limits = search::Limits { nodes: Some(nodes), ..search::Limits::default() };
        self.mates.prove_told(game, mate.get(), (told, adviser), &limits)
    }
}

impl Analyzer for ProgramAnalyzer {
    fn begin_game(&mut self) {
        self.game = GameAnnouncement::Announced;
    }

    fn analyze(&mut self, game: &Game, goes_on: AnalysisListener<'_>) -> AnalysisResult<PositionAnalysis> {
        // After a fault the player is not put back; dropping it ends the program.
        let (mut player, is_known) = match self.player.take() {
            Some(player) => (player, self.game == GameAnnouncement::Begun),
            None => (players::start(&self.spec, None)?, false),
        };
        // Each question of UCI contains the whole game; other protocols go only forward.
        if !is_known || self.spec.protocol != Protocol::Uci {
            player.new_game(&NewGame::new(game.clone(), &self.limit))?;
        }
        let began = Instant::now();
        player.think(&Turn { game, clock: &Clock::new(self.limit.clone()), at: began })?;
        let analysis = match self.listen(&mut *player, game, began, goes_on)? {
            Heard::Answer(analysis) => analysis,
            // It would not hear of the end of the game either.
            Heard::Nothing(analysis) => return Ok(analysis),
        };
        // A neutral result, as no game was played.
        player.end_game(Outcome::Draw(DrawReason::Adjudication))?;
        self.player = Some(player);
        if self.game == GameAnnouncement::Announced {
            self.game = GameAnnouncement::Begun;
        }
        let is_false = self.is_false_mate(game, &analysis)?;
        Ok(PositionAnalysis { score: analysis.score.filter(|_| !is_false), ..analysis })
    }

    /// Proves the mate that the program reports, along its line.
    fn find_mate(&mut self, game: &Game, moves: u32) -> AnalysisResult<MateSearch> {
        let told = |analysis: &PositionAnalysis| analysis.mate().filter(|mate| mate.get() <= moves);
        let analysis = self.analyze(game, &mut |analysis| told(analysis).is_none())?;
        let mut found = MateSearch { analysis: PositionAnalysis::default(), verdict: MateVerdict::Undecided };
        if let Some(mate) = told(&analysis) {
            found = self.prove(game, mate, &analysis, PROOF_NODES)?;
        }
        let PositionAnalysis { nodes, time, .. } = analysis;
        found.analysis = PositionAnalysis { depth: None, nodes, time, ..found.analysis };
        Ok(found)
    }
}

/// The answer that an event is; `None` if the program is still thinking.
fn answer(
    game: &Game,
    event: PlayerEvent,
    time: Duration,
    last: &PositionAnalysis,
) -> Option<AnalysisResult<PositionAnalysis>> {
    match event {
        PlayerEvent::Move(text) => {
            let mv = game.parse_move(&text);
            let mv = mv.map_err(|_| AnalysisError::IllegalMove(game::excerpt(&text)));
            Some(mv.map(|mv| decided(mv, time, last.clone())))
        }
        PlayerEvent::Fault(fault) => Some(Err(fault.into())),
        PlayerEvent::Complaint(words) => Some(Err(AnalysisError::NoMove(game::excerpt(&words)))),
        // Its move is the first of its last line, if it has reported one.
        PlayerEvent::Resignation | PlayerEvent::Claim { .. } => Some(match last.best() {
            Some(mv) => Ok(decided(mv, time, last.clone())),
            None => Err(AnalysisError::NoMove("the game is over".to_owned())),
        }),
        _ => None,
    }
}

/// Whether a report is of a search beyond a limit of depth or nodes. Programs may count some more nodes before they see the limit.
fn passes(thinking: &Thinking, limit: &TimeControl) -> bool {
    match limit {
        TimeControl::Depth(most) => thinking.depth.is_some_and(|depth| depth > most.get()),
        TimeControl::Nodes(most) => thinking.nodes.is_some_and(|nodes| nodes / 2 > most.get()),
        TimeControl::Unlimited | TimeControl::Clock(_) | TimeControl::PerMove(_) => false,
    }
}

/// Waits for output of the program, at most [`LOOK`].
fn wait(player: &dyn Player, latest: Instant) -> AnalysisResult<()> {
    let now = Instant::now();
    if now >= latest {
        return Err(PlayerFault::Silence("the question for a move").into());
    }
    if let Some(source) = player.source() {
        platform::wait(&[source], latest.min(now + LOOK));
    }
    Ok(())
}

/// Greatest depth in plies, and greatest number of nodes, that a program can mean.
const DEEPEST: u32 = 1_000;
const MOST_NODES: u64 = 1 << 53;

/// Merges a report with the previous analysis: values that the report lacks are kept. A report without depth and nodes tells a move
/// of a book, or one without a choice: nothing but the line is known.
fn analysis(game: &Game, thinking: &Thinking, time: Duration, before: PositionAnalysis) -> PositionAnalysis {
    let line = thinking.moves(game);
    let line = if line.is_empty() { before.line } else { line };
    if thinking.depth == Some(0) && thinking.nodes == Some(0) {
        return PositionAnalysis { line, time, ..before };
    }
    let score = thinking.score.and_then(|score| mate_of_line(game, &line, score).or(Some(score)));
    PositionAnalysis {
        score: score.filter(|score| is_possible(*score)).or(before.score),
        depth: thinking.depth.filter(|depth| *depth <= DEEPEST).or(before.depth),
        nodes: thinking.nodes.filter(|nodes| *nodes <= MOST_NODES).or(before.nodes),
        line,
        time,
        others: before.others,
    }
}

/// Whether a score can be one: no mate takes thousands of moves (the longest of seven men is of 549), and no evaluation is of
/// hundreds of pawns beyond the marks that programs have for wins of endgame tables.
fn is_possible(score: Score) -> bool {
    const LONGEST_MATE: u32 = 2_000;
    const LARGEST_EVALUATION: u32 = 32_000;
    match score {
        Score::MateIn(moves) => (1..=LONGEST_MATE).contains(&moves),
        Score::MatedIn(moves) => moves <= LONGEST_MATE,
        Score::Centipawns(centipawns) => centipawns.unsigned_abs() <= LARGEST_EVALUATION,
    }
}

/// Whether a line contradicts a mate that is told with it: it goes on beyond the mate, or ends where the mate should be without
/// one. A shorter line proves nothing. A side that can move is not mated.
fn contradicts(game: &Game, line: &[Move], score: Score) -> bool {
    let plies = match score {
        Score::Centipawns(_) => return false,
        Score::MatedIn(0) => return !game.legal_moves().is_empty(),
        Score::MateIn(moves) => 2 * moves as usize - 1,
        Score::MatedIn(moves) => 2 * moves as usize,
    };
    if line.len() < plies {
        return false;
    }
    let mut end = game.clone();
    let is_legal = line[..plies].iter().all(|mv| end.play(*mv).is_ok());
    line.len() > plies || !is_legal || !matches!(end.outcome(), Some(Outcome::Win { .. }))
}

/// Centipawns beyond which a score means a mate if its line ends in one. Programs write mates as 32000 - N, 9999 - N and so on; the
/// largest evaluation of a position is that of nine queens.
const BEYOND_EVALUATION: i32 = 8_500;

/// The mate that a score beyond all evaluations means: its line ends in checkmate. For programs whose form is not known
/// ([`messages::cecp::MateForm`]).
fn mate_of_line(game: &Game, line: &[Move], score: Score) -> Option<Score> {
    let is_beyond = match score {
        Score::Centipawns(centipawns) => centipawns.abs() >= BEYOND_EVALUATION,
        Score::MateIn(_) | Score::MatedIn(_) => !is_possible(score),
    };
    let plies = u32::try_from(line.len()).ok().filter(|plies| *plies > 0)?;
    let is_won = score.value() > 0;
    if !is_beyond || is_won != (plies % 2 == 1) {
        return None;
    }
    let mut end = game.clone();
    for mv in line {
        end.play(*mv).ok()?;
    }
    let is_mate = end.legal_moves().is_empty() && matches!(end.outcome(), Some(Outcome::Win { .. }));
    is_mate.then_some(if is_won { Score::MateIn(plies.div_ceil(2)) } else { Score::MatedIn(plies / 2) })
}

/// The final analysis. The last report is kept only if its line begins with the move played.
fn decided(mv: Move, time: Duration, last: PositionAnalysis) -> PositionAnalysis {
    let PositionAnalysis { line, mut others, .. } = last;
    others.retain(|other| other.line.first() != Some(&mv));
    if line.first() == Some(&mv) {
        return PositionAnalysis { line, time, others, ..last };
    }
    // What was told is of another move.
    PositionAnalysis { line: vec![mv], score: None, depth: None, nodes: last.nodes, time, others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_beyond_evaluation_is_a_mate_if_its_line_ends_in_one() {
        let game = |moves: &str| {
            let mut game = Game::default();
            game.play_line(moves.split(' ')).expect("legal moves");
            game
        };
        let line =
            |game: &Game, moves: &str| Thinking { line: moves.to_owned(), ..Thinking::default() }.moves(game);
        let won = game("f3 e5");
        let told = |score| mate_of_line(&won, &line(&won, "g4 Qh4#"), Score::Centipawns(score));
        assert_eq!(told(-9800), Some(Score::MatedIn(1)));
        assert_eq!((told(9800), told(-800)), (None, None));
        // 999998 - 1, as the protocol would read it.
        let mated = mate_of_line(&won, &line(&won, "<g4> <Qh4#>"), Score::MatedIn(899_997));
        assert_eq!(mated, Some(Score::MatedIn(1)));
        let won = game("f3 e5 g4");
        assert_eq!(mate_of_line(&won, &line(&won, "Qh4#"), Score::Centipawns(31999)), Some(Score::MateIn(1)));
        assert_eq!(mate_of_line(&won, &line(&won, "d5"), Score::Centipawns(31999)), None);
    }

    #[test]
    fn a_mate_in_thousands_of_moves_is_no_score() {
        let told = |score| Thinking { score: Some(score), ..Thinking::default() };
        let score = |score| {
            analysis(&Game::default(), &told(score), Duration::ZERO, PositionAnalysis::default()).score
        };
        assert_eq!(score(Score::MatedIn(99_999_999)), None);
        assert_eq!(score(Score::MateIn(549)), Some(Score::MateIn(549)));
    }

    #[test]
    fn a_report_of_no_search_tells_its_line_only() {
        let book = Thinking {
            depth: Some(0),
            nodes: Some(0),
            score: Some(Score::DRAW),
            line: "e2-e4 (book1)".to_owned(),
            ..Thinking::default()
        };
        let told = analysis(&Game::default(), &book, Duration::ZERO, PositionAnalysis::default());
        assert_eq!((told.score, told.depth, told.nodes, told.line.len()), (None, None, None, 1));
    }

    #[test]
    fn a_move_that_is_not_of_the_last_line_stands_alone() {
        let game = Game::default();
        let told = Thinking { line: "e2e4 e7e5".to_owned(), ..Thinking::default() };
        let last = PositionAnalysis { line: told.moves(&game), ..PositionAnalysis::default() };
        let time = Duration::from_secs(1);
        let kept = decided(last.line[0], time, last.clone());
        assert_eq!((&kept.line, kept.time), (&last.line, time));
        let other = game.parse_move("d4").expect("a move");
        let scored = PositionAnalysis { score: Some(Score::Centipawns(20)), depth: Some(10), ..last };
        let alone = decided(other, time, scored);
        assert_eq!((alone.line, alone.score, alone.depth), (vec![other], None, None));
    }

    #[test]
    fn a_mate_that_its_line_contradicts_is_false() {
        let mut game = Game::default();
        game.play_line(["f3", "e5", "g4"]).expect("legal moves");
        let line = |text: &str| Thinking { line: text.to_owned(), ..Thinking::default() }.moves(&game);
        let is_false = |text, score| contradicts(&game, &line(text), score);
        assert!(!is_false("Qh4#", Score::MateIn(1)) && !is_false("d5", Score::MateIn(3)));
        assert!(is_false("d5", Score::MateIn(1)) && is_false("d5 h3 Nc6", Score::MateIn(1)));
        assert!(is_false("d5", Score::MatedIn(0)) && is_false("d5 h3", Score::MatedIn(1)));
        assert!(!is_false("d5", Score::Centipawns(900)));
        assert!(!is_possible(Score::MateIn(0)) && !is_possible(Score::Centipawns(i32::MAX)));
    }
}
