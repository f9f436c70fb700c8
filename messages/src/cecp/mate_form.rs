//! How CECP programs write mates as scores.
//!
//! Older versions of the protocol have no form for mates, so each program has its own.

use game::Score;

use super::thinking::{number_of, score_of};

/// How a program writes mates as scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MateForm {
    /// As the protocol says: mate in N moves is `100000 + N`, mated in N moves `-100000 - N`.
    #[default]
    Moves,
    /// A mate is this number minus the plies to it, and negative for the side that is mated.
    Plies(i32),
}

/// Programs that do not write mates as the protocol says, by the beginning of `myname`, and the number from which they count the
/// plies. All observed with positions of known mates: GNU Chess 6.2.9, `HoiChess` 0.22.0, Phalanx XXV, Sjaak II 1.4.1, Sjeng 11.2.
const OBSERVED: [(&str, i32); 5] = [
    ("GNU Chess", 10_000),
    ("HoiChess", 100_000),
    ("Phalanx", 30_000),
    ("Sjaak II", 16_000),
    ("Sjeng", 999_999),
];

/// Numbers from which programs count the plies, for those that were not observed.
const USUAL: [i32; 12] =
    [9999, 10_000, 15_000, 16_000, 20_000, 30_000, 31_000, 32_000, 32_767, 50_000, 100_000, 1_000_000];

/// The longest mate of the form in plies, and the longest that is believed of a program that was not observed. No program looks further ahead.
const LONGEST: i32 = 500;
const LONGEST_GUESS: i32 = 100;

impl MateForm {
    /// The form of a program that calls itself by this name.
    pub fn of(program: &str) -> MateForm {
        let known = OBSERVED.iter().find(|(name, _)| program.starts_with(name));
        known.map_or(MateForm::Moves, |(_, mate)| MateForm::Plies(*mate))
    }

    /// The likely form of a score of a program that has a form of its own: plies, counted from the nearest usual number above it.
    pub fn guess(score: Score) -> MateForm {
        let number = number_of(score).saturating_abs();
        let near = USUAL.into_iter().find(|mate| (mate - LONGEST_GUESS..*mate).contains(&number));
        near.map_or(MateForm::Moves, MateForm::Plies)
    }

