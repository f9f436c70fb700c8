use messages::epd::RecordReader;
use proptest::prelude::*;

use super::*;

const RECORD: &str = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - \
    D1 20; acd 21; acn 1000000; acs 3; bm Qxf7#; c0 \"a \"; c1 \"+12\"; ce 32766; dm 1; eco \"C20\"; hmvc 4; \
    id \"WAC.007\"; pv Qxf7#; sm Qxf7#; draw_offer;";

fn with_record<T>(line: &str, reader: RecordReader, read: impl FnOnce(&Subject<'_>) -> T) -> T {
    let reading = reader.read(line, 7);
    let record = reading.record.expect("a record");
    read(&Subject::new(&record, &reading.faults, "suite.epd", 7))
}

fn holds(text: &str) -> bool {
    holds_for(text, RECORD)
}

fn holds_for(text: &str, line: &str) -> bool {
    let filter = Filter::parse(text).unwrap_or_else(|error| panic!("{error}"));
    with_record(line, filter.reader(RecordReader::default()), |subject| filter.holds(subject))
}

fn value(text: &str) -> Option<String> {
    let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let reader = formula.reader(RecordReader::default());
    with_record(RECORD, reader, |subject| formula.value(subject).map(|value| value.text().into_owned()))
}

#[test]
fn conditions_that_hold() {
    for text in [
        "acd>20 and ce<32767",
        "acd > 20 && ce > 300 || dm = 2",
        "not (acd < 20 or has rc)",
        "not acd < 20 and has dm",
        "NOT acd < 20 AND has(dm)",
        "bm = Qxf7",
        "bm=h5f7",
        "bm = Qxf7# and bm = 'Qxf7+'",
        "(bm = Qf7) and acd=21",
        "bm != Qh3",
        "bm = sm and bm = first(pv) and count(bm) = 1",
        "id ~ \"^WAC\\.\\d{3}$\" and id !~ 'ECM'",
        "id = WAC.007 and id = 'WAC.007' and id != WAC",
        "eco = C20 and eco < C21",
        "c1 = 12 and c1 > 11.5 and c1 = '+12' and c0 = 'a '",
        "c0 != 5 and not c0 < 5",
        "D1 >= 20 and op(D1) = 20",
        "turn = w and turn = white and turn != b",
        "castling = KQkq and men ~ '^KQRRBBNN' and board ~ 'Q'",
        "pieces = 32 and pawns = 16 and queens = 2 and material = 0 and legal > 40",
        "not check and not checkmate and not stalemate",
        "line = 7 and file = suite.epd and errors = 0 and warnings >= 0",
        "draw_offer and not resign",
        "acn / acs > 333333 and -acd < -20",
    ] {
        assert!(holds(text), "{text}");
    }
}

#[test]
fn what_is_missing_fits_no_comparison() {
    for text in ["rc = 1", "rc != 1", "nic ~ ''", "am = Qh5", "Xyz = 1", "rc + 1 > 0", "1 / (acd - 21) > 0"] {
        assert!(!holds(text), "{text}");
    }
    assert!(holds("default(rc, 1) = 1"));
}

#[test]
fn moves_that_are_faulty_or_without_a_position() {
    let line = "8/8/8/8/8/8/8/8 w - - bm Qh5+ xx; ce -5;";
    assert!(holds_for("bm = Qh5 and bm = xx and ce = -5 and ce < -4", line));
    assert!(!holds_for("legal > 0", line) && holds_for("errors > 1", line));
}

#[test]
fn values() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4 / 8", Some("6.5")),
        ("-(2 - 5) % 2", Some("1")),
        ("2 - 1 - 1", Some("0")),
        ("acd * 2", Some("42")),
        ("acn / acs", Some("333333.333333")),
        ("1e3 + c1", Some("1012")),
        ("'{id}: {acd + 1} {{plies}}'", Some("WAC.007: 22 {plies}")),
        ("'{rc}'", None),
        ("match(id, '\\d+')", Some("007")),
        ("match(id, '([A-Z]+)\\.')", Some("WAC")),
        ("match(id, 'x')", None),
        ("number(match(id, '\\d+'))", Some("7")),
        ("lower(id)", Some("wac.007")),
        ("if(dm <= 3, 'short', 'long')", Some("short")),
        ("max(acd, 5, 30)", Some("30")),
        ("min(acd, c0)", None),
        ("abs(-3) + round(2.5)", Some("6")),
        ("bm", Some("Qxf7#")),
        ("last(pv)", Some("Qxf7#")),
        ("men", Some("KQRRBBNNPPPPPPPPvKQRRBBNNPPPPPPPP")),
        ("position", Some("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq -")),
    ] {
        assert_eq!(value(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn an_error_says_where_it_is() {
    let error = |text: &str| {
        let error = Filter::parse(text).expect_err(text);
        format!("{}: {}", error.column, error.message)
    };
    for (text, expected) in [
        ("", "1: expected a value or a condition; the expression ends here"),
        ("acd", "1: expected a condition; compare `acd` with something, or write `has acd`"),
        ("acd > 20 and", "13: expected a value or a condition; the expression ends here"),
        ("acd > 20 ce", "10: expected an operator, such as `and`, or the end"),
        ("adc > 20", "1: `adc` is not known; is it `acd`?"),
        (
            "theme = x",
            "1: `theme` is not known; an opcode that is not of the standard is written `op(theme)`",
        ),
        ("acd > '20'", "7: a number is compared with a text"),
        ("not acd", "5: expected a condition; compare `acd` with something, or write `has acd`"),
        ("(acd > 20", "1: `(` without `)`"),
        ("acd > 20)", "9: `)` without `(`"),
        ("10 < acd < 20", "10: a comparison has two sides; join comparisons with `and`"),
        ("bm < Qh5", "4: moves have no order; compare them with `=` or `!=`"),
        ("bm = count(bm)", "6: moves are compared with a number; `count` gives their number"),
        ("id ~ 'a('", "6: not a regular expression: unclosed group"),
        ("id ~ WAC", "6: expected a regular expression in quotation marks"),
        ("id = 'x", "6: a text without its end"),
        ("acd > 20x", "7: `20x` is no number; write a text in quotation marks"),
        ("id = 'a{adc}'", "9: `adc` is not known; is it `acd`?"),
        ("id = 'a{acd'", "8: a brace without its partner; `{{` and `}}` stand for braces in a text"),
        (
            "foo(1) = 1",
            "1: `foo` is not a function; there are abs, count, default, first, last, lower, max, min, number, round, if, match, op",
        ),
        ("abs(1, 2) = 1", "1: `abs` takes 1 argument"),
        ("count(acd) = 1", "7: `count` takes moves"),
        ("turn = x", "8: expected `w` or `b`"),
        ("é = 1", "1: `é` has no meaning here"),
        ("id + 1 = 2", "1: expected a number, not a text"),
        (
            "(check) + 1 = 2",
            "1: expected a value, not a condition; `if(condition, 1, 0)` makes a value of one",
        ),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
    let shown = Filter::parse("acd > 2 &").expect_err("no condition").to_string();
    assert_eq!(shown, "`&` has no meaning here (column 9, at `&`)");
    assert!(Filter::parse(&"(".repeat(5000)).is_err() && Filter::parse(&"not ".repeat(2000)).is_err());
    assert!(Filter::parse(&"acd = 1 or ".repeat(2000)).is_err());
}

#[test]
fn assignments() {
    let of = |text: &str| {
        let assignments = Assignment::parse_all(text).unwrap_or_else(|error| panic!("{error}"));
        let [assignment] = &assignments[..] else { panic!("{text}") };
        let reader = assignment.reader(RecordReader::default());
        let value = with_record(RECORD, reader, |subject| match assignment.value(subject) {
            AssignedValue::Value(value) => value.text().into_owned(),
            other => format!("{other:?}"),
        });
        format!("{} {value}", assignment.opcode)
    };
    assert_eq!(of("v0=acd*2"), "v0 42");
    assert_eq!(of("c0=\"{id}\""), "c0 WAC.007");
    assert_eq!(of("bm = Qh3"), "bm Qh3");
    assert_eq!(of("eco=B33"), "eco B33");
    assert_eq!(of("acd = rc"), "acd Missing");
    assert_eq!(of("resign = ce < 0"), "resign Removed");
    assert_eq!(of("resign = has dm"), "resign Flag");
    for wrong in ["acd = 'x'", "acd", "5 = 3", "bm = 5 5", "resign = 5", "c0 = check", "acd = 1 acn = 2"] {
        assert!(Assignment::parse_all(wrong).is_err(), "{wrong}");
    }
    assert_eq!(Assignment::parse_all("acd=1; id=x y;").map(|all| all.len()).unwrap_or_default(), 0);
    assert_eq!(Assignment::parse_all("acd=1; id=x;c0 = 'a;b';").map(|all| all.len()).unwrap_or_default(), 3);
    let key = OrderKey::parse("ce + 1 desc").expect("a key");
    assert!(key.is_descending && !OrderKey::parse("id asc").expect("a key").is_descending);
    assert!(OrderKey::parse("id up").is_err());
}

#[test]
fn values_have_an_order() {
    let text = |text: &'static str| ExpressionValue::Text(text.into());
    let mut values = [text("b"), text("10"), ExpressionValue::Number(9.5), text("a"), text("-3")];
    values.sort_by(in_order);
    assert_eq!(values.iter().map(ExpressionValue::text).collect::<Vec<_>>(), ["-3", "9.5", "10", "a", "b"]);
}

proptest! {
    #[test]
    fn any_text_is_an_expression_or_an_error(
        text in "([a-z0-9 ()=<>~'\"{}!+*/,.-]|acd|bm|id|not|has|match|if|and |or ){0,40}|.{0,40}"
    ) {
        if let Ok(filter) = Filter::parse(&text) {
            holds_for(&text, RECORD);
            drop(filter);
        }
        if let Err(error) = Formula::parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
        let _ = (Assignment::parse_all(&text), OrderKey::parse(&text));
    }
}
