//! Chess960 and other variants.

use game::{CastlingMode, Game, variant_from_name};

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule("fischerandom", "takes `O-O` and Shredder castling letters in fischerandom", Greeted)
        .must(VARIANTS)
        .check(|program| {
            require(program.announced.plays("fischerandom"), "fischerandom")?;
            program.needs(Switch::SetBoard)?;
            program.tell(["new", "variant fischerandom", "force"])?;
            program.hurry()?;
            program.tell([format!("setboard {CHESS960}")])?;
            program.set_board(CHESS960, CastlingMode::Chess960);
            program.play(&["O-O"])?;
            program.settle()?.has_taken("`O-O`")?;
            program.ask("go").map(drop)
        }),
    rule("variants", "plays legally in each variant that it offers and we know", Greeted)
        .must(VARIANTS)
        .check(|program| {
            let named = program.announced.variants.iter().flatten();
            let known: Vec<_> =
                named.filter_map(|name| Some((name.clone(), variant_from_name(name)?))).collect();
            require(!known.is_empty(), "a variant that we know")?;
            for (name, variant) in known {
                program.game = Game::new(variant);
                program.tell(["force", "new", &format!("variant {name}")])?;
                program.hurry()?;
                program.settle()?.has_taken(&format!("`variant {name}`"))?;
                program.ask("go").map_err(|failure| in_variant(failure, &name))?;
            }
            Ok(())
        }),
    rule("variant-unknown", "survives a variant that it doesn't know", Forced).usual(VARIANTS).check(
        |program| {
            program.deal(["new", "variant nosuchvariant"])?;
            program.still_plays()
        },
    ),
];

fn in_variant(failure: Failure, name: &str) -> Failure {
    match failure {
        Failure::Broken { expected, seen } => Failure::new(format!("in {name} {expected}"), seen),
        other => other,
    }
}
