use std::fs;
use std::fs::OpenOptions;
use std::path::PathBuf;

use game::{Color, DrawReason, Outcome, WinReason};
use serde_json::json;

use super::state::SIGNATURE;
use super::*;
use crate::schedule::Fixture;

fn entry(number: u64) -> GameEntry {
    let outcome = match number % 2 {
        0 => Outcome::Win { winner: Color::Black, reason: WinReason::TimeForfeit },
        _ => Outcome::Draw(DrawReason::Agreement),
    };
    GameEntry {
        fixture: Fixture { number, round: 1, white: 0, black: 1, opening: number / 2 },
        outcome: RecordedOutcome(outcome),
        detail: "with \"quotes\" and\nlines".to_owned(),
        plies: 17,
        seconds: 0.25,
        late: number == 2,
    }
}

#[test]
fn files_of_another_kind_are_not_appended_to() {
    let files = Files::new();
    let kept = |pgn: &str, epd: &str| {
        fs::write(&files.pgn, pgn).unwrap();
        fs::write(&files.epd, epd).unwrap();
        let paths = MatchFiles { state: None, pgn: Some(&files.pgn), epd: Some(&files.epd) };
        let opened = MatchStore::open(paths, &json!({}), &[], |_| Ok(()));
        assert_eq!(fs::read_to_string(&files.pgn).unwrap(), pgn);
        opened.map(drop)
    };
    for (pgn, epd) in
        [("", ""), (&*pgn(1), &*epd(1)), ("\n[ White \"x\"]\n1. e4 *\n", "\n# old\n8/8/8/8/8/8/8/8 w - -")]
    {
        assert!(kept(pgn, epd).is_ok(), "{pgn} {epd}");
    }
    let state = format!("{SIGNATURE}\"settings\":{{}}}}\n");
    let others = [
        "#!/bin/sh\n",
        "\x7fELF",
        &*state,
        "[each]\ntc = \"8+0.08\"\n",
        "[[engine]]\n",
        "[{\"name\": \"A\"}]",
        "{\"name\": 1}",
        "; a setting\n",
        "% x\n",
    ];
    let positions = [&*state, "# settings\n[each]\n", "# settings\n", "[Event \"x\"]\n"];
    for (pgn, epd) in others.map(|text| (text, "")).into_iter().chain(positions.map(|text| ("", text))) {
        assert!(matches!(kept(pgn, epd), Err(StoreError::OtherKind { .. })), "{pgn} {epd}");
    }
}

fn pgn(number: u64) -> String {
    format!("[Event \"{number}\"]\n\n1. e4 *\n\n")
}

fn epd(number: u64) -> String {
    format!("4k3/8/8/8/8/8/8/4K3 w - - id \"{number}\";\n")
}

struct Files {
    _folder: tempfile::TempDir,
    state: PathBuf,
    pgn: PathBuf,
    epd: PathBuf,
}

impl Files {
    fn new() -> Files {
        let folder = tempfile::tempdir().unwrap();
        let [state, pgn, epd] = ["a.state", "a.pgn", "a.epd"].map(|name| folder.path().join(name));
        Files { state, pgn, epd, _folder: folder }
    }

    fn open_with(&self, settings: &Value) -> Result<(MatchStore, Vec<GameEntry>), StoreError> {
        let mut restored = Vec::new();
        let restore = |entry| {
            restored.push(entry);
            Ok(())
        };
        let store = MatchStore::open(self.paths(), settings, &["/schedule/games"], restore)?;
        Ok((store, restored))
    }

    fn paths(&self) -> MatchFiles<'_> {
        MatchFiles { state: Some(&self.state), pgn: Some(&self.pgn), epd: Some(&self.epd) }
    }

    fn open(&self) -> Result<(MatchStore, Vec<GameEntry>), StoreError> {
        self.open_with(&json!({ "games": 2 }))
    }
}

