//! Options, and whether they have the effects that their names promise.

use std::collections::{HashMap, HashSet};

use game::CastlingMode::Standard;
use messages::OptionKind;

use super::harness::UciStart::{At, Greeted};
use super::harness::{UciHarness, UciTranscript, has_legal_lines, infos};
use super::sections::OPTIONS;
use crate::check::prelude::*;
use crate::uci::Uci;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("option-names", "gives its options different names", Greeted)
        .must(OPTIONS)
        .check(|program| differ(program.announced.iter().map(|(name, _)| name.to_lowercase()))),
    rule("option-defaults", "has defaults within the ranges of its options", Greeted).must(OPTIONS).check(
        |program| {
            require(!program.announced.is_empty(), "options")?;
            program.announced.iter().try_for_each(|(name, kind)| {
                let is_within = match kind {
                    OptionKind::Spin { value, min, max } => (min..=max).contains(&value),
                    OptionKind::Combo { value, choices } => choices.contains(value),
                    _ => true,
                };
                demand(is_within, "a default within the range", format!("{name}: {kind:?}"))
            })
        },
    ),
    rule("options", "takes the ends of the ranges of its options", Greeted).must(OPTIONS).check(|program| {
        let mut settings = Vec::new();
        for (name, kind) in &program.announced {
            let values = trial_values(name, kind, ["false", "true"]);
            settings.extend(values.iter().map(|value| format!("setoption name {name} value {value}")));
        }
        program.take_each(&settings, Uci::is_move)?;
        program.still_plays()?;
        // One effect shows that it reads the settings.
        program.set_up(MIDDLEGAME, Standard, &[])?;
        shows_three_lines(program, "MultiPV").map(drop).map_err(Failure::unseen)
    }),
    rule("option-unknown", "survives options that it doesn't have", Greeted).usual(OPTIONS).check(
        |program| {
            let heard = program.deal(["setoption name No Such Option value 3"])?;
            program.still_plays()?;
            observe(!heard.0.is_empty(), "it plays on, but nothing shows that it reads the setting")
        },
    ),
    rule("option-case", "takes the names of options in capitals or small letters", At(MIDDLEGAME))
        .should(OPTIONS)
        .check(|program| shows_three_lines(program, "mUlTiPv").map(drop)),
    rule("multipv", "tells as many lines as MultiPV asks for, with different moves", At(MIDDLEGAME))
        .must(OPTIONS)
        .check(|program| {
            let root = program.game.clone();
            has_legal_lines(&shows_three_lines(program, "MultiPV")?, &root)
        }),
    rule("hash", "uses more memory when `Hash` is greater", Greeted).should(OPTIONS).check(|program| {
        program.needs("Hash")?;
        let [small, large] = [16, 144];
        let most = program.most("Hash").unwrap_or_default();
        require(most >= large, format!("{large} MB of Hash"))?;
        let before = memory_with(program, small)?;
        let grown = memory_with(program, large)?.saturating_sub(before) >> 20;
        // Tables may be rounded to a power of two, and be touched in part.
        let expected = (large - small) as u64 / 4;
        demand(grown >= expected, format!("at least {expected} MB more"), format!("{grown} MB more"))
    }),
    rule("threads", "computes on as many threads as `Threads` tells", Greeted).should(OPTIONS).check(
        |program| {
            program.needs("Threads")?;
            require(program.most("Threads").unwrap_or_default() >= 2, "two threads")?;
            let one = busy_threads(program, 1)?;
            observe(one >= 1, "it was not seen thinking")?;
            let two = busy_threads(program, 2)?;
            demand(two > one, format!("more than {one} at work with two threads"), format!("{two}"))
        },
    ),
    rule("clear-hash", "forgets what it has searched at `Clear Hash`", Greeted).usual(OPTIONS).check(
        |program| {
            program.needs("Clear Hash")?;
            program.forgets_at("setoption name Clear Hash")
        },
    ),
];

/// Sets `MultiPV` under this name. Fails unless the program then tells three lines. Returns what it tells.
fn shows_three_lines(program: &mut UciHarness, name: &str) -> Checked<UciTranscript> {
    program.needs("MultiPV")?;
    program.deal([format!("setoption name {name} value 3")])?;
    let heard = program.ask("go movetime 300")?;
    let places: HashSet<u32> = infos(&heard).filter_map(|info| info.multipv).collect();
    let mut moves: HashMap<_, HashSet<String>> = HashMap::new();
    for info in infos(&heard).filter(|info| !info.pv.is_empty()) {
        moves.entry(info.depth).or_default().insert(info.pv[0].to_string());
    }
    let are_three = places == HashSet::from([1, 2, 3]) && moves.values().any(|moves| moves.len() >= 3);
    demand(are_three, "lines 1, 2 and 3 with different moves", heard.shown())?;
    Ok(heard)
}

/// Returns the memory of the program, in bytes, after a search with this size of its table.
fn memory_with(program: &mut UciHarness, megabytes: i64) -> Checked<u64> {
    program.deal([format!("setoption name Hash value {megabytes}"), "ucinewgame".to_owned()])?;
    program.set_up(MIDDLEGAME, Standard, &[])?;
    program.ask("go movetime 500")?;
    program.stream.memory().ok_or_else(untold)
}

/// Processor time that shows that a thread works. Waiting for a processor counts.
const WORK: Duration = Duration::from_millis(200);

/// Returns the number of threads that work while the program searches.
fn busy_threads(program: &mut UciHarness, threads: u32) -> Checked<usize> {
    program.deal([format!("setoption name Threads value {threads}")])?;
    program.set_up(MIDDLEGAME, Standard, &[])?;
    program.settle()?;
    let before = program.stream.usage().ok_or_else(untold)?;
    program.tell(["go infinite"])?;
    let heard = program.hear_for(Duration::from_millis(600))?;
    observe(!heard.contains(Uci::is_move), "it ends `go infinite` by itself")?;
    let after = program.stream.usage().ok_or_else(untold)?;
    program.tell(["stop"])?;
    program.hear_move(AT_ONCE)?;
    Ok(after.busy_since(&before, WORK))
}
