//! Tests of the options.

use engine::{NumberSetting, SettingsFile};

use super::Gui;
use crate::cecp::{Dialect, serve};
use crate::scripted::Scripted;

#[test]
fn the_book_is_told_and_played() {
    let file = tempfile::Builder::new().suffix(".epd").tempfile().expect("a file");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    std::fs::write(&file, format!("{start} bm Na3 h4;\n{start} bm Na3;\n{start} sm Na3;\n"))
        .expect("written");
    let mut gui = Gui::start();
    let name = format!("option BookFile={}", file.path().display());
    gui.send(&["protover 2", "new", "force", &name]);
    while !gui.line().contains("done=1") {}
    gui.send(&["bk"]);
    assert_eq!([gui.line(), gui.line(), gui.line()], [" Na3 75%", " h4 25%", ""]);
    gui.send(&["option OwnBook=1", "exclude h2h4", "st 1000", "go"]);
    assert_eq!(gui.line(), "move b1a3");
    gui.send(&["force", "option OwnBook=2", "egtpath nalimov /x", "egtpath syzygy /no/tables"]);
    gui.send(&["accepted debug", "egtpath syzygy /no/tables", "option SyzygyPath=/no/tables"]);
    assert_eq!(gui.line(), "Error (OwnBook needs true or false (1 or 0), not `2`): option OwnBook=2");
    assert_eq!(gui.line(), "Error (unknown kind of endgame tables): egtpath nalimov /x");
    // Without `debug` a wrong default path of the GUI is not reported.
    assert!(gui.line().starts_with("# can't read `/no/tables`: "));
    assert!(gui.line().starts_with("tellusererror can't read `/no/tables`: "));
    gui.disconnect();
}

#[test]
fn what_is_rejected_is_offered_in_another_form() {
    let mut gui = Gui::start();
    for (rejected, offers) in [
        ("rejected memory", &["feature option=\"Hash -spin 64 1 33554432\""][..]),
        ("rejected smp", &["feature option=\"Threads -spin 1 1 1024\""]),
        ("rejected option Reset -reset", &["feature option=\"Reset -button\""]),
        ("rejected option Save", &["feature option=\"Save -button\""]),
        ("rejected option BookFile -file x", &["feature option=\"BookFile -string \""]),
        ("rejected option ClearHash -button", &[]),
        ("rejected option Foo -reset", &[]),
        ("rejected option", &[]),
        ("rejected setscore", &[]),
    ] {
        assert_eq!(gui.answers(&[rejected]), offers, "{rejected}");
    }
    gui.expect_silence(&["option Hash=2", "option Threads=2"]);
    gui.disconnect();
}

#[test]
fn settings_are_saved_and_reset() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    let start = || {
        let file = SettingsFile::at(&file);
        Scripted::start(move |mut host, output| {
            assert_eq!(host.use_settings(file), Vec::<String>::new());
            serve(host, output, Dialect::XBoard)
        })
    };
    let mut first = start();
    first.say("memory 100\ncores 2\noption Contempt=25\noption LimitStrength=1\noption Save");
    assert_eq!(first.hear("tell"), format!("telluser Settings saved in {}", file.display()));
    first.close();
    first.end();
    let saved = SettingsFile::at(&file).load().unwrap();
    assert_eq!(saved.get(NumberSetting::Contempt), 25);
    // The second thread, if the machine has another processor, takes 3 MiB.
    let threads = saved.get(NumberSetting::Threads);
    assert_eq!(saved.get(NumberSetting::Hash), 84 - 3 * (threads - 1));
    let mut second = start();
    second.say("protover 2");
    let announced = second.hear_until("feature done=1").join("\n");
    assert!(
        announced.contains("Contempt -spin 25 ") && announced.contains("LimitStrength -check 1"),
        "{announced}"
    );
    // The GUI's dialogue must learn of the reset.
    second.say("option Reset");
    let heard = second.hear_until("feature done=1");
    assert_eq!(heard[0], "feature done=0");
    assert!(heard.join("\n").contains("Contempt -spin 0 "), "{heard:?}");
    // The user is asked after closing the dialogue, at the next game.
    second.say("new");
    let question = "askuser save-reset The settings were reset. Save them as they are now? (yes or no)";
    assert_eq!(second.hear(""), question);
    second.say("new\nsave-reset no\nsave-reset yes");
    assert_eq!(second.hear(""), "Error (unknown command): save-reset yes", "asked and answered once");
    assert_eq!(SettingsFile::at(&file).load().unwrap().get(NumberSetting::Contempt), 25);
    second.say("option Reset\nmemory 90\nnew\nsave-reset Yes.");
    assert_eq!(second.hear("askuser"), question);
    assert_eq!(second.hear("tell"), format!("telluser Settings saved in {}", file.display()));
    assert_eq!(SettingsFile::at(&file).load().unwrap().get(NumberSetting::Hash), 74, "one thread again");
    second.say("option Reset\noption Save\noption Reset\nnew\nping 1");
    assert_eq!(second.hear_until("pong 1").iter().nth_back(1).unwrap(), "feature done=1", "nothing to ask");
    second.close();
    second.end();
}

#[test]
fn the_user_hears_what_of_the_saved_settings_is_of_no_use() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    std::fs::write(&file, "OwnBook = true\nBookFile = \"/no/book.bin\"\n").unwrap();
    let mut session = Scripted::start(move |mut host, output| {
        host.use_settings(SettingsFile::at(file));
        serve(host, output, Dialect::XBoard)
    });
    session.say("protover 2");
    session.hear_until("feature done=1");
    let told = session.hear("");
    assert!(told.starts_with("tellusererror Saved settings: ") && told.contains("/no/book.bin"), "{told}");
    session.say("protover 2\nping 1");
    assert_eq!(session.hear_until("pong 1").iter().nth_back(1).unwrap(), "feature done=1", "once is enough");
    session.close();
    session.end();
}

#[test]
fn settings_can_not_be_saved_without_a_place() {
    let mut gui = Gui::start();
    gui.expect_answer("option Save", "tellusererror Settings not saved: no settings file is in use");
    gui.disconnect();
}

#[test]
fn noise_is_for_games_that_are_to_vary() {
    let mut gui = Gui::start();
    let mut moves = |random: &[&str]| {
        let mut all = Vec::new();
        for _ in 0..8 {
            gui.send(&["new", "option Noise=500", "sd 3", "nps 0"]);
            gui.send(random);
            gui.send(&["go"]);
            all.push(gui.expect_move());
        }
        all.dedup();
        all.len()
    };
    assert_eq!(moves(&[]), 1);
    assert_eq!(moves(&["random", "random"]), 1);
    assert!(moves(&["random"]) > 1, "eight games with the same first move through much noise");
    gui.disconnect();
}
