//! Chess960 and other variants.

use game::{CastlingMode, Game, variant_from_name};
use messages::cecp::Switch;

use super::harness::{CecpHarness, is_refusal};
use crate::check::harness::require;
use crate::check::positions::CHESS960;
use crate::check::{Candidate, ConformanceRule, Failure, rule};

pub(super) const RULES: &[ConformanceRule] = &[
    rule("fischerandom", "takes `O-O` and Shredder castling letters in fischerandom", fischerandom),
    rule("variants", "plays legally in each variant that it offers and we know", variants),
    rule("variant-unknown", "survives a variant that it doesn't know", variant_unknown),
];

fn fischerandom(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    require(harness.announced.plays("fischerandom"), "fischerandom")?;
    harness.needs(Switch::SetBoard)?;
    harness.tell(&["new", "variant fischerandom", "force"])?;
    harness.hurry()?;
    harness.tell(&[&format!("setboard {CHESS960}")])?;
    harness.set_board(CHESS960, CastlingMode::Chess960);
    harness.play(&["O-O"])?;
    harness.settle_without("`O-O` taken", is_refusal)?;
    harness.go().map(drop)
}

fn variants(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::start(candidate)?;
    let named = harness.announced.variants().iter();
    let known: Vec<_> = named.filter_map(|name| Some((name.clone(), variant_from_name(name)?))).collect();
    require(!known.is_empty(), "a variant that we know")?;
    for (name, variant) in known {
        harness.game = Game::new(variant);
        harness.tell(&["force", "new", &format!("variant {name}")])?;
        harness.hurry()?;
        harness.settle_without(&format!("`variant {name}` taken"), is_refusal)?;
        harness.go().map_err(|failure| in_variant(failure, &name))?;
    }
    Ok(())
}

fn in_variant(failure: Failure, name: &str) -> Failure {
    match failure {
        Failure::Broken { expected, seen } => Failure::new(format!("in {name} {expected}"), seen),
        other => other,
    }
}

fn variant_unknown(candidate: &Candidate) -> Result<(), Failure> {
    let mut harness = CecpHarness::forced(candidate)?;
    harness.settle()?;
    harness.tell(&["new", "variant nosuchvariant"])?;
    harness.settle()?;
    harness.still_plays()
}
