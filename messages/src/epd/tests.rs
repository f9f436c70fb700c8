//! Tests of whole records.

use std::fs;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

const LENIENT: RecordReader = RecordReader {
    strictness: Strictness::Lenient,
    moves: MoveReading::Legal,
    mates: false,
    escapes: Escapes::None,
    repairs: RepairSet::NONE,
    letters: PieceLetters::English,
};
const STRICT: RecordReader = RecordReader { strictness: Strictness::Strict, ..LENIENT };
const SYNTAX: RecordReader = RecordReader { moves: MoveReading::Syntax, ..LENIENT };
const IMPORT: RecordReader = RecordReader { moves: MoveReading::Repair, mates: true, ..LENIENT };

/// Returns the record in canonical form, and the faults as `column rule severity`.
fn read(reader: RecordReader, line: &str) -> (Option<String>, Vec<String>) {
    let reading = reader.read(line, 1);
    let told = |fault: &Fault| format!("{} {} {}", fault.column, fault.rule, fault.severity);
    (reading.record.map(|record| record.to_string()), reading.faults.iter().map(told).collect())
}

/// Returns the faults of operations in the start position as `rule severity`.
fn faults(operations: &str) -> Vec<String> {
    let (_, faults) = read(LENIENT, &format!("{START} {operations}"));
    faults.iter().map(|fault| fault.split_once(' ').expect("a column").1.to_owned()).collect()
}

/// Returns the canonical form of operations in the start position.
fn normal(reader: RecordReader, operations: &str) -> String {
    let (record, _) = read(reader, &format!("{START} {operations}"));
    record.expect("a record").strip_prefix(START).expect("the position").trim_start().to_owned()
}

#[test]
fn every_opcode_makes_its_round_trip() {
    let operations = [
        "Private x \"y\" -1;",
        "acd 12;",
        "acn 12345678901;",
        "acs 2147483647;",
        "am e4 f3;",
        "bm Nc3 d4;",
        "c0 \"comment\"; c1; c2 \"\"; c3 \"x\"; c4; c5 \"a; b\"; c6; c7; c8 \"10 5\"; c9 \"z\";",
        "cc 000:00:03:20 012:23:59:59;",
        "ce -32768;",
        "ce 32766;",
        "ce 0;",
        "dm 3;",
        "draw_accept;",
        "draw_claim; sm e4;",
        "draw_offer; sm e4;",
        "draw_reject;",
        "eco;",
        "eco \"C65\";",
        "fmvn 1;",
        "hmvc 0;",
        "id \"WCSAC.0757\";",
        "nic;",
        "nic \"RL 11\";",
        "noop;",
        "noop 1 -2.5 e4 \"text\" 1995.11.26;",
        "pm Nf3;",
        "ptp Event \"A; B\" White \"x\";",
        "pv;",
        "pv e4 e5 Nf3 Nc6 Bb5;",
        "rc 3;",
        "refcom conclude;",
        "refcom disconnect;",
        "refcom execute;",
        "refcom fault;",
        "refcom inform;",
        "refcom reset;",
        "refcom respond;",
        "refreq fault;",
        "refreq reply;",
        "refreq sign_off;",
        "refreq sign_on;",
        "resign;",
        "sm e4;",
        "sv;",
        "sm e4; sv e4 c5;",
        "tcgs 7;",
        "tcri \"a@b.org\" \"Jane Doe\";",
        "tcsi \"c@d.org\" \"Spector\";",
        "ts 1995.11.26 23:59:59;",
        "v0 \"Ruy Lopez\"; v1; v2 \"x\"; v3; v4; v5; v6; v7; v8; v9 \"y\";",
    ];
    for operation in operations {
        let line = format!("{START} {operation}");
        for reader in [STRICT, SYNTAX, IMPORT] {
            assert_eq!(read(reader, &line), (Some(line.clone()), vec![]));
        }
    }
}

