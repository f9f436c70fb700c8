use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::*;

fn settings(programs: usize, format: TournamentFormat, games: u32) -> ScheduleSettings {
    ScheduleSettings { programs, format, games, colours: ColourOrder::Pairs }
}

/// A player's result that depends on the game alone: the better the player, the more often it wins.
fn simulated(fixture: Fixture) -> Points {
    let luck = fastrand::Rng::with_seed(fixture.number).usize(0..100);
    match (fixture.black + 50).saturating_sub(fixture.white) {
        edge if luck < edge / 2 => Points::One,
        edge if luck > edge + 10 => Points::Zero,
        _ => Points::Half,
    }
}

/// Plays a schedule with so many games at a time, which end in an order that depends on the seed.
fn play_on(schedule: &mut Schedule, at_once: usize, seed: u64, stop_after: usize) -> Vec<Fixture> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut running, mut played) = (Vec::new(), Vec::new());
    while played.len() < stop_after {
        while running.len() < at_once {
            match schedule.take() {
                NextGames::Games(fixtures) => running.extend(fixtures),
                NextGames::Wait => break,
                NextGames::Finished => return played,
            }
        }
        assert!(!running.is_empty(), "there is nothing to wait for");
        let fixture = running.swap_remove(random.usize(..running.len()));
        schedule.record(fixture.number, simulated(fixture)).unwrap();
        played.push(fixture);
    }
    played
}

fn play(settings: ScheduleSettings, at_once: usize, seed: u64) -> Vec<Fixture> {
    play_on(&mut Schedule::new(settings).unwrap(), at_once, seed, usize::MAX)
}

const FORMATS: [TournamentFormat; 5] = [
    TournamentFormat::RoundRobin,
    TournamentFormat::Gauntlet { challengers: 1 },
    TournamentFormat::Gauntlet { challengers: 2 },
    TournamentFormat::Swiss { rounds: 5 },
    TournamentFormat::Knockout,
];

fn encounters(fixtures: &[Fixture]) -> BTreeMap<[usize; 2], u32> {
    let mut encounters = BTreeMap::new();
    for fixture in fixtures {
        *encounters
            .entry([fixture.white.min(fixture.black), fixture.white.max(fixture.black)])
            .or_default() += 1;
    }
    encounters
}

#[test]
fn games_come_in_pairs_with_colours_reversed() {
    for format in FORMATS {
        for programs in [3, 4, 7, 16] {
            let mut fixtures = play(settings(programs, format, 4), 1, 0);
            fixtures.sort_by_key(|fixture| fixture.number);
            assert!(fixtures.iter().map(|fixture| fixture.number).eq(0..fixtures.len() as u64), "{format:?}");
            for pair in fixtures.chunks(2) {
                assert_eq!((pair[0].white, pair[0].black), (pair[1].black, pair[1].white), "{format:?}");
                assert_eq!((pair[0].opening, pair[0].round), (pair[1].opening, pair[1].round), "{format:?}");
            }
        }
    }
}

#[test]
fn everybody_meets_everybody_equally_often() {
    for programs in [2, 3, 4, 5, 10, 11] {
        let fixtures = play(settings(programs, TournamentFormat::RoundRobin, 6), 3, 1);
        let encounters = encounters(&fixtures);
        assert_eq!(encounters.len(), programs * (programs - 1) / 2);
        assert!(encounters.values().all(|&games| games == 6));
        // Nobody sits at two boards in one round.
        let mut seats = BTreeSet::new();
        for fixture in fixtures.iter().filter(|fixture| fixture.number % 2 == 0) {
            assert!(seats.insert((fixture.round, fixture.white)), "{fixture:?}");
            assert!(seats.insert((fixture.round, fixture.black)), "{fixture:?}");
        }
    }
}

#[test]
fn colours_come_out_even_in_single_games() {
    let whites = |fixtures: &[Fixture], program: usize| {
        let mut of: Vec<(u32, bool)> = fixtures
            .iter()
            .filter(|fixture| fixture.white == program || fixture.black == program)
            .map(|fixture| (fixture.round, fixture.white == program))
            .collect();
        of.sort_unstable();
        of.into_iter().map(|(_, is_white)| is_white).collect::<Vec<bool>>()
    };
    let surplus = |colors: &[bool]| colors.iter().map(|white| if *white { 1 } else { -1 }).sum::<i32>();
    let in_a_row = |colors: &[bool]| colors.chunk_by(|a, b| a == b).map(<[bool]>::len).max();
    for programs in [2, 3, 4, 5, 6, 10, 11, 14] {
        for games in [1, 3] {
            let fixtures = play(settings(programs, TournamentFormat::RoundRobin, games), 3, 1);
            assert!(encounters(&fixtures).values().all(|&played| played == games));
            assert_eq!(fixtures.len() as u64, programs as u64 * (programs as u64 - 1) / 2 * u64::from(games));
            for program in 0..programs {
                let colors = whites(&fixtures, program);
                assert!(surplus(&colors).abs() <= 1, "{programs} {program}: {colors:?}");
                let breaks = colors.windows(2).filter(|pair| pair[0] == pair[1]).count();
                assert!(games > 1 || breaks <= 1, "{programs} {program}: {colors:?}");
            }
        }
    }
    for programs in [16, 17, 40] {
        let fixtures = play(settings(programs, TournamentFormat::Swiss { rounds: 7 }, 1), 4, 2);
        assert_eq!(encounters(&fixtures).len(), programs / 2 * 7, "no rematch");
        for program in 0..programs {
            let colors = whites(&fixtures, program);
            assert!(surplus(&colors).abs() <= 2 && in_a_row(&colors) <= Some(2), "{program}: {colors:?}");
        }
    }
    let gauntlet = play(settings(9, TournamentFormat::Gauntlet { challengers: 2 }, 1), 2, 3);
    assert!((0..9).all(|program| surplus(&whites(&gauntlet, program)).abs() <= 1));
    let knockout = play(settings(8, TournamentFormat::Knockout, 1), 4, 4);
    let mut numbers: Vec<u64> = knockout.iter().map(|fixture| fixture.number).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..knockout.len() as u64) && knockout.len() >= 7);
}

