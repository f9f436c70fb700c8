use std::io::Cursor;
use std::sync::Arc;

use messages::epd::RecordReader;

use super::*;
use crate::expressions::{Filter, Formula, OrderKey};
use crate::{Counts, LineEnds};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const ENDING: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

/// Output, messages and counters of a verb on files `a`, `b` and so on.
fn pass(verb: &mut impl RecordVerb, filter: Option<&str>, files: &[&str]) -> (String, String, Counts) {
    let filter = filter.map(|text| Filter::parse(text).expect("a condition"));
    let pass = RecordPass { filter, line_ends: LineEnds::Keep, interrupt: Arc::default() };
    let (mut output, mut messages, mut counts) = (Vec::new(), Vec::new(), Counts::default());
    let mut take = |result: crate::JobResult| {
        output.extend(result.output);
        messages.extend(result.messages);
        counts += result.counts;
        Ok(())
    };
    for (text, name) in files.iter().zip(["a", "b", "c"]) {
        pass.feed(verb, name, Cursor::new(text.as_bytes()), &mut take).expect("nothing fails");
    }
    pass.finish(verb, &mut take).expect("nothing fails");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output), text(messages), counts)
}

/// Records with these operations.
fn records(operations: &[impl AsRef<str>]) -> String {
    operations.iter().flat_map(|operations| [START, " ", operations.as_ref(), "\n"]).collect()
}

#[test]
fn records_are_sorted() {
    let sort = |keys: &[&str], filter, text: &str| {
        let keys = keys.iter().map(|key| OrderKey::parse(key).expect("a key")).collect();
        pass(&mut SortRecords::new(keys, RecordReader::default()), filter, &[text])
    };
    let text = records(&["acd 5; id \"b\";", "id \"x\";", "acd 12; id \"c\";", "acd 5; id \"a\";"]);
    let (sorted, _, counts) = sort(&["acd"], None, &text);
    assert_eq!(sorted, records(&["acd 5; id \"b\";", "acd 5; id \"a\";", "acd 12; id \"c\";", "id \"x\";"]));
    assert_eq!((counts.records, counts.found), (4, 4));
    let both = records(&["acd 12; id \"c\";", "acd 5; id \"a\";", "acd 5; id \"b\";", "id \"x\";"]);
    assert_eq!(sort(&["acd desc", "id"], None, &text).0, both);
    let mixed = format!("# b\n{START} acd 9;\r\n8 w\n{START} acd 3;");
    let (sorted, messages, counts) = sort(&["acd"], Some("acd < 9"), &mixed);
    assert_eq!(sorted, format!("# b\n{START} acd 9;\r\n8 w\n{START} acd 3;\n"));
    assert!(messages.starts_with("a:3:") && (counts.failed, counts.skipped) == (1, 1));
}

#[test]
fn a_sample_has_each_record_with_the_same_chance() {
    let text = records(&(0..20).map(|number| format!("hmvc {number};")).collect::<Vec<_>>());
    let draw = |seed| pass(&mut SampleRecords::new(5, seed, RecordReader::default()), None, &[&text]).0;
    assert_eq!(draw(1), draw(1));
    let mut drawn = [0; 20];
    for seed in 0..2000 {
        let sample = draw(seed);
        let numbers: Vec<usize> = sample
            .lines()
            .filter_map(|line| line.rsplit_once(' ')?.1.trim_end_matches(';').parse().ok())
            .collect();
        assert!(numbers.len() == 5 && numbers.is_sorted(), "{numbers:?}");
        for number in numbers {
            drawn[number] += 1;
        }
    }
    // 500 are expected; the standard deviation is 19.4.
    assert!(drawn.iter().all(|count| (400..600).contains(count)), "{drawn:?}");
    assert_eq!(pass(&mut SampleRecords::new(50, 1, RecordReader::default()), None, &[&text]).0, text);
}

#[test]
fn the_first_record_of_a_position_is_kept() {
    let unique = |counters, files: &[&str]| {
        pass(&mut UniquePositions::new(counters, RecordReader::default()), None, files)
    };
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq";
    let text = format!("# x\n{START} 0 1\n{START} fmvn 2; hmvc 0;\n{after} e3\n{after} -\n{ENDING}\n");
    let (kept, _, counts) = unique(false, &[&text, &format!("{ENDING}\n{ENDING} id \"y\";\n")]);
    assert_eq!(kept, format!("# x\n{START} 0 1\n{after} e3\n{ENDING}\n"));
    assert_eq!((counts.records, counts.found, counts.missed), (7, 3, 2));
    let (kept, _, _) = unique(true, &[&text]);
    assert_eq!(kept, format!("# x\n{START} 0 1\n{START} fmvn 2; hmvc 0;\n{after} e3\n{ENDING}\n"));
}

