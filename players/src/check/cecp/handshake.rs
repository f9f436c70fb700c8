//! The handshake: `xboard`, `protover` and features.

use messages::cecp::Feature;

use super::prelude::*;

pub(super) const RULES: &[ConformanceRule] = &[
    rule(
        "one-read",
        "ends its features with `done=1`, at once, when `xboard` and `protover 2` come in one read",
        Greeted,
    )
    .should(HANDSHAKE)
    .check(|program| {
        // The specification recommends `done=1`, but doesn't demand it.
        require(program.announced.done() == Some(true), "done=1")?;
        let program = &mut Launched.reach(&program.candidate)?;
        program.stream.tell_all(["xboard", "protover 2"])?;
        program.hear_until("`feature ... done=1` within 2 s", AT_ONCE, is_done).map(drop)
    }),
    rule("version-1", "plays under a GUI that sends no `protover`", Launched).must(HANDSHAKE).check(
        |program| {
            program.tell(["xboard"])?;
            program.hear_for(QUIET)?;
            program.tell(["new", "level 0 1 0", "time 500", "otim 500", "e2e4"])?;
            program.hear_until("a move in answer to `e2e4`", program.patience, Cecp::is_move).map(drop)
        },
    ),
    rule("accepted", "takes it when its features are rejected", Greeted).must(HANDSHAKE).check(|program| {
        // The check itself needs `ping` and the form of moves.
        let is_needed = |name: &str| ["ping", "usermove", "san"].contains(&name);
        let names = program.announced.asked_for().into_iter().filter(|name| !is_needed(name));
        let rejected: Vec<String> = names.map(|name| format!("rejected {name}")).collect();
        require(!rejected.is_empty(), "features")?;
        let heard = program.deal(rejected)?;
        heard.has_taken("the rejections")?;
        program.still_plays()?;
        program.reads(&heard, "rejected")
    }),
    rule("option-names", "gives its options different names", Greeted).must(HANDSHAKE).check(|program| {
        // The harness keeps only one option of a name, so the lines are read again.
        let features = &program.announced;
        require(!features.options.is_empty() && features.done() == Some(true), "options")?;
        let program = &mut Launched.reach(&program.candidate)?;
        program.tell(["xboard"])?;
        program.hear_for(QUIET)?;
        program.tell(["protover 2"])?;
        let heard = program.hear_until("`feature ... done=1`", program.patience, is_done)?;
        let features = heard.messages().filter_map(|message| match message {
            Message::Features(features) => Some(features),
            _ => None,
        });
        differ(features.flatten().filter_map(|feature| match feature {
            Feature::Option(option) => Some(option.name.clone()),
            _ => None,
        }))
    }),
    rule("xboard-again", "takes `xboard` again later", Greeted).usual(HANDSHAKE).check(|program| {
        let heard = program.takes(&["xboard"])?;
        observe(!heard.0.is_empty(), "it takes `xboard`, but nothing shows that it reads it")
    }),
    rule("sigint", "goes on when SIGINT comes, unless it said `sigint=0`", Greeted).must(HANDSHAKE).check(
        |program| {
            program.stream.interrupt();
            match program.hear_for(QUIET) {
                Ok(_) => program.still_plays(),
                Err(_) if !program.announced.has(Switch::Sigint) => {
                    Err(Failure::NotSupported("sigint=1".into()))
                }
                Err(_) => Err(Failure::new("that it goes on after SIGINT", "it ended")),
            }
        },
    ),
];

fn is_done(message: &Message) -> bool {
    let done = Feature::Switch(Switch::Done, true);
    matches!(message, Message::Features(features) if features.contains(&done))
}