#[test]
fn the_examples_of_the_specification() {
    // Sections 4 (the fields), 6.8 and 6.15 (operations in the text).
    assert_eq!(read(STRICT, START), (Some(START.into()), vec![]));
    assert_eq!(read(STRICT, &format!("{START} dm 3;")).1, [""; 0]);
    assert_eq!(read(STRICT, &format!("{START} id \"BK.15\";")).1, [""; 0]);
    // 6.7: mates for and against the side to move.
    for ce in [32_766, 32_758, -32_765, -32_757, -32_767, -32_768] {
        assert_eq!(faults(&format!("ce {ce};")), [""; 0], "{ce}");
    }
}

#[test]
fn operands_out_of_range_or_of_the_wrong_type_are_errors_and_kept() {
    for (operation, rule) in [
        ("acn -1;", "T3"),
        ("acn 9223372036854775808;", "T3"),
        ("acs 1.5;", "T3"),
        ("acd \"5\";", "O1"),
        ("acd;", "O1"),
        ("acd 5 6;", "O1"),
        ("am \"e4\";", "T2"),
        ("c0 \"a\" \"b\";", "O1"),
        ("cc 000:00:00:00;", "O1"),
        ("cc 000:00:00:00 0:00:10;", "T7"),
        ("ce 32767;", "T3"),
        ("ce -32769;", "T3"),
        ("ce e4;", "T3"),
        ("dm 0;", "T3"),
        ("draw_accept e4;", "O1"),
        ("fmvn 0;", "T3"),
        ("hmvc 2147483648;", "T3"),
        ("id;", "O1"),
        ("pm;", "O1"),
        ("pm e4 d4;", "O1"),
        ("ptp;", "O1"),
        ("ptp Event;", "O1"),
        ("ptp \"Event\" \"x\";", "T1"),
        ("ptp Event \"x\" Event \"y\";", "X8"),
        ("rc 0;", "T3"),
        ("refcom sign_on;", "O1"),
        ("refcom \"fault\";", "O1"),
        ("refreq respond;", "O1"),
        ("resign now;", "O1"),
        ("tcri \"a\";", "O1"),
        ("ts 1995.11.26;", "O1"),
        ("ts 1995.02.29 12:00:00;", "T5"),
        ("ts 0000.01.01 12:00:00;", "T5"),
        ("ts 1995.11.26 24:00:00;", "T6"),
        ("ts 1995.11.26 1:00:00;", "T6"),
    ] {
        assert_eq!(faults(operation), [format!("{rule} error")], "{operation}");
        assert_eq!(normal(LENIENT, operation), operation);
        assert_eq!(read(STRICT, &format!("{START} {operation}")).0, None);
    }
}

#[test]
fn what_is_put_right() {
    for (found, right, told) in [
        ("acn +5;", "acn 5;", &["T3 warning"][..]),
        ("ce -0;", "ce 0;", &["T3 warning"]),
        ("id BK.01;", "id \"BK.01\";", &["T8 warning"]),
        ("id WAC 001;", "id \"WAC 001\";", &["T8 warning"]),
        ("tcri a@b.org Jane;", "tcri \"a@b.org\" \"Jane\";", &["T8 warning", "T8 warning"]),
        ("ts 1995.11.26 23:59;", "ts 1995.11.26 23:59:00;", &["A1 warning"]),
        ("draw_decline;", "draw_reject;", &["A8 warning"]),
        ("bm Nf3, e4;", "bm Nf3 e4;", &["F9 warning"]),
        ("bm Nf3,e4;", "bm Nf3 e4;", &["F9 warning"]),
        ("bm e4 Nf3;", "bm Nf3 e4;", &["F14 note"]),
        ("bm e4 e4;", "bm e4;", &["A24 warning"]),
        ("bm Ng1f3 e4+;", "bm Nf3 e4;", &["T2 warning", "T2 warning"]),
        ("id \"x\"; acd 5;", "acd 5; id \"x\";", &["F13 note"]),
        ("acd 5; acd 5;", "acd 5;", &["F12 warning"]),
        ("acd 5; acd 6;", "acd 6;", &["F12 error"]),
        ("  acd   5 ", "acd 5;", &["F9 warning", "F9 warning", "F9 warning"]),
        ("0 1", "fmvn 1; hmvc 0;", &["F8 warning", "F8 warning"]),
        ("7 0; id \"x\";", "fmvn 1; hmvc 7; id \"x\";", &["F8 warning", "F8 warning", "F9 warning"]),
        ("0 1 fmvn 9;", "fmvn 9; hmvc 0;", &["F8 warning", "F8 warning", "F12 error"]),
        ("- bm e4;", "bm e4;", &["F1 warning"]),
        ("c0 \"tab\there\";", "c0 \"tab\there\";", &["F11 error"]),
        ("c0 \"café\";", "c0 \"café\";", &["F11 warning"]),
    ] {
        assert_eq!(
            (normal(LENIENT, found).as_str(), faults(found)),
            (right, told.iter().map(ToString::to_string).collect()),
            "{found}"
        );
    }
    let long = format!("c0 \"{}\";", "x".repeat(256));
    assert_eq!((normal(LENIENT, &long), faults(&long)), (long.clone(), vec!["F11 warning".into()]));
}

