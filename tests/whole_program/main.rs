//! Whole-program tests: the executable is driven as by a person, a GUI or a script.

mod annotate;
mod board;
mod books;
mod bridge;
mod bughouse;
mod cego;
mod chaos;
mod check;
mod command_line;
mod conversations;
mod epd;
mod epd_thinking;
mod faults;
#[path = "../support/installed.rs"]
mod installed;
mod link;
mod live_page;
mod match_files;
mod match_load;
mod match_options;
#[cfg(unix)]
mod match_shown;
mod match_variants;
mod mend;
mod peers;
mod ratings;
mod referee;
mod referee_defence;
mod settings;
#[cfg(unix)]
mod signals;
mod support;
mod tablebases;
mod tls;
