use game::epd::Escapes;
use messages::epd::RecordReader;
use proptest::prelude::*;

use super::splice::{Changes, spliced};
use super::*;
use crate::expressions::{Assignment, Filter};
use crate::tests::{Told, process};
use crate::{Normalize, NormalizeOutput, Verb};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn set(assignments: &str, input: &str) -> Told {
    let assignments = Assignment::parse_all(assignments).unwrap_or_else(|error| panic!("{error}"));
    process(&Verb::quick(SetOperations { assignments, reader: RecordReader::default() }), 1, input)
}

#[test]
fn records_are_selected_byte_for_byte() {
    let input = format!("# suite\n{START}  acd 5 ;\r\n\n8 w\n{START} acd 25;id x\n{START} acd 30");
    let select = |condition: &str| {
        let filter = Some(Filter::parse(condition).expect("a condition"));
        process(&Verb::quick(Select::new(filter, RecordReader::default())), 1, &input)
    };
    let (output, messages, counts) = select("acd > 20");
    assert_eq!(output, format!("{START} acd 25;id x\n{START} acd 30"));
    assert!(messages.starts_with("a.epd:4:") && (counts.records, counts.found, counts.failed) == (4, 2, 1));
    assert_eq!(select("acd = 5").0, format!("{START}  acd 5 ;\r\n"));
    assert_eq!(select("line = 6 and file ~ 'a'").0, format!("{START} acd 30"));
}

#[test]
fn other_verbs_leave_the_rest_alone() {
    let filter = || Filter::parse("has id").expect("a condition");
    let normalize = Normalize {
        reader: RecordReader::default(),
        escapes: Escapes::None,
        output: NormalizeOutput::Records,
    };
    let verb = Verb::quick(normalize);
    let input = format!("#\n{START}  ce 1 ;\n{START}  id x ;\n8\n");
    let kept = verb.clone().only(filter(), RecordReader::default(), Unmatched::Kept);
    let (output, messages, _) = process(&kept, 1, &input);
    assert_eq!(output, format!("#\n{START}  ce 1 ;\n{START} id \"x\";\n8\n"));
    assert!(messages.contains("a.epd:4:"), "{messages}");
    let left_out = verb.only(filter(), RecordReader::default(), Unmatched::LeftOut);
    assert_eq!(process(&left_out, 1, &input).0, format!("#\n{START} id \"x\";\n8\n"));
}

#[test]
fn a_file_can_be_read_without_other_records() {
    let input = format!("# x\r\n{START} acd 5;\n8 w\n{START} acd 25;");
    let filter = Filter::parse("acd > 20").expect("a condition");
    let mut selected = SelectedRecords::new(input.as_bytes(), "a.epd", filter, RecordReader::default());
    let mut read = String::new();
    std::io::Read::read_to_string(&mut selected, &mut read).expect("nothing fails");
    assert_eq!(read, format!("# x\r\n8 w\n{START} acd 25;"));
}

#[test]
fn operations_are_set_where_they_belong() {
    let input = format!("{START}  bm e4 ;acd 20;  id \"x\"; ; zz  1\n");
    let (output, messages, counts) = set("v0 = acd * 2; c0 = \"{id}: {bm}\"; acd = acd + 1", &input);
    let expected = format!("{START}  bm e4 ;acd 21; c0 \"x: e4\";  id \"x\"; v0 \"40\"; ; zz  1\n");
    assert_eq!((output, messages), (expected, String::new()));
    assert_eq!((counts.found, counts.missed, counts.failed), (1, 0, 0));
    assert_eq!(set("id = rc", &input).0, input);
    assert_eq!(
        set("bm = e2e4; resign = acd > 5", &format!("{START} acd 9")).0,
        format!("{START} acd 9; bm e4; resign;")
    );
    assert_eq!(
        set("resign = acd > 50", &format!("{START} acd 9; resign;\r\n")).0,
        format!("{START} acd 9;\r\n")
    );
    assert_eq!(set("Own = 'a\"b'; Num = 2.5", START).0, format!("{START} Num 2.5; Own \"a'b\";"));
    let with_counters = format!("{START} 3 0 acn  07;am e4 e4; id x");
    let changed = format!("{START} acn  07;am e4 e4; fmvn 1; hmvc 9; id x");
    assert_eq!(set("hmvc = 9", &with_counters).0, changed);
    assert_eq!(set("resign = 1 = 2", &format!("{START} resign;bm e4;")).0, format!("{START} bm e4;"));
    assert_eq!(set("resign = 1 = 2", &format!("{START} resign;;bm e4;")).0, format!("{START} ;bm e4;"));
    assert_eq!(set("theme = 'fork'", START).0, format!("{START} theme \"fork\";"));
    assert_eq!(set("id = 'y'", &format!("{START} 3 4 id x")).0, format!("{START} 3 4 id \"y\";"));
}