    /// Reads a score, which was parsed as the protocol says, as what the program means.
    pub fn read(self, score: Score) -> Score {
        let MateForm::Plies(mate) = self else { return score };
        let number = number_of(score);
        let plies = mate.saturating_sub(number.saturating_abs());
        match u32::try_from(plies) {
            Ok(plies) if (1..=LONGEST as u32).contains(&plies) => {
                if number > 0 {
                    Score::MateIn(plies.div_ceil(2))
                } else {
                    Score::MatedIn(plies / 2)
                }
            }
            _ => score_of(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ThinkingLine;
    use super::*;

    /// What the program means by the score of a line.
    fn meant(program: &str, line: &str) -> Score {
        MateForm::of(program).read(ThinkingLine::parse(line).expect("a line").score)
    }

    /// Lines of real programs about positions of known mates.
    #[test]
    fn mates_of_observed_programs() {
        use Score::{MateIn, MatedIn};
        for (program, line, score) in [
            ("Fairy-Max 5.0b", "28 100001        0        711 a1a8", MateIn(1)),
            ("Fairy-Max 5.0b", "28 100002        3      34152 a2a7 g8f8 b1b8", MateIn(2)),
            ("Fairy-Max 5.0b", "28 -100001        1       4826 g8f8 b1b8", MatedIn(1)),
            ("Fairy-Max 5.0b", "21 -100002       12     157818 f7e7 b5b7 e7e8 a6a8", MatedIn(2)),
            ("GNU Chess 6.2.9", "44 +9999 169 16778029 Ra8#", MateIn(1)),
            ("GNU Chess 6.2.9", "45 +9997 155 12584400 Rb7 Kf8 Ra8#", MateIn(2)),
            ("GNU Chess 6.2.9", "49 +9991 180 17818615 Re2 Kg4 Rf2 Kg5 Rg3+ Kh4 Rfg2 Kh5 Rh3#", MateIn(5)),
            ("GNU Chess 6.2.9", "44 -9998 177 12583001 Kf8 Rb8#", MatedIn(1)),
            ("HoiChess 0.22.0-3-debian", "2 99999 0 81 1. Ra8#", MateIn(1)),
            ("HoiChess 0.22.0-3-debian", "4 99997 0 1656 1. Ra7 Kf8 2. Rb8#", MateIn(2)),
            ("HoiChess 0.22.0-3-debian", "3 -99998 0 133 1. ... Kh8 2. Rb8#", MatedIn(1)),
            ("HoiChess 0.22.0-3-debian", "5 -99996 0 3691 1. ... Kg7 2. Rb7+ Kh8 3. Ra8#", MatedIn(2)),
            ("Phalanx XXV", "  3  29999     0      192  Ra1-a8", MateIn(1)),
            ("Phalanx XXV", "  4  29997     1     4157  Rb1-b7", MateIn(2)),
            ("Phalanx XXV", "  3 -29998     0       71  Kg8-h8", MatedIn(1)),
            ("Phalanx XXV", "  5 -29996     0     4055  Kf7-e8  Rb5-b7", MatedIn(2)),
            ("Sjaak II 1.4.1", "  2  15999      0        13  1. Ra8", MateIn(1)),
            ("Sjaak II 1.4.1", "  4  15997      0      1853  1. Rb7 Kf8 2. Ra8", MateIn(2)),
            ("Sjaak II 1.4.1", "  2 -15998      0        18  1. ... Kf8 2. Rb8", MatedIn(1)),
            ("Sjaak II 1.4.1", "  4 -15996      0      1045  1. ... Kf8 2. Rb7 Ke8 3. Ra8", MatedIn(2)),
            ("Sjeng 11.2", " 3  999998     0       54  Ra8#", MateIn(1)),
            ("Sjeng 11.2", " 5  999996     1     6604  Rb7 !", MateIn(2)),
            ("Sjeng 11.2", "11 -999997    93  2164880  Kf8 Rb8#", MatedIn(1)),
            ("Sjeng 11.2", "15 -999995   163  4604151  Ke1 Ke3 Kf1 Qh1#", MatedIn(2)),
        ] {
            assert_eq!(meant(program, line), score, "{program}: {line}");
        }
    }

    #[test]
    fn forms_are_guessed() {
        let guessed = |number| MateForm::guess(Score::Centipawns(number)).read(Score::Centipawns(number));
        assert_eq!(guessed(31_997), Score::MateIn(2));
        assert_eq!(guessed(-32_765), Score::MatedIn(1));
        assert_eq!(guessed(9995), Score::MateIn(2));
        assert_eq!(guessed(29_000), Score::Centipawns(29_000));
        assert_eq!(MateForm::guess(Score::MateIn(2)), MateForm::Moves);
    }

    #[test]
    fn other_scores_stay() {
        assert_eq!(meant("GNU Chess 6.2.9", "7 -1202 0 381 Ke8"), Score::Centipawns(-1202));
        assert_eq!(meant("GNU Chess 6.2.9", "7 10000 0 381 Ke8"), Score::Centipawns(10_000), "no plies");
        assert_eq!(meant("Phalanx XXV", "7 9999 0 381 Ke8"), Score::Centipawns(9999));
        assert_eq!(meant("Phalanx XXV", "7 29499 0 381 Ke8"), Score::Centipawns(29_499), "501 plies");
        assert_eq!(meant("Sjeng 11.2", "7 100003 0 381 Ke8"), Score::MateIn(3), "as the protocol says");
        assert_eq!(meant("an unknown program", "7 29999 0 381 Ke8"), Score::Centipawns(29_999));
        assert_eq!(meant("Sjeng 11.2", "7 -2147483648 0 381 Ke8"), Score::MatedIn(2_147_383_647));
    }
}
