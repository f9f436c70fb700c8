//! Error rates of the sequential test by simulation: `sprt_error_rates [RUNS] [ELO0,ELO1] [SEED]`, 20,000 runs of a
//! test of 0 against 5 Elo unless told otherwise.
//!
//! Each line is a truth: a distribution of pairs of games. Errors are decisions for the hypothesis that is farther from the
//! truth. The last columns judge the estimate that takes the stopping into account: how often it was below the truth (50 %
//! is right) and how often its 95 % interval held the truth, beside how often the plain estimate was below.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use arena::statistics::{EloModel, Hypothesis, Pentanomial, Sprt, SprtCounts};

/// Normalised Elo for each standard deviation of a game.
const NORMALISED: f64 = 800.0 / std::f64::consts::LN_10;

/// Pairs with 0 to 4 half points, as probabilities.
type Pairs = [f64; 5];

/// What is true in a simulation.
struct Truth {
    name: &'static str,
    pairs: Pairs,
    /// The decision that would be an error.
    error: Hypothesis,
    /// The difference in Elo of the test's scale.
    elo: f64,
}

/// What happened in the runs of a test.
#[derive(Default)]
struct Outcomes {
    errors: u64,
    undecided: u64,
    pairs: u64,
    estimates: u64,
    below: u64,
    covered: u64,
    plain_below: u64,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runs = words.first().map_or(20_000, |word| word.parse().expect("a number of runs"));
    let bounds = words.get(1).map_or("0,5", String::as_str).split_once(',').expect("ELO0,ELO1");
    let [elo0, elo1]: [f64; 2] = [bounds.0, bounds.1].map(|elo| elo.parse().expect("a difference in Elo"));
    let seed = words.get(2).map_or(1, |word| word.parse().expect("a seed"));
    for model in [EloModel::Normalised, EloModel::Logistic] {
        let test = Sprt::new(elo0, elo1, 0.05, 0.05, model).expect("a test");
        println!("\n{test}, {runs} runs of each");
        println!(
            "{:<34} {:>8} {:>7} {:>9} {:>8} {:>7} {:>8} {:>7}",
            "truth", "Elo", "error", "errors %", "pairs", "below %", "inside %", "plain %"
        );
        for truth in truths(model, elo0, elo1) {
            print_line(&truth, &simulate(&test, &truth, runs, seed), runs);
        }
    }
}

fn print_line(truth: &Truth, outcomes: &Outcomes, runs: u64) {
    let share = |count: u64| match outcomes.estimates {
        0 => "-".to_owned(),
        estimates => format!("{:.1}", 100.0 * count as f64 / estimates as f64),
    };
    println!(
        "{:<34} {:>8.2} {:>7} {:>9.2} {:>8} {:>7} {:>8} {:>7}{}",
        truth.name,
        truth.elo,
        format!("{:?}", truth.error),
        100.0 * outcomes.errors as f64 / runs as f64,
        outcomes.pairs / runs,
        share(outcomes.below),
        share(outcomes.covered),
        share(outcomes.plain_below),
        if outcomes.undecided > 0 { format!("  {} undecided", outcomes.undecided) } else { String::new() },
    );
}

/// Returns the truths of the table. `elo0` and `elo1` are differences on the scale of the model.
fn truths(model: EloModel, elo0: f64, elo1: f64) -> Vec<Truth> {
    let usual = [0.03, 0.18, 0.58, 0.18, 0.03];
    let drawish = [0.0002, 0.0148, 0.97, 0.0148, 0.0002];
    let at = |name, shape, elo| {
        let error = if elo < elo1 { Hypothesis::H1 } else { Hypothesis::H0 };
        Truth { name, pairs: shifted(model, shape, elo), error, elo }
    };
    let fixed = |name, pairs| {
        let elo = difference(model, &pairs);
        Truth { name, pairs, error: if elo < elo1 { Hypothesis::H1 } else { Hypothesis::H0 }, elo }
    };
    vec![
        at("equal (the lower hypothesis)", usual, elo0),
        at("better (the upper hypothesis)", usual, elo1),
        at("worse by as much", usual, elo0 - (elo1 - elo0)),
        fixed("all lost", [1.0, 0.0, 0.0, 0.0, 0.0]),
        fixed("all won", [0.0, 0.0, 0.0, 0.0, 1.0]),
        fixed("draws only", [0.0, 0.0, 1.0, 0.0, 0.0]),
        fixed("one-sided: never wins a pair", [0.02, 0.2, 0.78, 0.0, 0.0]),
        fixed("one-sided: never loses a pair", [0.0, 0.0, 0.78, 0.2, 0.02]),
        at("97 % drawn pairs, equal", drawish, elo0),
        at("97 % drawn pairs, better", drawish, elo1),
        at("very uneven openings, equal", uneven_openings(), elo0),
        at("very uneven openings, better", uneven_openings(), elo1),
    ]
}

/// Returns the pairs of equal players who get openings that are worth up to 800 Elo to one colour. Nearly all pairs are
/// one win each.
fn uneven_openings() -> Pairs {
    let mut pairs = [0.0; 5];
    for bias in (-800..=800).step_by(50).map(f64::from) {
        let win = |lead: f64| 1.0 / (1.0 + 10_f64.powf((60.0 - lead) / 400.0));
        let games = |lead: f64| [win(-lead), 1.0 - win(-lead) - win(lead), win(lead)];
        for (first, p) in games(bias).into_iter().enumerate() {
            for (second, q) in games(-bias).into_iter().enumerate() {
                pairs[first + second] += p * q / 33.0;
            }
        }
    }
    pairs
}