#[test]
fn values_that_are_no_operands_leave_the_record_alone() {
    let record = format!("{START} acd 5; id \"x\";\n");
    for (assignment, reason) in [
        ("dm = acd / 2", "a.epd:1: error: `dm` can't be `2.5`: "),
        ("bm = e5", "a.epd:1: error: `bm` can't be `e5`: illegal move"),
        ("ce = acd * 100000", "a.epd:1: error: `ce` can't be `500000`: "),
        ("ts = 'now'", "a.epd:1: error: `ts` can't be `now`: "),
        ("pv = 'e4; id y'", "a.epd:1: error: `pv` can't be `e4; id y`: a semicolon"),
    ] {
        let (output, messages, counts) = set(assignment, &record);
        assert_eq!((output.as_str(), counts.failed), (record.as_str(), 1), "{assignment}");
        assert!(messages.starts_with(reason), "{messages}");
    }
    let long = format!("c0 = '{}'", "x".repeat(256));
    assert!(set(&long, &record).1.contains("at most 255"), "{}", set(&long, &record).1);
    let unclosed = format!("{START} id \"x\n");
    assert_eq!(set("c0 = 'y'", &unclosed).0, unclosed);
}

#[test]
fn selected_records_keep_odd_line_ends() {
    let select =
        || Select::new(Some(Filter::parse("acd < 9").expect("a condition")), RecordReader::default());
    for end in ["\n\0", "\n\r", "\n\0\0", "\n"] {
        let file = |acds: &[u32]| -> String {
            acds.iter()
                .flat_map(|acd| [START, " acd ", &acd.to_string(), ";", end].map(str::to_owned))
                .collect()
        };
        let many = [3, 10, 2].repeat(2000);
        let verb = Verb::quick(select()).with_whole_ends();
        assert_eq!(process(&verb, 1, &file(&many)).0, file(&[3, 2].repeat(2000)), "{end:?}");
        let verb = verb.with_line_ends(crate::LineEnds::CrLf);
        assert_eq!(process(&verb, 1, &file(&[3, 10])).0, format!("{START} acd 3;\r\n"), "{end:?}");
    }
}

#[test]
fn values_with_control_characters_and_long_lines_fail() {
    let record = format!("{START} acd 5;\n");
    for assignment in ["c0 = \"a\nb\"", "id = \"a\u{1b}b\"", "Own = 'a\tb'"] {
        let (output, messages, counts) = set(assignment, &record);
        assert_eq!((output.as_str(), counts.failed), (record.as_str(), 1), "{assignment}");
        assert!(messages.contains("another control character"), "{messages}");
    }
    let long = format!("{START} c0 \"{}\";\n{record}", "x".repeat(17 << 20));
    let (output, _, counts) = set("acd = 6", &long);
    assert!(output.starts_with(long.strip_suffix(&*record).expect("two lines")), "it is copied whole");
    assert_eq!((counts.failed, counts.found), (1, 1));
}

proptest! {
    #[test]
    fn what_is_not_set_stays(
        operations in "( {1,2}(id \"[a-z; ]{0,5}\"|ce -?[0-9]|[a-z]{2} x{1,3}|bm e4 d4) ?;){0,5} ?"
    ) {
        let text = format!("{START}{operations}");
        let changes = Changes::from([("mm".to_owned(), Some("mm 5;".to_owned())), ("ce".to_owned(), None)]);
        let changed = spliced(&text, Escapes::None, &changes).expect("four fields");
        prop_assert_eq!(changed.matches(" mm 5;").count(), 1);
        let back = Changes::from([("mm".to_owned(), None)]);
        let less = |text: &str| spliced(text, Escapes::None, &Changes::from([("ce".to_owned(), None), ("mm".to_owned(), None)]));
        prop_assert_eq!(spliced(&changed, Escapes::None, &back), less(&text));
        prop_assert_eq!(spliced(&text, Escapes::None, &Changes::new()), Some(text));
    }
}
