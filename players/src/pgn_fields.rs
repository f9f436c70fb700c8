//! What the comments of a PGN file tell of each move.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::time::Duration;

use game::clock_command;

use crate::Thinking;

/// A datum of a move in a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PgnField {
    /// Score from the mover's view: `+0.31`, `-M4`.
    Score,
    /// Depth, behind the score: `+0.31/14`.
    Depth,
    /// Time used: `1.250s`.
    Time,
    /// Selective depth: `sd=20`.
    SelectiveDepth,
    /// Nodes: `n=120034`.
    Nodes,
    /// Nodes per second: `nps=96027`.
    Speed,
    /// Use of the hash table: `hash=12.3%`.
    HashFull,
    /// Probes of endgame tables: `tb=17`.
    TablebaseHits,
    /// Time used beyond what the engine has reported: `latency=0.004s`.
    Latency,
    /// Lag of the official within the time used: `lag=0.001s`.
    Lag,
    /// Principal variation in SAN: `pv e4 e5`.
    Variation,
    /// Time left: `[%clk 0:04:59.070]`.
    Clock,
}

impl PgnField {
    /// All fields with their names in settings, in the order in which a comment has them.
    pub const NAMES: [(PgnField, &str); 12] = [
        (PgnField::Score, "score"),
        (PgnField::Depth, "depth"),
        (PgnField::Time, "time"),
        (PgnField::SelectiveDepth, "seldepth"),
        (PgnField::Nodes, "nodes"),
        (PgnField::Speed, "nps"),
        (PgnField::HashFull, "hashfull"),
        (PgnField::TablebaseHits, "tbhits"),
        (PgnField::Latency, "latency"),
        (PgnField::Lag, "lag"),
        (PgnField::Variation, "pv"),
        (PgnField::Clock, "clock"),
    ];

    /// Returns the text for a move, without score, depth and time; `None` if the datum is unknown.
    fn text(self, told: &MoveComment<'_>) -> Option<String> {
        let MoveComment { thinking, variation, .. } = *told;
        let seconds = |time: Duration| format!("{:.3}s", time.as_secs_f64());
        match self {
            PgnField::Score | PgnField::Depth | PgnField::Time => None,
            PgnField::SelectiveDepth => thinking.selective_depth.map(|depth| format!("sd={depth}")),
            PgnField::Nodes => thinking.nodes.map(|nodes| format!("n={nodes}")),
            PgnField::Speed => thinking.speed.map(|speed| format!("nps={speed}")),
            PgnField::HashFull => {
                thinking.hash_full.map(|permille| format!("hash={:.1}%", f64::from(permille) / 10.0))
            }
            PgnField::TablebaseHits => thinking.tablebase_hits.map(|hits| format!("tb={hits}")),
            PgnField::Latency => {
                thinking.time.map(|time| format!("latency={}", seconds(told.used.saturating_sub(time))))
            }
            PgnField::Lag => told.lag.map(|lag| format!("lag={}", seconds(lag))),
            PgnField::Variation => (!variation.is_empty()).then(|| format!("pv {variation}")),
            PgnField::Clock => told.remaining.map(clock_command),
        }
    }
}

/// The fields of the comments: `+0.31/14 1.250s, n=120034, [%clk 0:04:59.070]` by default. Data that a program does not
/// tell are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnFields(BTreeSet<PgnField>);

impl Default for PgnFields {
    fn default() -> PgnFields {
        PgnFields([PgnField::Score, PgnField::Depth, PgnField::Time, PgnField::Nodes, PgnField::Clock].into())
    }
}

impl PgnFields {
    /// Adds a field.
    #[must_use]
    pub fn with(mut self, field: PgnField) -> PgnFields {
        self.0.insert(field);
        self
    }

    /// Whether there is a field.
    pub fn has(&self, field: PgnField) -> bool {
        self.0.contains(&field)
    }

