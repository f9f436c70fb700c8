use proptest::prelude::*;

use super::*;
use crate::cecp::Command;

#[test]
fn a_position_has_four_fields_and_may_have_fewer() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let written = dialect::write(&Command::SetBoard(start.into()));
    assert_eq!(written, "setpos rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -");
    assert_eq!(dialect::write(&Command::Draw), "draw");
    for (text, expected) in [
        ("8/8 w", "8/8 w - -"),
        ("8/8 b Kq", "8/8 b Kq -"),
        ("8/8 b e3", "8/8 b - e3"),
        ("8/8  w - - ", "8/8  w - - "),
        ("8/8", "8/8"),
    ] {
        assert_eq!(dialect::complete_fen(text), expected);
    }
}

#[test]
fn the_checksum_is_that_of_zlib() {
    let frame = LinkFrame { number: 0, received: 7, text: String::new() };
    // python3 -c 'import zlib; print("%08x" % zlib.crc32(b"0 7"))'
    assert_eq!(frame.to_string(), "f613bd2f 0 7");
    assert_eq!(LinkFrame::read("f613bd2f 0 7\r"), Some(frame));
    for line in ["", "f613bd2f", "f613bd2e 0 7", "+613bd2f 0 7", "f613bd2f 0 7 ", "é613bd2f 0 7"] {
        assert_eq!(LinkFrame::read(line), None, "{line}");
    }
}

#[test]
fn messages_are_read_as_they_are_written() {
    let text = r#"{"type":"move","game":1,"ply":3,"move":"Nf3","used":1250,"left":298750,"new":[1]}"#;
    let message: LinkMessage = serde_json::from_str(text).unwrap();
    let LinkMessage::Move(played) = &message else { panic!("{message:?}") };
    assert_eq!((played.san.as_str(), played.left, played.comment.as_str()), ("Nf3", Some(298_750), ""));
    let again: LinkMessage = serde_json::from_str(&serde_json::to_string(&message).unwrap()).unwrap();
    assert_eq!(again, message);
    let later: LinkMessage = serde_json::from_str(r#"{"type":"fanfare","notes":3}"#).unwrap();
    assert_eq!(later, LinkMessage::Unknown);
    assert!(serde_json::from_str::<LinkMessage>(r#"{"type":"move"}"#).is_err());
}

proptest! {
    #[test]
    fn frames_are_read_as_they_are_written(number: u64, received: u64, text in "[^\r\n\u{0}]{0,80}") {
        let frame = LinkFrame { number, received, text };
        prop_assert_eq!(LinkFrame::read(&frame.to_string()), Some(frame));
    }

    #[test]
    fn one_changed_byte_is_noticed(text in "[ -~]{0,60}", at: prop::sample::Index, by in 1u8..128) {
        let written = LinkFrame { number: 12, received: 9, text }.to_string();
        let mut bytes = written.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = (bytes[at] ^ by) & 127;
        let changed = String::from_utf8(bytes).unwrap();
        // Capital letters of the checksum are the same number.
        prop_assume!(!changed.eq_ignore_ascii_case(&written));
        prop_assert_eq!(LinkFrame::read(&changed), None);
    }

    #[test]
    fn any_line_can_be_read(line in "\\PC{0,60}") {
        let _ = LinkFrame::read(&line);
        let _ = dialect::complete_fen(&line);
        let _ = serde_json::from_str::<LinkMessage>(&line);
    }
}
