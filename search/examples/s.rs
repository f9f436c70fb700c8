use search::*; use shakmaty::{Chess, CastlingMode, fen::Fen};
struct P; impl Observer for P { fn report(&mut self,r:&Report){ println!("{} {} {:?} {} {:?} {} {:?}",r.depth,r.selective_depth,r.score,r.nodes,r.elapsed,r.hash_full,r.principal_variation); } }
fn main(){ let a:Vec<String>=std::env::args().collect(); let f=&a[2]; let d:u32=a[1].parse().unwrap(); let th:usize=a.get(3).map_or(1,|x|x.parse().unwrap());
 let c:Chess=f.parse::<Fen>().unwrap().into_position(CastlingMode::Chess960).unwrap();
 let root=Root{position:Position::from(&c),..Root::default()};
 let mut s=Searcher::new(Table::new(64).unwrap()); s.use_threads(th);
 let t=std::time::Instant::now();
 let an=s.think(&root,&Limits{depth:Some(d),..Limits::default()},&Control::new(),&t,&mut P);
 println!("{an:?} {} nps",an.nodes as f64/t.elapsed().as_secs_f64()); }