#[test]
fn killed_at_any_byte_no_game_is_lost_or_doubled() {
    let files = Files::new();
    let others = "[Event \"of somebody else\"]\n\n*";
    fs::write(&files.pgn, others).unwrap();
    fs::write(&files.epd, "4k3/8/8/8/8/8/8/4K2R w - -").unwrap();
    // The contents of both files after each write, as a kill would leave them.
    let contents = || [&files.state, &files.pgn, &files.epd].map(|path| fs::read(path).unwrap());
    let mut moments = Vec::new();
    let (mut store, _) = files.open().unwrap();
    for number in 0..3 {
        let mut now = contents();
        store.append(&entry(number), &pgn(number), &epd(number)).unwrap();
        // The files are written one after the other, the end of the state's line last.
        let after = contents();
        for (place, left) in [(0, 1), (1, 0), (2, 0), (0, 0)] {
            let whole = &after[place][..after[place].len() - left];
            for end in now[place].len()..whole.len() {
                now[place] = whole[..end].to_vec();
                moments.push((number, now.clone()));
            }
            now[place] = whole.to_vec();
        }
    }
    drop(store);
    for (games, [state, text, positions]) in moments {
        fs::write(&files.state, &state).unwrap();
        fs::write(&files.pgn, &text).unwrap();
        fs::write(&files.epd, &positions).unwrap();
        let (mut store, restored) = files.open().unwrap();
        assert_eq!(restored, (0..games).map(entry).collect::<Vec<_>>());
        let gap = |games| if games == 0 { "" } else { "\n\n" };
        let expected = |games| (0..games).fold(format!("{others}{}", gap(games)), |text, n| text + &pgn(n));
        assert_eq!(fs::read_to_string(&files.pgn).unwrap(), expected(games));
        store.append(&entry(games), &pgn(games), &epd(games)).unwrap();
        drop(store);
        assert_eq!(fs::read_to_string(&files.pgn).unwrap(), expected(games + 1));
        assert_eq!(fs::read_to_string(&files.epd).unwrap().lines().count() as u64, games + 2);
        assert_eq!(files.open().unwrap().1.len() as u64, games + 1);
    }
}

#[test]
fn a_header_that_was_never_completed_is_no_match_yet() {
    let files = Files::new();
    files.open().unwrap();
    let header = fs::read(&files.state).unwrap();
    for end in 0..header.len() {
        fs::write(&files.state, &header[..end]).unwrap();
        assert!(files.open().unwrap().1.is_empty());
        assert_eq!(fs::read(&files.state).unwrap(), header);
    }
}

#[test]
fn other_settings_are_refused_by_name() {
    let files = Files::new();
    let settings = |hash: u32| json!({ "engines": [{ "name": "A" }, { "options": { "Hash": hash } }] });
    files.open_with(&settings(16)).unwrap();
    let error = files.open_with(&settings(32)).unwrap_err().to_string();
    assert!(error.contains("engines.2.options.Hash was 16, now 32"), "{error}");
    let error = files.open().unwrap_err().to_string();
    assert!(error.contains("engines was [") && error.contains("now null"), "{error}");
}

#[test]
fn a_match_may_become_longer_but_not_shorter() {
    let files = Files::new();
    let settings = |games: u32| json!({ "schedule": { "games": games }, "seed": 1 });
    let (mut store, _) = files.open_with(&settings(2)).unwrap();
    store.append(&entry(0), &pgn(0), &epd(0)).unwrap();
    drop(store);
    assert_eq!(files.open_with(&settings(4)).unwrap().1, [entry(0)]);
    let error = files.open_with(&settings(1)).unwrap_err().to_string();
    assert!(error.contains("schedule.games was 2, now 1"), "{error}");
    let error = files.open_with(&json!({ "schedule": { "games": 9 }, "seed": 2 })).unwrap_err().to_string();
    assert!(error.contains("seed was 1, now 2"), "{error}");
}

#[test]
fn foreign_damaged_and_changed_files_are_refused_and_left_alone() {
    let files = Files::new();
    for foreign in ["my diary", "my diary\n", "{}\n", "\u{0}", &format!("{SIGNATURE}\"notes\":1}}")] {
        fs::write(&files.state, foreign).unwrap();
        assert!(matches!(files.open(), Err(StoreError::Foreign(_))), "{foreign}");
        assert_eq!(fs::read_to_string(&files.state).unwrap(), foreign);
    }
    fs::write(&files.state, "").unwrap();
    let (mut store, _) = files.open().unwrap();
    assert!(matches!(files.open(), Err(StoreError::InUse(_))));
    store.append(&entry(0), &pgn(0), &epd(0)).unwrap();
    drop(store);
    let whole = (fs::read_to_string(&files.state).unwrap(), fs::read_to_string(&files.pgn).unwrap());

    fs::write(&files.state, format!("{}{{}}\n", whole.0)).unwrap();
    let error = files.open().unwrap_err().to_string();
    assert!(error.contains("line 3: missing field"), "{error}");
    fs::write(
        &files.state,
        whole.0.replace("Black forfeits", "Nobody forfeits").replace("White forfeits", "x"),
    )
    .unwrap();
    assert!(files.open().unwrap_err().to_string().contains("is no outcome of a game"));
    let only_state = MatchFiles { pgn: None, epd: None, ..files.paths() };
    let refused = MatchStore::open(only_state, &json!({ "games": 2 }), &[], |_| Err("no".to_owned()));
    assert!(matches!(refused, Err(StoreError::Damaged { line: 2, .. })));

    fs::write(&files.state, &whole.0).unwrap();
    for changed in ["", &whole.1[1..], &format!("{}{}", whole.1, pgn(7)), &format!("{}\n", whole.1)] {
        fs::write(&files.pgn, changed).unwrap();
        assert!(matches!(files.open(), Err(StoreError::ChangedOutput { .. })), "{changed}");
        assert_eq!(fs::read_to_string(&files.pgn).unwrap(), changed);
    }
}

