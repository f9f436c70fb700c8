use search::*;
use shakmaty::{CastlingMode, Chess, fen::Fen};
use std::time::Instant;
fn chess(f: &str) -> Chess {
    f.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Chess960)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .unwrap()
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    if a[1] == "p" {
        let c = chess("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let f = a.get(2).cloned().unwrap_or_default();
        let c = if f.is_empty() { c } else { chess(&f) };
        println!("{}", perft(&Position::from(&c), a.get(3).map_or(6, |x| x.parse().unwrap())));
        return;
    }
    if a[1] == "suite" {
        let max: u32 = a[3].parse().unwrap();
        let mut n = 0;
        let mut bad = 0;
        for l in std::fs::read_to_string(&a[2]).unwrap().lines() {
            let mut p = l.split(';');
            let f = p.next().unwrap().trim();
            let pos = Position::from(&chess(f));
            for d in p {
                let mut w = d.split_whitespace();
                let dd: u32 = w.next().unwrap()[1..].parse().unwrap();
                let c: u64 = w.next().unwrap().parse().unwrap();
                if dd <= max {
                    n += 1;
                    let g = perft(&pos, dd);
                    if g != c {
                        bad += 1;
                        println!("{f} {dd} {g} {c}");
                    }
                }
            }
        }
        println!("{n} counts {bad} bad");
        return;
    }
    for (f, d) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5),
    ] {
        let c = chess(f);
        let p = Position::from(&c);
        let mut best = [f64::MAX; 2];
        for _ in 0..5 {
            let t = Instant::now();
            let x = shakmaty::perft(&c, d);
            best[0] = best[0].min(t.elapsed().as_secs_f64());
            let t = Instant::now();
            let y = perft(&p, d);
            best[1] = best[1].min(t.elapsed().as_secs_f64());
            assert_eq!(x, y);
        }
        println!("{:?} ratio {:.2}", best, best[0] / best[1]);
    }
}