#[test]
fn opcodes_together() {
    for (operations, told) in [
        ("draw_offer;", "X1 error"),
        ("draw_claim;", "A6 note"),
        ("draw_accept; draw_reject;", "X2 error"),
        ("draw_claim; draw_offer; sm e4;", "X3 error"),
        ("draw_accept; resign;", "X4 error"),
        ("draw_claim; resign; sm e4;", "X4 error"),
        ("draw_offer; resign; sm e4;", "X4 error"),
        ("draw_reject; resign;", "X4 error"),
        ("pm d4; pv e4 e5;", "X5 error"),
        ("sm d4; sv e4 e5;", "X6 error"),
        ("refcom fault; refreq fault;", "X7 error"),
        ("bm e5;", "X9 error"),
        ("pv e4 Nf3;", "X9 error"),
        ("sv e4 e5 e4;", "X9 error"),
        ("am e4; bm d4 e4;", "X10 note"),
        ("ce 32765; dm 2;", "A4 note"),
        ("ce 100; dm 2;", "X11 note"),
        ("ce -32766;", "A4 note"),
        ("hello 1;", "F15 note"),
        ("x 1;", "A18 warning"),
        ("bestMove e4;", "A18 warning"),
    ] {
        let told_all = faults(operations);
        assert_eq!(told_all.first().map(String::as_str), Some(told), "{operations}");
        assert_eq!(normal(LENIENT, operations), operations);
        assert_eq!(
            read(STRICT, &format!("{START} {operations}")).0.is_some(),
            told.ends_with("note"),
            "{operations}"
        );
    }
    for operations in ["ce 32764; dm 2;", "pm e4; pv;", "pm e4; pv e4 e5;", "Private;", "sm e4; sv;"] {
        assert_eq!(faults(operations), [""; 0], "{operations}");
    }
}