#[test]
fn records_of_a_position_are_merged() {
    let one = format!("{START} acd 5; bm e4; ; zz 1\n#\n{ENDING} 3 4\n8\n{START} id \"second\";\n");
    let other = format!("{START} bm d4; id \"x\";\n{ENDING} hmvc 5; sm e4;\n8/8 w\n{ENDING} ce 1;");
    let join =
        |precedence| pass(&mut JoinFiles::new(precedence, RecordReader::default()), None, &[&one, &other]);
    let (joined, messages, counts) = join(Precedence::First);
    let expected = format!(
        "#\n8\n8/8 w\n{START} acd 5; bm e4; id \"x\"; ; zz 1\n{ENDING} 3 4 sm e4;\n{START} id \"second\";\n{ENDING} ce 1;\n"
    );
    assert_eq!(joined, expected);
    assert!(messages.contains("b:1: note: `bm d4;` gives way to `bm e4;` of a:1\n"), "{messages}");
    assert!(messages.contains("b:2: note: `hmvc 5;` gives way to `hmvc 3;` of a:3\n"), "{messages}");
    assert_eq!((counts.found, counts.missed, counts.failed), (2, 2, 2));
    let (joined, messages, _) = join(Precedence::Last);
    assert!(
        joined.contains("acd 5; bm d4; id \"x\";") && joined.contains("fmvn 4; hmvc 5; sm e4;"),
        "{joined}"
    );
    assert!(messages.contains("a:1: note: `bm e4;` gives way to `bm d4;` of b:1\n"), "{messages}");
}

#[test]
fn an_analysis_is_merged_whole() {
    let join = |precedence, one: &str, other: &str| {
        let verb = &mut JoinFiles::new(precedence, RecordReader::default());
        let (joined, messages, counts) = pass(verb, None, &[&records(&[one]), &records(&[other])]);
        (joined.trim_end().trim_start_matches(START).to_owned(), messages, counts.missed)
    };
    let theirs = "Analyzer \"x\"; Dm \"at most\"; dm 4; pv e4;";
    let (joined, messages, missed) = join(Precedence::First, "dm 5;", theirs);
    assert_eq!((joined.as_str(), missed), (" dm 5;", 4));
    assert_eq!(messages, "b:1: note: its analysis (Analyzer, Dm, dm, pv) gives way to that of a:1\n");
    assert_eq!(join(Precedence::First, "dm 4;", theirs).0, format!(" {theirs}"));
    assert_eq!(join(Precedence::Last, "ce 5;", "pm e4;").0, " pm e4;");
}

#[test]
fn two_files_are_compared() {
    let one = format!("{START} acd 5;bm  e4; id \"x\";\n{ENDING} ce 1; acn 7;\n{START} ce 0;\n");
    let other =
        format!("{ENDING} acn 8; ce 1;\n{START} acd 6; bm e4; id \"x\";\n8/8 w\n{ENDING} id \"new\";\n");
    let diff = |ignored: &[&str], files: &[&str]| {
        let ignored = ignored.iter().map(ToString::to_string).collect();
        pass(&mut DiffFiles::new(ignored, RecordReader::default()), None, files)
    };
    let (told, _, counts) = diff(&["acn"], &[&one, &other]);
    assert_eq!(
        told,
        format!("= {START} id \"x\";\n  - acd 5;\n  + acd 6;\n+ {ENDING} id \"new\";\n- {START} ce 0;\n")
    );
    assert_eq!((counts.found, counts.missed, counts.undecided, counts.failed), (1, 1, 2, 1));
    assert!(diff(&[], &[&one, &other]).0.contains("  - acn 7;\n  + acn 8;\n"));
    assert_eq!(diff(&[], &[&one, &one]).0, "");
    let [here, there] = [["ce 1;", "ce 2;", "ce 3;"], ["ce 3;", "ce 4;", "ce 1;"]].map(|all| records(&all));
    assert_eq!(diff(&[], &[&here, &there]).0, format!("= {START}\n  - ce 2;\n  + ce 4;\n"));
}

#[test]
fn records_are_split_into_new_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let pattern = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    let text = records(&["id \"a/b\";", "id \"c\";", "ce 1;", "id \"c\"; dm 1;"]);
    let by = || SplitInto::Value(Formula::parse("id").expect("a value"));
    let mut split = SplitFiles::new(by(), &pattern("x-{}.epd"), RecordReader::default());
    let (_, _, counts) = pass(&mut split, None, &[&text]);
    assert_eq!((split.files(), counts.found), (Some(3), 4));
    assert_eq!(read("x-c.epd"), records(&["id \"c\";", "id \"c\"; dm 1;"]));
    assert_eq!((read("x-a_b.epd"), read("x-none.epd")), (records(&["id \"a/b\";"]), records(&["ce 1;"])));
    let mut split = SplitFiles::new(SplitInto::Records(3), &pattern("{}.epd"), RecordReader::default());
    pass(&mut split, None, &[&text]);
    assert_eq!((read("001.epd").lines().count(), read("002.epd").lines().count()), (3, 1));
    let many = records(&(0..200).chain(0..200).map(|id| format!("id \"{id}\";")).collect::<Vec<_>>());
    let mut split = SplitFiles::new(by(), &pattern("many-{}.epd"), RecordReader::default());
    pass(&mut split, None, &[&many]);
    assert!((0..200).all(|id| read(&format!("many-{id}.epd")).lines().count() == 2));
    // What exists is not overwritten.
    let again = RecordPass { filter: None, line_ends: LineEnds::Keep, interrupt: Arc::default() };
    let mut split = SplitFiles::new(by(), &pattern("x-{}.epd"), RecordReader::default());
    let refused = again.feed(&mut split, "a", Cursor::new(text.as_bytes()), |_| Ok(()));
    assert!(refused.expect_err("it exists").to_string().contains("x-a_b.epd"));
}

