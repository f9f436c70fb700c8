//! What the comments and names in the records of a game add up to (EPD specification, 6.5, 6.13, 6.17, 6.32).

use super::operation::{Operation, Text};
use super::record::Record;
use super::values::Register;

/// Ten comments and ten variation names, each cleared by those of lower rank, and the opening by two systems.
///
/// A new game begins with empty registers: [`Registers::default`]. Then each record is [applied](Registers::apply).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    comments: Ranked,
    variations: Ranked,
    eco: Option<Box<str>>,
    nic: Option<Box<str>>,
}

/// Ten texts, each of which is about a part of what the one before is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ranked([Option<Box<str>>; 10]);

impl Ranked {
    /// All from this one on are cleared; then it is set, if there is a text.
    fn set(&mut self, register: Register, text: Option<&Text<'_>>) {
        self.0[register.number()..].fill(None);
        self.0[register.number()] = owned(text);
    }
}

fn owned(text: Option<&Text<'_>>) -> Option<Box<str>> {
    text.map(|text| text.as_ref().into())
}

impl Registers {
    /// Does what the operations of the next position say. They take effect in ASCII order, in which a record has them,
    /// in whichever order they were written: that must not change the meaning (5.1).
    pub fn apply(&mut self, record: &Record<'_>) {
        for operation in record.operations() {
            match operation {
                Operation::Comment(register, text) => self.comments.set(*register, text.as_ref()),
                Operation::Variation(register, text) => self.variations.set(*register, text.as_ref()),
                Operation::Eco(text) => self.eco = owned(text.as_ref()),
                Operation::Nic(text) => self.nic = owned(text.as_ref()),
                _ => {}
            }
        }
    }

    /// A comment that holds in the present position.
    pub fn comment(&self, register: Register) -> Option<&str> {
        self.comments.0[register.number()].as_deref()
    }

    /// The name of a variation that holds in the present position.
    pub fn variation(&self, register: Register) -> Option<&str> {
        self.variations.0[register.number()].as_deref()
    }

    /// The opening in the Encyclopedia of Chess Openings.
    pub fn eco(&self) -> Option<&str> {
        self.eco.as_deref()
    }

    /// The opening as New In Chess numbers them.
    pub fn nic(&self) -> Option<&str> {
        self.nic.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epd::RecordReader;

    fn after(records: &[&str]) -> Registers {
        let mut registers = Registers::default();
        for operations in records {
            let line = format!("8/8/8/8/8/8/8/8 w - - {operations}");
            let reading = RecordReader::default().read(&line, 1);
            registers.apply(&reading.record.expect("a record"));
        }
        registers
    }

    fn comments(records: &[&str]) -> String {
        let registers = after(records);
        let comments = (0..10).filter_map(Register::new).map(|register| registers.comment(register));
        comments.map(|comment| comment.unwrap_or("-")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_comment_clears_those_of_lower_rank() {
        assert_eq!(comments(&[]), "----------");
        assert_eq!(comments(&["c0 \"a\"; c1 \"b\"; c9 \"c\";"]), "ab-------c");
        assert_eq!(comments(&["c0 \"a\"; c1 \"b\"; c9 \"c\";", "c1 \"d\";"]), "ad--------");
        assert_eq!(comments(&["c0 \"a\"; c1 \"b\"; c9 \"c\";", "c1;"]), "a---------");
        assert_eq!(comments(&["c0 \"a\"; c1 \"b\";", "c0;"]), "----------");
        assert_eq!(comments(&["c0 \"a\"; c1 \"b\";", "v0 \"x\"; id \"y\";"]), "ab--------");
        assert_eq!(comments(&["c5 \"x\"; c0 \"a\";"]), "a----x----", "the order in the line has no meaning");
    }

    #[test]
    fn names_and_openings() {
        let registers = after(&["eco \"C65\"; nic \"RL 11\"; v0 \"Ruy Lopez\"; v1 \"Berlin\";", "nic; v1;"]);
        let name = |number| registers.variation(Register::new(number).expect("a register"));
        assert_eq!((registers.eco(), registers.nic()), (Some("C65"), None));
        assert_eq!(
            (name(0), name(1), registers.comment(Register::new(0).unwrap())),
            (Some("Ruy Lopez"), None, None)
        );
    }
}