#[test]
fn challengers_meet_all_the_others_and_not_each_other() {
    let encounters = encounters(&play(settings(7, TournamentFormat::Gauntlet { challengers: 2 }, 2), 4, 2));
    let expected = (0..2).flat_map(|challenger| (2..7).map(move |other| [challenger, other]));
    assert!(encounters.into_keys().eq(expected));
}

/// With a book of ten openings, which are drawn again when they are used up.
#[test]
fn openings_are_spread_evenly_over_opponents() {
    for format in [TournamentFormat::RoundRobin, TournamentFormat::Gauntlet { challengers: 1 }] {
        let mut uses: BTreeMap<(usize, usize, u64), u32> = BTreeMap::new();
        for fixture in play(settings(6, format, 40), 2, 3) {
            *uses
                .entry((fixture.white, fixture.black, crate::openings::place_of(fixture.opening, 10)))
                .or_default() += 1;
        }
        assert!(uses.values().all(|&times| times == 2), "{format:?}: {uses:?}");
    }
}

/// A longer match begins with the games of the shorter one. An odd number of pairs' games ends with single games.
#[test]
fn a_longer_match_begins_with_the_same_games() {
    for format in [TournamentFormat::RoundRobin, TournamentFormat::Gauntlet { challengers: 1 }] {
        for colours in [ColourOrder::Pairs, ColourOrder::Alternating, ColourOrder::Fixed] {
            for programs in 2..7 {
                let played = |games| {
                    let mut fixtures =
                        play(ScheduleSettings { colours, ..settings(programs, format, games) }, 1, 0);
                    fixtures.sort_by_key(|fixture| fixture.number);
                    fixtures
                };
                let longest = played(10);
                let shorter = if colours == ColourOrder::Pairs { &[2, 4, 8][..] } else { &[1, 2, 3, 8] };
                for &games in shorter {
                    let fixtures = played(games);
                    assert_eq!(
                        fixtures,
                        longest[..fixtures.len()],
                        "{format:?} {colours:?} {programs} {games}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_schedule_depends_on_results_alone() {
    for format in FORMATS {
        for games in [1, 4] {
            let settings = settings(9, format, games);
            let sorted = |mut fixtures: Vec<Fixture>| {
                fixtures.sort_by_key(|fixture| fixture.number);
                fixtures
            };
            let expected = sorted(play(settings, 1, 0));
            for (at_once, seed) in [(2, 1), (5, 2), (64, 3)] {
                assert_eq!(sorted(play(settings, at_once, seed)), expected, "{format:?}");
            }
            // Interrupted after any number of games, resumed from the results in the order in which they came.
            for stop_after in 0..expected.len() {
                let mut played = play_on(&mut Schedule::new(settings).unwrap(), 5, 4, stop_after);
                let mut resumed = Schedule::new(settings).unwrap();
                for &fixture in &played {
                    assert_eq!(resumed.awaited(fixture.number), Some(fixture));
                    resumed.record(fixture.number, simulated(fixture)).unwrap();
                }
                played.extend(play_on(&mut resumed, 3, 5, usize::MAX));
                assert_eq!(sorted(played), expected, "{format:?} stopped after {stop_after}");
            }
        }
    }
}

#[test]
fn a_swiss_tournament_has_no_rematch_and_brings_equals_together() {
    for programs in [8, 9, 16, 33] {
        let fixtures = play(settings(programs, TournamentFormat::Swiss { rounds: 5 }, 2), 4, 6);
        let encounters = encounters(&fixtures);
        assert_eq!(encounters.len(), programs / 2 * 5);
        let mut free = BTreeMap::new();
        for round in 1..=5 {
            let playing: BTreeSet<usize> = fixtures
                .iter()
                .filter(|fixture| fixture.round == round)
                .map(|fixture| fixture.white)
                .collect();
            for program in (0..programs).filter(|program| !playing.contains(program)) {
                *free.entry(program).or_insert(0) += 1;
            }
        }
        assert_eq!(free.values().sum::<usize>(), programs % 2 * 5);
        assert!(free.values().all(|&times| times == 1));
    }
    // Who was left over has the points of a won encounter.
    let mut schedule = Schedule::new(settings(9, TournamentFormat::Swiss { rounds: 5 }, 1)).unwrap();
    play_on(&mut schedule, 4, 6, usize::MAX);
    assert_eq!((0..9).map(|program| schedule.granted(program)).sum::<u64>(), 5 * 2);
    assert!((0..9).all(|program| schedule.granted(program) <= 2));
    // Where there are more rounds than opponents there must be rematches.
    assert_eq!(play(settings(4, TournamentFormat::Swiss { rounds: 9 }, 2), 1, 0).len(), 4 * 9);
    // Of four, the two winners of the first round meet in the second.
    let mut schedule = Schedule::new(settings(4, TournamentFormat::Swiss { rounds: 2 }, 2)).unwrap();
    for number in 0..4 {
        let better = schedule.awaited(number).map(|fixture| fixture.white < fixture.black);
        schedule.record(number, if better == Some(true) { Points::One } else { Points::Zero }).unwrap();
    }
    let second: Vec<[usize; 2]> =
        [4, 6].into_iter().filter_map(|n| schedule.awaited(n)).map(|f| [f.white, f.black]).collect();
    assert_eq!(second, [[0, 1], [2, 3]]);
}

/// Plays a knockout to its end.
fn play_knockout(programs: usize, games: u32, white: fn(&Fixture) -> Points) -> (Schedule, Vec<Fixture>) {
    let mut schedule = Schedule::new(settings(programs, TournamentFormat::Knockout, games)).unwrap();
    let mut played = Vec::new();
    while let NextGames::Games(fixtures) = schedule.take() {
        for fixture in fixtures {
            schedule.record(fixture.number, white(&fixture)).unwrap();
            played.push(fixture);
        }
    }
    (schedule, played)
}

#[test]
fn the_better_one_always_wins_a_knockout() {
    let white = |fixture: &Fixture| if fixture.white < fixture.black { Points::One } else { Points::Zero };
    for programs in [2, 3, 5, 8, 13] {
        let (schedule, played) = play_knockout(programs, 2, white);
        let games = played.len() as u64;
        assert_eq!((schedule.champion(), games), (Some(0), 2 * (programs as u64 - 1)));
        assert_eq!(schedule.games(), games);
    }
    // First and second seed meet in the final.
    let last = *play_knockout(8, 2, white).1.last().unwrap();
    assert_eq!((last.white.min(last.black), last.white.max(last.black)), (0, 1));
}

#[test]
fn ties_of_a_knockout_are_prolonged_but_not_for_ever() {
    let (schedule, played) = play_knockout(2, 4, |_| Points::Half);
    let games = played.len() as u64;
    assert_eq!((schedule.champion(), games), (Some(0), 4 + 2 * u64::from(TIE_BREAKS)));
    assert_eq!((schedule.games(), schedule.decided_by_seed()), (games, 1));
    let mut schedule = Schedule::new(settings(2, TournamentFormat::Knockout, 2)).unwrap();
    for (number, white) in [(0, Points::One), (1, Points::One), (2, Points::Half), (3, Points::One)] {
        assert_eq!(schedule.champion(), None);
        schedule.record(number, white).unwrap();
    }
    assert_eq!(schedule.champion(), Some(1));
}

#[test]
fn results_nobody_waits_for_are_refused() {
    let mut schedule = Schedule::new(settings(2, TournamentFormat::RoundRobin, 2)).unwrap();
    assert!(schedule.record(2, Points::Half).is_err());
    schedule.record(1, Points::Half).unwrap();
    assert!(schedule.record(1, Points::Half).is_err());
    assert!(schedule.record(u64::MAX, Points::Half).is_err());
    let NextGames::Games(rest) = schedule.take() else { panic!("a game is left") };
    assert_eq!(rest.iter().map(|fixture| fixture.number).collect::<Vec<_>>(), [0]);
    assert_eq!(schedule.take(), NextGames::Wait);
}

#[test]
fn impossible_settings_are_refused() {
    for (programs, format, games) in [
        (1, TournamentFormat::RoundRobin, 2),
        (2, TournamentFormat::RoundRobin, 0),
        (3, TournamentFormat::Gauntlet { challengers: 3 }, 2),
        (3, TournamentFormat::Gauntlet { challengers: 0 }, 2),
        (3, TournamentFormat::Swiss { rounds: 0 }, 2),
    ] {
        assert!(Schedule::new(settings(programs, format, games)).is_err(), "{programs} {format:?} {games}");
    }
}

/// Coarse: it takes some hundredths of a second; a schedule that is searched or listed would take minutes.
#[test]
fn two_hundred_programs_and_a_hundred_thousand_games_cost_nothing() {
    let began = Instant::now();
    let mut schedule = Schedule::new(settings(200, TournamentFormat::RoundRobin, 6)).unwrap();
    assert_eq!(schedule.games(), 119_400);
    let played = play_on(&mut schedule, 8, 7, 100_000);
    assert_eq!(played.len(), 100_000);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
