//! A line between two ends that is slow, noisy and sometimes broken.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;

/// A line between two ends: two serial devices, or `listen:PORT` and `HOST:PORT`.
#[derive(Parser)]
pub(crate) struct LineArguments {
    /// The word `line`
    #[arg(hide = true)]
    _word: String,
    /// `listen:PORT`, or a device
    from: String,
    /// `HOST:PORT`, or a device
    to: String,
    /// Speed in bits per second; each byte has ten
    #[arg(long)]
    baud: Option<f64>,
    /// Probability for each byte that it is changed, lost, or followed by another one
    #[arg(long, default_value_t = 0.0)]
    noise: f64,
    /// Longest delay of a text line, in milliseconds
    #[arg(long)]
    delay_lines: Option<u64>,
    /// Probability for each text line that it is lost
    #[arg(long, default_value_t = 0.0)]
    lose_lines: f64,
    /// Probability for each text line that it comes twice
    #[arg(long, default_value_t = 0.0)]
    repeat_lines: f64,
    /// Probability for each text line that it comes after the next one
    #[arg(long, default_value_t = 0.0)]
    swap_lines: f64,
    /// Seconds after the first byte at which the line breaks
    #[arg(long, value_delimiter = ',')]
    cut: Vec<f64>,
    /// Texts at which the line breaks, each when it comes first; its end is not carried
    #[arg(long, value_delimiter = ',')]
    cut_at: Vec<String>,
    /// Seconds for which the line stays broken
    #[arg(long, default_value_t = 1.0)]
    cut_for: f64,
    /// Seed of the noise
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The lines of text in one direction, on which faults of whole lines act.
#[derive(Default)]
struct TextLines {
    /// The beginning of the next line.
    begun: Vec<u8>,
    /// A line that comes after the next one.
    kept: Vec<u8>,
}

impl TextLines {
    /// Takes bytes and returns what the line carries of them.
    fn carry(&mut self, bytes: &[u8], faults: &LineArguments, random: &mut fastrand::Rng) -> Vec<u8> {
        let LineArguments { delay_lines, lose_lines, repeat_lines, swap_lines, .. } = *faults;
        if delay_lines.is_none() && lose_lines + repeat_lines + swap_lines == 0.0 {
            return bytes.to_vec();
        }
        self.begun.extend_from_slice(bytes);
        let mut carried = Vec::new();
        while let Some(length) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=length).collect();
            thread::sleep(Duration::from_millis(random.u64(0..=delay_lines.unwrap_or(0))));
            let times = match random.f64() {
                lost if lost < lose_lines => 0,
                _ => 1 + usize::from(random.f64() < repeat_lines),
            };
            if self.kept.is_empty() && random.f64() < swap_lines {
                self.kept = line.repeat(times);
            } else {
                carried.extend(line.repeat(times));
                carried.append(&mut self.kept);
            }
        }
        carried
    }
}

/// The times at which the line is broken.
struct Cuts {
    began: OnceLock<Instant>,
    /// Texts that did not come yet, and the end of the latest cut at one.
    at: Mutex<(Vec<String>, Option<Instant>)>,
    arguments: LineArguments,
}

impl Cuts {
    fn is_cut(&self) -> bool {
        let Some(began) = self.began.get() else { return false };
        let now = began.elapsed().as_secs_f64();
        let (_, until) = *self.lock();
        until.is_some_and(|until| Instant::now() < until)
            || self.arguments.cut.iter().any(|&from| now >= from && now < from + self.arguments.cut_for)
    }

    fn carry_first_byte(&self) {
        self.began.get_or_init(Instant::now);
    }

    /// Breaks the line if one of the texts is in what came last.
    fn look_for_texts(&self, latest: &[u8]) {
        let latest = String::from_utf8_lossy(latest);
        let (texts, until) = &mut *self.lock();
        if let Some(place) = texts.iter().position(|text| latest.contains(text)) {
            texts.remove(place);
            *until = Some(Instant::now() + Duration::from_secs_f64(self.arguments.cut_for));
        }
    }

    fn lock(&self) -> MutexGuard<'_, (Vec<String>, Option<Instant>)> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often a waiting line looks whether it is broken.
const GLANCE: Duration = Duration::from_millis(20);

pub(crate) fn run() -> io::Result<()> {
    let arguments = LineArguments::parse();
    let at = Mutex::new((arguments.cut_at.clone(), None));
    let cuts = Arc::new(Cuts { began: OnceLock::new(), at, arguments });
    let (from, to) = (cuts.arguments.from.clone(), cuts.arguments.to.clone());
    let Some(port) = from.strip_prefix("listen:") else {
        let [from, to] = [from, to].map(|path| File::options().read(true).write(true).open(path));
        let (from, to) = (from?, to?);
        let back = (to.try_clone()?, from.try_clone()?);
        let other = Arc::clone(&cuts);
        thread::spawn(move || carry(back.0, back.1, &other, 1));
        return carry(from, to, &cuts, 0);
    };
    let listener = TcpListener::bind(format!("127.0.0.1:{port}"))?;
    println!("listening");
    for number in (0..).step_by(2) {
        let (near, _) = listener.accept()?;
        let Some(far) = (!cuts.is_cut()).then(|| TcpStream::connect(&to).ok()).flatten() else { continue };
        for stream in [&near, &far] {
            stream.set_read_timeout(Some(GLANCE))?;
            stream.set_nodelay(true)?;
        }
        let back = (far.try_clone()?, near.try_clone()?);
        for ((from, to), way) in [(near, far), back].into_iter().zip([number, number + 1]) {
            let cuts = Arc::clone(&cuts);
            thread::spawn(move || {
                let ends = [from.try_clone(), to.try_clone()];
                let _ = carry(from, to, &cuts, way);
                for end in ends.into_iter().flatten() {
                    let _ = end.shutdown(Shutdown::Both);
                }
            });
        }
    }
    Ok(())
}

/// Carries bytes one way. A broken connection ends; a broken serial line loses what is sent meanwhile.
fn carry(mut from: impl Read, mut to: impl Write, cuts: &Cuts, way: u64) -> io::Result<()> {
    let LineArguments { from: place, baud, noise, seed, .. } = &cuts.arguments;
    let is_network = place.starts_with("listen:");
    let mut random = fastrand::Rng::with_seed(seed.wrapping_mul(1000).wrapping_add(way));
    let mut chunk = [0; 64];
    // The end of what came, in which a text may be that came in pieces.
    let (mut latest, mut lines) = (Vec::new(), TextLines::default());
    loop {
        let read = match from.read(&mut chunk) {
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => None,
            Ok(0) => return Ok(()),
            read => Some(read?),
        };
        if let Some(count) = read {
            cuts.carry_first_byte();
            latest.extend_from_slice(&chunk[..count]);
            latest.drain(..latest.len().saturating_sub(2 * chunk.len()));
            cuts.look_for_texts(&latest);
        }
        if cuts.is_cut() {
            if is_network {
                return Ok(());
            }
            latest.clear();
            continue;
        }
        let bytes = &chunk[..read.unwrap_or(0)];
        if let Some(baud) = baud {
            thread::sleep(Duration::from_secs_f64(bytes.len() as f64 * 10.0 / baud));
        }
        let mut carried = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            let is_hit = random.f64() < *noise;
            match (is_hit, random.u8(0..3)) {
                (false, _) => carried.push(byte),
                (true, 0) => {}
                (true, 1) => carried.push(random.u8(..)),
                (true, _) => carried.extend([byte, random.u8(..)]),
            }
        }
        to.write_all(&lines.carry(&carried, &cuts.arguments, &mut random))?;
        to.flush()?;
    }
}
