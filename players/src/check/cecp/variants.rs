//! Chess960 and other variants.

use game::{CastlingMode, Game, variant_from_name};
use messages::cecp::Audience;

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
            program.ask("go")?;
            // In normal chess, it would be `e1g1`.
            program.tell(["new", "variant fischerandom", "force"])?;
            program.hurry()?;
            program.tell([format!("setboard {SAVED_BY_CASTLING}")])?;
            program.set_board(SAVED_BY_CASTLING, CastlingMode::Chess960);
            let heard = program.ask("go")?;
            let castles = heard.last().is_some_and(|message| *message == Message::Move("O-O".into()));
            observe(castles, format!("{}, as in normal chess", heard.last_shown()))
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
            let heard = program.deal(["new", "variant nosuchvariant"])?;
            program.still_plays()?;
            observe(!heard.0.is_empty(), "it plays on, but nothing shows that it reads `variant`")
        },
    ),
    rule("setup", "answers a variant of its own with a well-formed `setup`, and `piece`", Greeted)
        .should(VARIANTS)
        .check(|program| {
            let own = program
                .announced
                .variants
                .iter()
                .flatten()
                .find(|name| *name != "normal" && variant_from_name(name).is_none());
            let Some(own) = own.cloned() else {
                return Err(Failure::NotSupported("a variant of its own".into()));
            };
            let heard = program.deal(["new", &format!("variant {own}")])?;
            heard.has_no("`setup` with a FEN, and `piece` with a description", |message| match message {
                Message::Setup { fen, .. } => !is_like_fen(fen),
                Message::Piece { id, betza } => id.is_empty() || betza.is_empty(),
                Message::Other(line) => line.starts_with("setup") || line.starts_with("piece"),
                _ => false,
            })?;
            require(heard.contains(|message| matches!(message, Message::Setup { .. })), "`setup`")
        }),
    rule("holding", "takes `partner`, `ptell` and `holding` in bughouse", Greeted).must(BUGHOUSE).check(
        |program| {
            require(program.announced.plays("bughouse"), "bughouse")?;
            program.tell(["new", "variant bughouse", "force"])?;
            let answer = program.deal(["partner Somebody"])?;
            answer.has_taken("`partner`")?;
            let reply = program.deal(["ptell hello"])?;
            reply.has_taken("`ptell`")?;
            program.tell_move("N@e4")?;
            let refused = program.settle()?;
            program.tell(["holding [N] []"])?;
            program.tell_move("N@e4")?;
            program.settle()?.has_taken("a drop after `holding`")?;
            observe(refused.contains(is_refusal), "it takes drops without `holding`, too")?;
            let has_partner = !answer.0.is_empty() || asks_partner(program)?;
            observe(has_partner, "it goes on, but nothing shows that it reads `partner`")?;
            program.reads(&reply, "ptell")
        },
    ),
];

/// Whether the program, which has a partner, asks for a piece when it can't move without one.
fn asks_partner(program: &mut CecpHarness) -> Checked<bool> {
    program.needs(Switch::SetBoard)?;
    program.tell(["new", "variant bughouse", "force"])?;
    program.hurry()?;
    program.tell([format!("setboard {MATED}"), "go".to_owned()])?;
    let is_for_partner = |message: &Message| match message {
        Message::Tell(Audience::Ics | Audience::IcsNoAlias, text) => text.starts_with("ptell "),
        _ => false,
    };
    Ok(program.hear_for(QUIET)?.contains(is_for_partner))
}

/// Whether a text has the form of a FEN: a board of several ranks, and a side to move.
fn is_like_fen(text: &str) -> bool {
    let mut fields = text.split_whitespace();
    let board = fields.next().unwrap_or_default();
    board.contains('/') && matches!(fields.next(), Some("w" | "b"))
}

fn in_variant(failure: Failure, name: &str) -> Failure {
    match failure {
        Failure::Broken { expected, seen } => Failure::new(format!("in {name} {expected}"), seen),
        other => other,
    }
}