#[test]
fn files_that_are_removed_or_shortened_are_told() {
    for place in 0..3 {
        let files = Files::new();
        let path = [&files.state, &files.pgn, &files.epd][place];
        let (mut store, _) = files.open().unwrap();
        store.append(&entry(0), &pgn(0), &epd(0)).unwrap();
        fs::rename(path, path.with_extension("gone")).unwrap();
        let told =
            |store: &mut MatchStore| store.append(&entry(1), &pgn(1), &epd(1)).unwrap_err().to_string();
        assert!(told(&mut store).contains("removed or replaced"));
        fs::rename(path.with_extension("gone"), path).unwrap();
        OpenOptions::new().write(true).open(path).unwrap().set_len(3).unwrap();
        let shortened = told(&mut store);
        assert!(
            shortened.starts_with(path.to_str().unwrap()) && shortened.contains("3 bytes of"),
            "{shortened}"
        );
        assert_eq!(fs::metadata(path).unwrap().len(), 3, "it is not filled up");
    }
}

#[test]
fn other_openings_are_refused_and_old_states_go_on() {
    let files = Files::new();
    let settings = |checksum: Value| json!({ "openings": { "count": 3, "checksum": checksum } });
    files.open_with(&settings(json!(7))).unwrap();
    assert!(files.open_with(&settings(json!(7))).is_ok());
    let error = files.open_with(&settings(json!(8))).unwrap_err().to_string();
    assert!(error.contains("openings.checksum was 7, now 8"), "{error}");
    fs::remove_file(&files.state).unwrap();
    files.open_with(&json!({ "openings": { "count": 3 } })).unwrap();
    assert!(files.open_with(&settings(json!(8))).is_ok());
}

/// Older states have a name that the user gave twice, and none that the program told.
#[test]
fn the_name_is_what_a_program_plays_under() {
    let files = Files::new();
    assert_eq!(MatchStore::settings(&files.state), None);
    let settings = |name: &str, spec: Value| json!({ "engines": [{ "name": name, "spec": spec }] });
    let older = settings("A", json!({ "name": "A", "command": ["a"] }));
    let now = |name| settings(name, json!({ "command": ["a"] }));
    files.open_with(&older).unwrap();
    assert_eq!(MatchStore::settings(&files.state), Some(older));
    assert!(files.open_with(&now("A")).is_ok());
    let error = files.open_with(&now("B")).unwrap_err().to_string();
    assert!(error.contains("engines.1.name was \"A\", now \"B\""), "{error}");
    fs::write(&files.state, "my diary\n").unwrap();
    assert_eq!(MatchStore::settings(&files.state), None);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_game_out_of_both_files() {
    let files = Files::new();
    let full = Path::new("/dev/full");
    let settings = json!({ "games": 2 });
    let open = |files| MatchStore::open(files, &settings, &[], |_| Ok(()));
    let first = open(MatchFiles { state: Some(full), ..MatchFiles::default() });
    assert!(matches!(first, Err(StoreError::NotStored(_))), "before the first game");
    let mut store = open(MatchFiles { pgn: Some(full), ..files.paths() }).unwrap();
    let error = store.append(&entry(0), &pgn(0), &epd(0)).unwrap_err().to_string();
    assert!(error.starts_with("/dev/full cannot be written: No space left"), "{error}");
    drop(store);
    let mut state = files.open().unwrap();
    assert!(state.1.is_empty());
    // The disk of the state file is full, that of the PGN file is not.
    state.0.state = Some(AppendFile {
        path: full.to_owned(),
        file: OpenOptions::new().append(true).open(full).unwrap(),
        length: 0,
        id: None,
    });
    assert!(state.0.append(&entry(0), &pgn(0), &epd(0)).is_err());
    assert_eq!(fs::read_to_string(&files.pgn).unwrap(), "");
    assert_eq!(fs::read_to_string(&files.epd).unwrap(), "");
}