    /// Whether there are no comments.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Parses names separated by commas, or `all` or `none`.
impl FromStr for PgnFields {
    type Err = String;

    fn from_str(text: &str) -> Result<PgnFields, String> {
        match text.trim() {
            "all" => return Ok(PgnFields(PgnField::NAMES.into_iter().map(|(field, _)| field).collect())),
            "none" => return Ok(PgnFields(BTreeSet::new())),
            _ => {}
        }
        let field = |word: &str| {
            let known = PgnField::NAMES.into_iter().find(|(_, name)| *name == word.trim());
            known.map(|(field, _)| field).ok_or_else(|| {
                let names = PgnField::NAMES.map(|(_, name)| name).join(", ");
                format!("`{}` is no field of a move: expected all, none or a list of {names}", word.trim())
            })
        };
        text.split(',').map(field).collect::<Result<_, _>>().map(PgnFields)
    }
}

/// What a comment can tell of a move.
#[derive(Clone, Copy, Debug)]
pub struct MoveComment<'a> {
    /// What the player said while it thought.
    pub thinking: &'a Thinking,
    /// Time used.
    pub used: Duration,
    /// Time left; `None` without a clock.
    pub remaining: Option<Duration>,
    /// Lag of the official within the time used.
    pub lag: Option<Duration>,
    /// Principal variation in SAN; may be empty.
    pub variation: &'a str,
}

impl MoveComment<'_> {
    /// Returns the comment with these fields.
    pub fn text(&self, fields: &PgnFields) -> String {
        let score = self.thinking.score.filter(|_| fields.has(PgnField::Score)).map(|score| {
            match self.thinking.depth.filter(|_| fields.has(PgnField::Depth)) {
                Some(depth) => format!("{score}/{depth}"),
                None => score.to_string(),
            }
        });
        let time = fields.has(PgnField::Time).then(|| format!("{:.3}s", self.used.as_secs_f64()));
        let head: Vec<String> = score.into_iter().chain(time).collect();
        let head = Some(head.join(" ")).filter(|head| !head.is_empty());
        let rest = fields.0.iter().filter_map(|field| field.text(self));
        head.into_iter().chain(rest).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use game::Score;

    use super::*;

    #[test]
    fn a_comment_has_what_was_asked_for_and_is_known() {
        let thinking = Thinking {
            score: Some(Score::Centipawns(31)),
            depth: Some(14),
            selective_depth: Some(20),
            nodes: Some(120_034),
            speed: Some(96_027),
            hash_full: Some(123),
            tablebase_hits: Some(17),
            time: Some(Duration::from_millis(1246)),
            line: "e4 e5".to_owned(),
        };
        let told = MoveComment {
            thinking: &thinking,
            used: Duration::from_millis(1250),
            remaining: Some(Duration::from_millis(299_070)),
            lag: Some(Duration::from_micros(800)),
            variation: "e4 e5",
        };
        let comment = |fields: &str| told.text(&fields.parse().unwrap());
        let usual = "+0.31/14 1.250s, n=120034, [%clk 0:04:59.070]";
        assert_eq!(told.text(&PgnFields::default()), usual);
        assert_eq!(comment("clock, nodes,time,depth,score"), usual);
        assert_eq!(
            comment("all"),
            "+0.31/14 1.250s, sd=20, n=120034, nps=96027, hash=12.3%, tb=17, latency=0.004s, lag=0.001s, \
             pv e4 e5, [%clk 0:04:59.070]"
        );
        assert_eq!([comment("none"), comment("nps"), comment("depth")], ["", "nps=96027", ""]);
        let silent =
            MoveComment { thinking: &Thinking::default(), lag: None, remaining: None, variation: "", ..told };
        assert_eq!(silent.text(&"all".parse().unwrap()), "1.250s");
        assert!("score,elo".parse::<PgnFields>().unwrap_err().contains("`elo` is no field of a move"));
    }
}