#[test]
fn values_with_one_file_name_get_files_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let pattern = folder.path().join("{}.epd").to_str().expect("UTF-8").to_owned();
    let ids = ["a/b", "a_b", "a b", "a/b", "a_b-2", "none"];
    let lines: Vec<String> = ids.iter().map(|id| format!("id \"{id}\";")).chain(["ce 1;".into()]).collect();
    let by = SplitInto::Value(Formula::parse("id").expect("a value"));
    let mut split = SplitFiles::new(by, &pattern, RecordReader::default());
    pass(&mut split, None, &[&records(&lines)]);
    assert_eq!(split.files(), Some(6));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    for (name, lines) in [
        ("a_b.epd", &[&*lines[0], &lines[3]][..]),
        ("a_b-2.epd", &[&lines[1]]),
        ("a_b-3.epd", &[&lines[2]]),
        ("a_b-2-2.epd", &[&lines[4]]),
        ("none.epd", &[&lines[5]]),
        ("none-2.epd", &[&lines[6]]),
    ] {
        assert_eq!(read(name), records(lines), "{name}");
    }
}

#[test]
fn each_line_keeps_its_own_end() {
    let order = || vec![OrderKey::parse("acd").expect("a key")];
    let sort = |files: &[&str]| pass(&mut SortRecords::new(order(), RecordReader::default()), None, files).0;
    for end in ["\n", "\r\n", "\r", "\0\n", "\n\0", "\n\0\0", "\n\r"] {
        let file = |acds: &[u32]| -> String {
            acds.iter()
                .flat_map(|acd| [START, " acd ", &acd.to_string(), ";", end].map(str::to_owned))
                .collect()
        };
        assert_eq!(sort(&[&file(&[3, 1, 2])]), file(&[1, 2, 3]), "{end:?}");
        // More than a block.
        let many: Vec<u32> = (0..3000).rev().collect();
        let sorted: Vec<u32> = (0..3000).collect();
        assert_eq!(sort(&[&file(&many)]), file(&sorted), "{end:?}");
        // A last line without an end gets the usual one.
        let text = file(&[3, 1]);
        assert_eq!(sort(&[text.strip_suffix(end).expect("an end")]), file(&[1, 3]), "{end:?}");
        let sample = pass(&mut SampleRecords::new(9, 1, RecordReader::default()), None, &[&text]).0;
        assert_eq!(sample, text);
        let text = format!("#{end}{end}{}", file(&[1]));
        let unique = pass(&mut UniquePositions::new(false, RecordReader::default()), None, &[&text, &text]).0;
        assert_eq!(unique, format!("{text}#{end}{end}"), "{end:?}");
    }
    let blank = format!("{START} acd 2;\n\0\n\0{START} acd 1;\n\0");
    assert_eq!(sort(&[&blank]), format!("\n\0{START} acd 1;\n\0{START} acd 2;\n\0"));
    let faulty = format!("{START} acd 2;\n\08/8\n\0");
    let (_, told, _) = pass(&mut SortRecords::new(order(), RecordReader::default()), None, &[&faulty]);
    assert!(told.starts_with("a:3:"), "lines are counted one by one: {told}");
}

#[test]
fn a_line_that_is_too_long_to_move_is_refused() {
    let text = format!("{START} acd 2;\n#{}\n{START} acd 1;\n", "x".repeat(17 << 20));
    assert_eq!(first_too_long(text.as_bytes()).expect("readable"), Some(2));
    let order = vec![OrderKey::parse("acd").expect("a key")];
    let mut sort = SortRecords::new(order, RecordReader::default());
    let pass = RecordPass { filter: None, line_ends: LineEnds::Keep, interrupt: Arc::default() };
    let refused = pass.feed(&mut sort, "a", Cursor::new(text.as_bytes()), |_| Ok(()));
    let refused = refused.expect_err("too long").to_string();
    assert_eq!(refused, "line 2 is longer than 16 MiB, too long to be moved or left out");
}
