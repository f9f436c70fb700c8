//! Reading and writing EPD records on one core, compared with python-chess on the same file in the same run.
//!
//! `cargo bench -p herald-messages --bench epd -- FILE` uses the records of that file; without one, those of Win At
//! Chess if the suite is where the tests expect it, otherwise records made from the embedded openings. Each line
//! `RECORDS` is the median of several rounds, with the slowest and the fastest, in processor time, which other programs
//! on the machine hardly affect.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use game::epd::position_part;
use game::{CastlingMode, Game};
use messages::epd::{MoveReading, RecordReader};
use platform::process_cpu_time;

const ROUNDS: usize = 9;
/// Number of records that are read and written in each round; the file is repeated.
const RECORDS: usize = 200_000;

fn main() {
    let path = file();
    let text = fs::read_to_string(&path).expect("a file of records");
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    println!("{} records of {} bytes on average, {}", lines.len(), text.len() / lines.len(), path.display());
    measure("read and written", MoveReading::Syntax, &lines);
    let resolved = measure("every move found in its position", MoveReading::Legal, &lines);
    match python_chess(&path) {
        Some(yardstick) => {
            println!("RECORDS python-chess: {yardstick:.0} per second");
            println!("RATIO every move found: {:.1}", resolved / yardstick);
        }
        None => println!("python-chess is not installed: no comparison"),
    }
}

/// Returns the number of records per second.
fn measure(name: &str, moves: MoveReading, lines: &[&str]) -> f64 {
    let reader = RecordReader { moves, ..RecordReader::default() };
    let mut written = String::new();
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = process_cpu_time();
            for (number, line) in (1..).zip(lines.iter().cycle().take(RECORDS)) {
                let reading = reader.read(black_box(line), number);
                written.clear();
                reading.record.expect("a record").write(&mut written, game::epd::Escapes::None);
                black_box(&written);
            }
            RECORDS as f64 / process_cpu_time().saturating_sub(began).as_secs_f64()
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    let (slowest, median, fastest) = (rounds[0], rounds[ROUNDS / 2], rounds[ROUNDS - 1]);
    println!("RECORDS {name}: {median:.0} per second ({slowest:.0} to {fastest:.0})");
    median
}

fn file() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let suite = here.join("../../shared/data/epd/wac.epd");
    given.map(PathBuf::from).or_else(|| suite.is_file().then_some(suite)).unwrap_or_else(make_records)
}

/// Writes a file of records with a best move and a name, as in suites.
fn make_records() -> PathBuf {
    let record = |(number, line): (usize, &str)| {
        let game = Game::from_fen(position_part(line), CastlingMode::Standard).expect("a position");
        let moves = game.legal_moves();
        let best = game.san(moves[number % moves.len()]);
        let fields = game::epd::fields(&game);
        format!("{fields} bm {best}; id \"OPENING.{number:03}\";\n")
    };
    let records: String = game::openings::EMBEDDED.lines().enumerate().map(record).collect();
    let path = std::env::temp_dir().join("herald-bench.epd");
    fs::write(&path, records).expect("a file in the folder for temporary files");
    path
}

/// Returns the records per second of python-chess; `None` if it is not installed.
fn python_chess(path: &Path) -> Option<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/epd.py");
    let output = Command::new("python3").arg(script).arg(path).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