fn mean_and_deviation(pairs: &Pairs) -> (f64, f64) {
    let scores = || pairs.iter().enumerate().map(|(i, p)| (i as f64 / 4.0, p));
    let mean: f64 = scores().map(|(score, p)| score * p).sum();
    (mean, scores().map(|(score, p)| (score - mean).powi(2) * p).sum::<f64>().sqrt())
}

/// Returns the difference in Elo that pairs with these probabilities show; 0 if all are drawn.
fn difference(model: EloModel, pairs: &Pairs) -> f64 {
    let (mean, deviation) = mean_and_deviation(pairs);
    if model == EloModel::Logistic {
        400.0 * (mean / (1.0 - mean)).log10()
    } else if deviation < 1e-12 {
        0.0
    } else {
        // The standard deviation of a game is that of the mean of two games times the square root of 2.
        (mean - 0.5) / deviation / 2_f64.sqrt() * NORMALISED
    }
}

/// Tilts a distribution to a difference of `elo`.
fn shifted(model: EloModel, shape: Pairs, elo: f64) -> Pairs {
    let tilted = |tilt: f64| {
        let weights: Vec<f64> = shape.iter().enumerate().map(|(i, p)| p * (tilt * i as f64).exp()).collect();
        let sum: f64 = weights.iter().sum();
        std::array::from_fn(|i| weights[i] / sum)
    };
    let (mut low, mut high) = (-3.0, 3.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if difference(model, &tilted(middle)) < elo {
            low = middle;
        } else {
            high = middle;
        }
    }
    tilted(low)
}

/// Runs the test again and again on all cores.
fn simulate(test: &Sprt, truth: &Truth, runs: u64, seed: u64) -> Outcomes {
    let next = AtomicU64::new(0);
    let work = || {
        let mut outcomes = Outcomes::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= runs {
                return outcomes;
            }
            // Far apart, because streams of neighbouring seeds are alike.
            let seed = (seed << 32 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            run(test, truth, seed ^ seed >> 29, &mut outcomes);
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut all = Outcomes::default();
        for thread in threads {
            let part = thread.join().expect("a simulation");
            all.errors += part.errors;
            all.undecided += part.undecided;
            all.pairs += part.pairs;
            all.estimates += part.estimates;
            all.below += part.below;
            all.covered += part.covered;
            all.plain_below += part.plain_below;
        }
        all
    })
}

/// Number of pairs after which a test is given up.
const MOST_PAIRS: u64 = 1_000_000;

/// Runs the test once. The ratio is computed after every pair that could decide.
fn run(test: &Sprt, truth: &Truth, seed: u64, outcomes: &mut Outcomes) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut counts, mut played, mut harmless) = ([0_u64; 5], 0_u64, 0_u64);
    // The longest step of the ratio, and when it is computed anew. It gets shorter as the counts grow.
    let (mut step, mut measure_at) = (0.0, 0);
    let decision = loop {
        counts[draw(&truth.pairs, random.f64())] += 1;
        played += 1;
        if harmless > 0 {
            harmless -= 1;
            continue;
        }
        let now = SprtCounts::Pairs(Pentanomial(counts));
        let (llr, bounds) = (test.llr(&now), test.bounds());
        if llr >= bounds.upper || llr <= bounds.lower || played >= MOST_PAIRS {
            break test.decision(&now);
        }
        if played >= measure_at {
            step = longest_step(test, truth, counts, llr);
            measure_at = played + played / 5;
        }
        let distance = (bounds.upper - llr).min(llr - bounds.lower);
        // With a reserve, because the step changes with the counts.
        harmless = (distance / step / 2.0) as u64;
    };
    outcomes.pairs += played;
    outcomes.undecided += u64::from(decision.is_none());
    outcomes.errors += u64::from(decision == Some(truth.error));
    let counts = SprtCounts::Pairs(Pentanomial(counts));
    let estimate = test.estimate(&counts).map(|estimate| match test.model() {
        EloModel::Logistic => estimate.elo,
        _ => estimate.normalised_elo,
    });
    let plain = counts.sample().and_then(|sample| match test.model() {
        EloModel::Logistic => Some(sample.elo()),
        _ => sample.normalised_elo(),
    });
    if let (Some(estimate), Some(plain)) = (estimate, plain) {
        outcomes.estimates += 1;
        outcomes.below += u64::from(estimate.value < truth.elo);
        outcomes.covered += u64::from((estimate.lower..=estimate.upper).contains(&truth.elo));
        outcomes.plain_below += u64::from(plain.value < truth.elo);
    }
}

fn draw(pairs: &Pairs, mut random: f64) -> usize {
    for (i, p) in pairs.iter().enumerate() {
        random -= p;
        if random < 0.0 {
            return i;
        }
    }
    pairs.iter().rposition(|p| *p > 0.0).unwrap_or(0)
}

/// Returns the most by which one more pair can change the ratio.
fn longest_step(test: &Sprt, truth: &Truth, counts: [u64; 5], llr: f64) -> f64 {
    let step = |class: usize| {
        let mut more = counts;
        more[class] += 1;
        (test.llr(&SprtCounts::Pairs(Pentanomial(more))) - llr).abs()
    };
    let possible = (0..5).filter(|&class| truth.pairs[class] > 0.0);
    possible.map(step).fold(1e-9, f64::max)
}