#[test]
fn moves_that_are_no_san_are_put_right_on_request() {
    for (found, right) in [
        ("bm e2e4;", "bm e4;"),
        ("bm 0-1 g1f3;", "bm 0-1 g1f3;"),
        ("pv e2e4 e7e5 g1f3;", "pv e4 e5 Nf3;"),
        ("pm e2-e4;", "pm e4;"),
        ("sm Nf3!;", "sm Nf3;"),
        ("bm #3;", "dm 3;"),
        ("bm #-2;", "ce -32763;"),
        ("bm #0;", "bm #0;"),
        ("bm #384;", "bm #384;"),
    ] {
        assert_eq!(normal(IMPORT, found), right);
        assert_eq!(normal(LENIENT, found), found);
        assert!(faults(found).iter().all(|fault| fault == "T2 error"), "{found}: {:?}", faults(found));
        assert!(!faults(found).is_empty());
    }
    assert_eq!(normal(SYNTAX, "bm e9; pv Nf6 Qxh8#;"), "bm e9; pv Nf6 Qxh8#;");
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O 0-0-0;";
    let (record, _) = read(IMPORT, castling);
    assert_eq!(record.expect("a record"), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O O-O-O;");
}

/// Pawns, castling and every piece have something to do.
const BUSY: &str = "r3k2r/pP5q/8/2pP1b2/6n1/1N3Q2/6B1/R3K2R w KQkq c6";

#[test]
fn moves_in_the_wild_become_san() {
    use PieceLetters::{
        Dutch, English, French, German, Hungarian, Italian, Polish, Portuguese, Russian, Spanish,
    };
    for (letters, found, right) in [
        (English, "Qxf5 +", "Qxf5"),
        (English, "Qxf5+!?", "Qxf5"),
        (English, "1. Qxf5", "Qxf5"),
        (English, "12.Qxf5", "Qxf5"),
        (English, "1... Qxf5", "Qxf5"),
        (English, "1.\u{2026}Qxf5", "Qxf5"),
        (English, "dxc6 e.p.", "dxc6"),
        (English, "dxc6e.p.", "dxc6"),
        (English, "dxc6ep", "dxc6"),
        (English, "d5xc6", "dxc6"),
        (English, "d5:c6", "dxc6"),
        (English, "Qf3-f4", "Qf4"),
        (English, "Qf3xf5", "Qxf5"),
        (English, "Qf3\u{d7}f5", "Qxf5"),
        (English, "Q\u{2013}f4", "Qf4"),
        (English, "f3f4", "Qf4"),
        (English, "F3F4", "Qf4"),
        (English, "\u{2655}xf5", "Qxf5"),
        (English, "\u{265b}xf5", "Qxf5"),
        (English, "\u{2659}d6", "d6"),
        (English, "Pd6", "d6"),
        (English, "0-0", "O-O"),
        (English, "0-0-0", "O-O-O"),
        (English, "o-o", "O-O"),
        (English, "O-O-O!", "O-O-O"),
        (English, "e1g1", "O-O"),
        (English, "b8Q+", "b8=Q+"),
        (English, "b8(Q)", "b8=Q+"),
        (English, "b8/Q", "b8=Q+"),
        (English, "b7-b8=Q", "b8=Q+"),
        (English, "b7b8q", "b8=Q+"),
        (English, "b7xa8N", "bxa8=N"),
        (German, "Dxf5", "Qxf5"),
        (German, "Sd4", "Nd4"),
        (German, "Tb1", "Rb1"),
        (German, "Lf1", "Bf1"),
        (German, "Kd2", "Kd2"),
        (German, "b8D", "b8=Q+"),
        (German, "b7xa8=S", "bxa8=N"),
        (German, "Qxf5", "Qxf5"),
        (French, "Ff1", "Bf1"),
        (French, "Cd4", "Nd4"),
        (French, "Rd2", "Kd2"),
        (French, "Dxf5", "Qxf5"),
        (Spanish, "Af1", "Bf1"),
        (Spanish, "Rd1", "Kd1"),
        (Italian, "Tb1", "Rb1"),
        (Portuguese, "Bf1", "Bf1"),
        (Dutch, "Pd4", "Nd4"),
        (Polish, "Hxf5", "Qxf5"),
        (Polish, "Wb1", "Rb1"),
        (Polish, "Gf1", "Bf1"),
        (Hungarian, "Bb1", "Rb1"),
        (Hungarian, "b8V", "b8=Q+"),
        (Russian, "\u{41a}\u{440}d2", "Kd2"),
        (Russian, "\u{41a}d4", "Nd4"),
        (Russian, "\u{424}:f5", "Qxf5"),
    ] {
        let reader = RecordReader { letters, ..IMPORT };
        let line = format!("{BUSY} bm {found};");
        let reading = reader.read(&line, 1);
        assert_eq!(
            reading.record.expect(found).to_string(),
            format!("{BUSY} bm {right};"),
            "{letters:?} {found}"
        );
        assert!(reading.faults.iter().all(|fault| fault.severity < Severity::Error), "{letters:?} {found}");
        let is_repaired = reading.faults.iter().any(|fault| fault.repair == Some(Repair::Moves));
        let (kept, faults) = read(LENIENT, &line);
        if faults.iter().any(|fault| fault.ends_with("error")) {
            assert_eq!(kept, Some(line.clone()), "not asked for");
            assert!(is_repaired, "{letters:?} {found}");
        } else {
            // SAN with too much or too little in it is put right by itself, if it is no other language's.
            let is_told =
                found == right || is_repaired || faults.iter().any(|fault| fault.ends_with("T2 warning"));
            assert!(is_told, "{letters:?} {found}");
        }
    }
}

#[test]
fn each_repair_says_its_kind() {
    let all = RecordReader {
        escapes: Escapes::Perhaps,
        repairs: Repair::ALL.into_iter().fold(RepairSet::NONE, RepairSet::with),
        ..IMPORT
    };
    for (operations, kind) in [
        ("c0 \"say \\\"e4\\\"\";", Repair::Escapes),
        ("bm e2e4;", Repair::Moves),
        ("bm 1. e4;", Repair::Moves),
        ("bm #3;", Repair::Mates),
        ("bm e4 id \"x\";", Repair::Semicolons),
        ("bm e4; bm d4;", Repair::Duplicates),
        ("c0 \"x;", Repair::Quotes),
        ("acd \"5\";", Repair::Numbers),
        ("acn 1,000;", Repair::Numbers),
    ] {
        let line = format!("{START} {operations}");
        let kinds: Vec<Repair> = all.read(&line, 1).faults.iter().filter_map(|fault| fault.repair).collect();
        assert_eq!(kinds, [kind], "{operations}");
        assert!(
            LENIENT.read(&line, 1).faults.iter().any(|fault| fault.severity == Severity::Error),
            "{operations}"
        );
    }
    // Registers are squares, too.
    for right in ["bm c4;", "pv e4 c5 Nf3 d6;", "am c3 c4;", "c6 \"end\\\"; fmvn 1;", "c6 \"a\\\\b\";"] {
        let line = format!("{START} {right}");
        let reading = all.read(&line, 1);
        assert!(reading.faults.iter().all(|fault| fault.severity < Severity::Warning), "{right}");
        assert_eq!(reading.record.expect("a record").to_string(), line);
    }
    // What nobody can know is not repaired.
    for doubtful in ["bm #3; dm 5;", "bm #-3; ce 5;", "dm 5; dm 3;", "dm 1.5;", "acd 2.5;", "c7 x\"y;"] {
        let reader = if doubtful.starts_with("c7") { IMPORT } else { all };
        let faults = reader.read(&format!("{START} {doubtful}"), 1).faults;
        assert!(faults.iter().any(|fault| fault.severity == Severity::Error), "{doubtful}: {faults:?}");
    }
    let by_itself = "0 1 bm Ng1f3 e4, e4;acd +5; id x; id \"x\";";
    let faults = LENIENT.read(&format!("{START} {by_itself}"), 1).faults;
    assert!(!faults.is_empty() && faults.iter().all(|fault| fault.repair.is_none()), "{faults:?}");
}

#[test]
fn moves_and_lines_are_found_in_the_position() {
    let mate = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8; pv Ra8;";
    let (record, faults) = read(LENIENT, mate);
    assert_eq!(record.expect("a record"), "6k1/5ppp/8/8/8/8/8/R3K3 w Q - bm Ra8#; pv Ra8#;");
    assert_eq!(faults, ["34 T2 warning", "42 T2 warning"]);
    let reading = LENIENT.read(mate, 1);
    let record = reading.record.expect("a record");
    let Some(Operation::Bm(moves)) = record.get("bm") else { panic!("bm") };
    let game = record.game().expect("legal");
    assert_eq!(moves[0].legal(), game.parse_move("Ra8").ok());
    assert_eq!(moves[0], EpdMove::new(game.chess().expect("chess"), moves[0].legal().expect("legal")));
}

#[test]
fn an_illegal_position_keeps_its_operations() {
    let line = "8/8/8/8/8/8/8/8 w - - bm Qh7; ce -32768;";
    assert_eq!(read(LENIENT, line), (Some(line.into()), vec!["1 V1 error".into()]));
    assert_eq!(read(SYNTAX, line), (Some(line.into()), vec![]));
}

#[test]
fn records_are_changed_and_stay_in_order() {
    let line = format!("{START} id \"x\"; fmvn 3; hmvc 2;");
    let mut record = LENIENT.read(&line, 1).record.expect("a record");
    assert_eq!(record.game().expect("legal").fen(), format!("{START} 2 3"));
    record.set(Operation::Acd(5));
    record.set(Operation::Id("y".into()));
    record.set(Operation::Comment(Register::new(0).expect("a register"), Some("say \"x\"".into())));
    assert_eq!(record.remove("hmvc"), Some(Operation::Hmvc(2)));
    assert_eq!(record.remove("hmvc"), None);
    assert_eq!(record.to_string(), format!("{START} acd 5; c0 \"say 'x'\"; fmvn 3; id \"y\";"));
}

#[test]
fn numbers_in_the_place_of_opcodes_are_no_counters() {
    // Found by the fuzzer: in canonical order they would come first, and be read as counters.
    for operations in ["refcom x; 28;", "bm e4; -;", "; 28 1;", "\"x\"; 28;"] {
        let (record, faults) = read(LENIENT, &format!("{START} {operations}"));
        assert_eq!(record, None, "{operations}");
        assert!(faults.iter().any(|fault| fault.ends_with("F10 error")), "{operations}: {faults:?}");
    }
}

#[test]
fn control_characters_are_gone_before_a_move_is_looked_for() {
    // Found by the fuzzer: the question marks that replace the control characters look like an annotation of the move.
    let line = format!("{START} bm e4\u{1}\u{7f};");
    let record = IMPORT.read(&line, 1).record.expect("a record");
    assert_eq!(record.moves("bm")[0].text(), "e4");
    assert_eq!(record.to_string(), line, "what has an error is written byte for byte");
    assert_eq!(LENIENT.read(&line, 1).record.expect("a record").moves("bm")[0].text(), "e4??");
}

#[test]
fn a_quotation_mark_behind_a_comma_begins_no_string() {
    // Found by the fuzzer.
    assert_eq!(normal(LENIENT, "pv e4,\"x\"5 e5;"), "pv e4,\"x\"5 e5;");
    assert_eq!(normal(LENIENT, "pv e4 'x'5 e5;"), "pv e4 'x'5 e5;");
}

#[test]
fn an_operation_is_written_as_it_was_read_unless_it_is_repaired() {
    for (given, written) in [
        ("Foo \"a\\b\" 1;  bm  e4 ;", "Foo \"a\\b\" 1; bm e4;"),
        ("bm e5   Ng1f3;  acd  1;", "acd 1; bm e5   Ng1f3;"),
        ("c0 \"\u{1}\"\t\"x\"; acd +1;", "acd 1; c0 \"\u{1}\"\t\"x\";"),
        ("dm 0  0; bm e4 c4;", "bm c4 e4; dm 0  0;"),
    ] {
        assert_eq!(normal(LENIENT, given), written);
    }
    let line = format!("{START} Foo\u{1}  1; acd 1; bm  e5;");
    let mut record = LENIENT.read(&line, 1).record.expect("a record");
    record.set(Operation::Acd(2));
    record.set(Operation::Acn(7));
    assert_eq!(record.to_string(), format!("{START} Foo\u{1}  1; acd 2; acn 7; bm  e5;"));
    record.remove("acd");
    record.remove("acn");
    assert_eq!(record.to_string(), format!("{START} Foo\u{1}  1; bm  e5;"));
}

#[test]
fn a_string_whose_end_is_in_doubt_is_an_error() {
    for (operations, told) in [
        (r#"Foo "a\"; b c";"#, &["F11 error"][..]),
        (r#"Foo "a\" b";"#, &["F11 error"]),
        (r#"c0 "C:\"; c1 "x";"#, &[]),
        (r#"c0 "C:\"; c1 "";"#, &[]),
        (r#"c0 "C:\";"#, &[]),
    ] {
        let errors: Vec<String> =
            faults(operations).into_iter().filter(|fault| fault.contains("error")).collect();
        assert_eq!(errors, told.iter().map(ToString::to_string).collect::<Vec<_>>(), "{operations}");
    }
}

#[test]
fn ten_megabytes_in_one_line() {
    for part in [";", "a", "a;", " ", "\"", "a 1;", "bm e4;", "\u{0}", "é"] {
        let size = if part.len() == 1 { 10 << 20 } else { 1 << 20 };
        let line = format!("{START} {}", part.repeat(size / part.len()));
        let reading = LENIENT.read(&line, 1);
        assert!(reading.record.is_some() && reading.faults.len() < 100, "{part:?}");
    }
}

/// Generates operations as in real files, and worse ones.
fn operation() -> impl Strategy<Value = String> {
    let opcodes = "[a-dA-C][a-z0-9_]{0,3}|acd|acn|am|bm|c[0-9]|cc|ce|dm|draw_[a-z]{5,6}|eco|fmvn|hmvc|id|noop|pm|ptp\
        |pv|rc|refcom|refreq|resign|sm|sv|tcgs|tcri|ts|v[0-9]";
    let operand = "P?[a-h][1-8]|[a-h][1-8][a-h][1-8]|[NBRQK][a-h]?x?[a-h][1-8][+#]?|O-O|-?[0-9]{1,12}|\"[ -~]{0,8}\"\
        |[0-9:.]{1,12}|#-?[1-9]|[!-:<-~]{1,6}|[^;]{1,4}";
    (opcodes, vec((operand, "  ?"), 0..4), "[ ,]{0,2}(; ?)?").prop_map(|(opcode, operands, end)| {
        let operands: String = operands.into_iter().map(|(operand, blank)| blank + &operand).collect();
        format!("{opcode}{operands}{end}")
    })
}

fn position() -> impl Strategy<Value = String> {
    let board = prop::sample::select(vec![
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR",
        "8/8/44/8/8/8/8/K1k5",
        "8/8/8/8/8/8/8/8",
    ]);
    (board, "[wbW]", "-|KQkq|[KQkq]{1,4}|[A-Ha-h]{1,4}", "-|[a-h][36]")
        .prop_map(|(board, turn, castling, square)| format!("{board} {turn} {castling} {square}"))
}

fn line() -> impl Strategy<Value = String> {
    (position(), "( -)?( [0-9]{1,3}){0,2}( ;)?", vec(operation(), 0..6))
        .prop_map(|(position, counters, operations)| format!("{position}{counters} {}", operations.join(" ")))
}

fn reader() -> impl Strategy<Value = RecordReader> {
    prop::sample::select(vec![LENIENT, SYNTAX, IMPORT])
}

#[test]
fn a_mate_among_commas_is_a_mate() {
    for operands in ["#1", "#1 ,", ", #1", ",#1", "#1,"] {
        let line = format!("{START} bm {operands};");
        let read = |reader: RecordReader| reader.read(&line, 1).record.expect("a record");
        assert_eq!(read(IMPORT).to_string(), format!("{START} dm 1;"));
        let kept = read(LENIENT);
        assert_eq!(kept.to_string(), line);
        assert!(matches!(kept.get("bm"), Some(Operation::Other { .. })), "{kept}");
    }
}

proptest! {
    #[test]
    fn what_was_normalized_stays_as_it_is(reader in reader(), line in line()) {
        if let Some(record) = reader.read(&line, 1).record {
            let normal = record.to_string();
            let again = reader.read(&normal, 1);
            let read_again = again.record.expect(&normal);
            prop_assert_eq!(read_again.to_string(), normal.clone());
            // Canonical form has no correctable faults left.
            let is_kept = |fault: &Fault| {
                let stays = [Rule::F6, Rule::F11, Rule::A18, Rule::F3];
                let mut faults = again.faults.iter();
                stays.contains(&fault.rule)
                    || faults.any(|other| other.opcode == fault.opcode && other.severity == Severity::Error)
            };
            let to_be_put_right = |fault: &&Fault| fault.severity == Severity::Warning && !is_kept(fault);
            prop_assert_eq!(again.faults.iter().find(to_be_put_right), None, "{}", normal);
            prop_assert_eq!(record, read_again);
        }
    }

    #[test]
    fn a_span_that_is_kept_is_in_canonical_form(reader in reader(), line in line()) {
        let reading = reader.read(&line, 1);
        if let Some(record) = reading.record.filter(|_| reading.faults.iter().all(|fault| fault.severity < Severity::Error)) {
            let mut anew = Record::new(record.position.clone());
            anew.extend(record.operations().iter().cloned());
            prop_assert_eq!(record.to_string(), anew.to_string());
        }
    }

    #[test]
    fn any_text_is_read(reader in reader(), text in any::<String>()) {
        let _ = reader.read(&text, 1);
        let _ = reader.read(&format!("{START} {text}"), 1);
    }

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..300)) {
        for line in lines(1, &bytes) {
            let _ = LENIENT.read(&line.text, line.number);
        }
    }

    #[test]
    fn what_a_strict_reader_accepts_is_written_as_it_was_but_for_the_order(line in line()) {
        if let Some(record) = STRICT.read(&line, 1).record {
            let sorted = |text: &str| {
                let mut bytes = text.as_bytes().to_vec();
                bytes.sort_unstable();
                bytes
            };
            prop_assert_eq!(sorted(&record.to_string()), sorted(&line));
        }
    }
}

/// Reads a test suite; `None` if the file does not exist.
fn suite(name: &str) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    let text = fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("skipped: {} does not exist", path.display());
    }
    text
}

/// Returns the number of violations of each rule in a suite and the number of faulty records.
fn found(reader: RecordReader, text: &str) -> (Vec<(String, usize)>, usize) {
    let mut rules: Vec<(String, usize)> = Vec::new();
    let mut faulty = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let reading = reader.read(line, number);
        assert!(reading.record.is_some(), "{line}");
        faulty += usize::from(!reading.faults.is_empty());
        for fault in reading.faults {
            let rule = format!("{} {}", fault.rule, fault.severity);
            match rules.iter_mut().find(|(known, _)| *known == rule) {
                Some((_, count)) => *count += 1,
                None => rules.push((rule, 1)),
            }
        }
    }
    (rules, faulty)
}

#[test]
fn suites_are_as_they_are_known_to_be() {
    let rule = |rule: &str, count| (rule.to_owned(), count);
    for (name, reader, rules, faulty) in [
        ("epd/wac.epd", STRICT, vec![], 0),
        ("epd/bratko-kopec.epd", STRICT, vec![], 0),
        ("epd/arasan2024.epd", LENIENT, vec![rule("F13 note", 200), rule("F11 warning", 4)], 200),
        ("epd/sts.epd", STRICT, vec![rule("F13 note", 1500)], 1500),
        ("epd/mates2000.epd", LENIENT, vec![rule("T2 error", 2000)], 2000),
        ("epd/mates2000.epd", IMPORT, vec![rule("T2 warning", 2000)], 2000),
        ("epd/tb-opcodes.epd", LENIENT, vec![rule("F15 note", 600), rule("F13 note", 200)], 200),
    ] {
        if let Some(text) = suite(name) {
            assert_eq!(found(reader, &text), (rules, faulty), "{name}");
        }
    }
}
