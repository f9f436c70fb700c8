//! Chess960 and other variants.

use game::{CastlingMode, Game, variant_from_name};
use messages::cecp::Switch;

use super::bench::{Bench, is_refusal};
use crate::check::conversation::none;
use crate::check::{Candidate, Miss, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        label: "fischerandom",
        duty: "takes `O-O` and Shredder castling letters in fischerandom",
        check: fischerandom,
    },
    Rule {
        label: "variants",
        duty: "plays legally in each variant that it offers and we know",
        check: variants,
    },
    Rule {
        label: "variant-unknown",
        duty: "survives a variant that it doesn't know",
        check: variant_unknown,
    },
];

fn fischerandom(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    if !bench.features.plays("fischerandom") {
        return Err(Miss::NotSupported("fischerandom".into()));
    }
    bench.needs(Switch::SetBoard)?;
    let fen = "1rk3r1/pppqpppp/8/8/8/8/PPPQPPPP/1RK3R1 w GBgb - 0 1";
    bench.tell(&["new", "variant fischerandom", "force"])?;
    bench.hurry()?;
    bench.tell(&[&format!("setboard {fen}")])?;
    bench.game = Game::from_fen(fen, CastlingMode::Chess960).expect("a legal position");
    bench.play(&["O-O"])?;
    none(&bench.settle()?, "`O-O` taken", is_refusal)?;
    bench.tell(&["go"])?;
    bench.hear_move().map(drop)
}

fn variants(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::start(candidate)?;
    let names: Vec<(String, game::Variant)> = bench
        .features
        .variants()
        .iter()
        .filter_map(|name| Some((name.clone(), variant_from_name(name)?)))
        .collect();
    if names.is_empty() {
        return Err(Miss::NotSupported("a variant that we know".into()));
    }
    for (name, variant) in names {
        bench.game = Game::new(variant);
        bench.tell(&["force", "new", &format!("variant {name}")])?;
        bench.hurry()?;
        none(&bench.settle()?, &format!("`variant {name}` taken"), is_refusal)?;
        bench.tell(&["go"])?;
        bench.hear_move().map_err(|miss| in_variant(miss, &name))?;
    }
    Ok(())
}

fn in_variant(miss: Miss, name: &str) -> Miss {
    match miss {
        Miss::Failed { expected, seen } => Miss::failed(format!("in {name} {expected}"), seen),
        other => other,
    }
}

fn variant_unknown(candidate: &Candidate) -> Result<(), Miss> {
    let mut bench = Bench::forced(candidate)?;
    bench.settle()?;
    bench.tell(&["new", "variant nosuchvariant"])?;
    bench.settle()?;
    bench.still_plays()
}
