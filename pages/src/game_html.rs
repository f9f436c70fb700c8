//! The page of an annotated game, in HTML.

use std::fmt::Write as _;

use game::escaped;

use crate::{GamePage, PageLine, PageMove, PageStep, PlayerSummary, SingleFile};

/// Maximum number of moves that the page shows of a recommended line.
pub const LONGEST_LINE: usize = 12;

/// Maximum number of moves that a page shows of a program's main line.
pub const LONGEST_MAIN_LINE: usize = 24;

/// Tags that are part of the heading and not of the table.
const HEADING: [&str; 9] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo"];

/// Makes the page of an annotated game: one file in HTML, which opens from a disk and loads nothing. With an engine (the WebAssembly
/// of the crate `browser`, in base64) the page analyses by itself.
pub fn game_page(game: &GamePage, engine: Option<&str>) -> String {
    let tag = |name: &str| {
        let value = game.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
        value.filter(|value| !matches!(*value, "" | "?" | "-" | "????.??.??"))
    };
    let (white, black) = (tag("White").unwrap_or("White"), tag("Black").unwrap_or("Black"));
    let title = format!("{white} – {black}");
    let player = |name: &str, elo: Option<&str>| match elo {
        Some(elo) => format!("{} <span class=\"quiet\">({})</span>", escaped(name), escaped(elo)),
        None => escaped(name),
    };
    let heading = format!(
        "{} – {} <span>{}</span>",
        player(white, tag("WhiteElo")),
        player(black, tag("BlackElo")),
        escaped(&game.result.replace("1/2-1/2", "½–½").replace('-', "–")),
    );
    let round = tag("Round").map(|round| format!("round {round}"));
    let facts = [tag("Event"), round.as_deref(), tag("Site"), tag("Date"), game.opening.as_deref()];
    let facts: Vec<&str> = facts.into_iter().flatten().chain(game.termination.as_deref()).collect();
    let body = format!(
        include_str!("../assets/game.html"),
        heading = heading,
        engine = engine.map(engine_panel).unwrap_or_default(),
        facts = escaped(&facts.join(" · ")),
        tables = tables(game),
        analysed =
            game.analysed_by.as_deref().map(|by| format!("Analysed by {}", escaped(by))).unwrap_or_default(),
        data = game_data(game),
    );
    let style = include_str!("../assets/game.css");
    let script = concat!(include_str!("../assets/engine.js"), include_str!("../assets/game.js"));
    SingleFile { title: &title, style, body: &body, script }.html()
}

/// The panel in which the page's own engine shows its line.
fn engine_panel(module: &str) -> String {
    format!(
        "<section id=\"engine\" aria-label=\"Analysis in this page\">\n\
         <button type=\"button\" class=\"button\" id=\"analyse\" aria-pressed=\"false\">Analyse here</button>\n\
         <p id=\"engine-fault\" role=\"status\"></p>\n\
         <div id=\"analysis-lines\"></div>\n\
         <script type=\"application/wasm\" id=\"engine-module\">{}</script>\n</section>\n",
        escaped(module)
    )
}

/// The tables below the game: the players, the course of the game in words, the other tags.
fn tables(game: &GamePage) -> String {
    let mut html = String::new();
    // Writing to a string doesn't fail.
    if game.white.is_some() || game.black.is_some() {
        let none = PlayerSummary::default();
        let sides = [&game.white, &game.black].map(|side| side.as_ref().unwrap_or(&none));
        html.push_str(
            "<section class=\"panel\"><h2>The players</h2><div class=\"wide\"><table>\n<thead><tr><td></td>",
        );
        html.push_str("<th class=\"number\">White</th><th class=\"number\">Black</th></tr></thead>\n<tbody>");
        for (name, values) in comparison(sides) {
            let [white, black] = values.map(|value| escaped(&value));
            let _ = writeln!(
                html,
                "<tr><th>{}</th><td class=\"number\">{white}</td><td class=\"number\">{black}</td></tr>",
                escaped(&name)
            );
        }
        html.push_str("</tbody></table></div></section>\n");
    }
    if !game.story.is_empty() {
        html.push_str("<section class=\"panel\"><h2>The game in words</h2>");
        html.extend(game.story.iter().map(|paragraph| format!("<p>{}</p>", escaped(paragraph))));
        html.push_str("</section>\n");
    }
    let others: Vec<_> = game.tags.iter().filter(|(name, _)| !HEADING.contains(&name.as_str())).collect();
    if !others.is_empty() {
        html.push_str("<section class=\"panel\"><h2>Tags</h2><table><tbody>\n");
        for (name, value) in others {
            let _ = writeln!(html, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        html.push_str("</tbody></table></section>\n");
    }
    html
}

/// The rows of the table of players: what is known of at least one of them.
fn comparison(sides: [&PlayerSummary; 2]) -> Vec<(String, [String; 2])> {
    let number = |value: Option<f64>, unit: &str| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}{unit}"))
    };
    let mut rows = vec![
        ("Accuracy".to_owned(), sides.map(|side| number(side.accuracy, " %"))),
        ("Average loss (centipawns)".to_owned(), sides.map(|side| number(side.average_loss, ""))),
        ("Inaccuracies ?!".to_owned(), sides.map(|side| side.inaccuracies.to_string())),
        ("Mistakes ?".to_owned(), sides.map(|side| side.mistakes.to_string())),
        ("Blunders ??".to_owned(), sides.map(|side| side.blunders.to_string())),
    ];
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in sides.iter().flat_map(|side| &side.facts) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let values = sides.map(|side| {
            let fact = side.facts.iter().find(|(fact, _)| fact == name);
            fact.map_or_else(|| "–".to_owned(), |(_, value)| value.clone())
        });
        rows.push((name.clone(), values));
    }
    rows.retain(|(_, values)| values.iter().any(|value| value != "–"));
    rows
}

/// A game as short JSON, which `HeraldReplay` shows: FENs leave out what they have in common with the one before. It can stand in a
/// script element.
pub fn game_data(game: &GamePage) -> String {
    let mut game = game.clone();
    shorten_line(&game.start, &mut game.moves);
    // The type has no maps with keys that are not strings, so that nothing can fail.
    script_json(&serde_json::to_string(&game).unwrap_or_else(|_| "{}".to_owned()))
}

/// JSON that can stand in a script: nothing in it closes the element, opens a comment, or ends a line of JavaScript.
pub fn script_json(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

fn shorten_line(before: &str, moves: &mut [PageMove]) {
    let mut before = before.to_owned();
    for mv in moves {
        for variation in &mut mv.variations {
            shorten_line(&before, variation);
        }
        mv.best.iter_mut().for_each(|best| best.moves.truncate(LONGEST_LINE));
        mv.best.iter_mut().chain(&mut mv.line).for_each(|line| shorten_steps(&before, line));
        before = shorten(&before, &mut mv.step);
        mv.third.iter_mut().for_each(|line| shorten_steps(&before, line));
    }
}

fn shorten_steps(before: &str, line: &mut PageLine) {
    let mut before = before.to_owned();
    line.moves.iter_mut().for_each(|step| before = shorten(&before, step));
}

/// Leaves away what the FEN has in common with the one before, field by field; returns the full FEN.
fn shorten(before: &str, step: &mut PageStep) -> String {
    let fields = |fen: &str| fen.split(['/', ' ']).map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (fields(before), fields(&step.fen));
    // Only FENs of one form can be put together again.
    let is_alike = |field: &String| !field.is_empty();
    if old.len() != new.len() || !new.iter().all(is_alike) {
        return step.fen.clone();
    }
    let mut short = String::new();
    let mut ends = step.fen.chars().filter(|c| matches!(c, '/' | ' '));
    for (old, new) in old.iter().zip(&new) {
        short.push_str(if old == new { "" } else { new });
        short.extend(ends.next());
    }
    std::mem::replace(&mut step.fen, short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::WhiteScore;

    fn step(san: &str, fen: &str, squares: &str) -> PageStep {
        PageStep { san: san.to_owned(), fen: fen.to_owned(), squares: squares.to_owned() }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

    fn page() -> GamePage {
        let tags = [("White", "<script>alert(1)</script>"), ("Black", "B\u{2028}</script>"), ("ECO", "<b>")];
        let best = PageLine {
            score: Some(WhiteScore::Centipawns(30)),
            moves: vec![step("e4", E4, "e2e4")],
            ..PageLine::default()
        };
        GamePage {
            tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            start: START.to_owned(),
            result: "1/2-1/2".to_owned(),
            moves: vec![PageMove { step: step("e4", E4, "e2e4"), best: Some(best), ..PageMove::default() }],
            white: Some(PlayerSummary { accuracy: Some(91.25), blunders: 2, ..PlayerSummary::default() }),
            story: vec!["</section><img src=x>".to_owned()],
            ..GamePage::default()
        }
    }

    #[test]
    fn names_with_markup_are_names() {
        let html = game_page(&page(), None);
        for markup in ["<script>alert", "</script>\"", "<img", "<b>\""] {
            assert!(!html.contains(markup), "{markup}");
        }
        assert!(html.contains("<h1>&lt;script&gt;alert(1)&lt;/script&gt; – B"));
        assert!(!game_data(&page()).contains(['<', '\u{2028}']));
        assert!(!html.contains("id=\"engine-module\""));
        // What opens is closed: the data, the script.
        assert_eq!(html.matches("<script").count(), 2);
        assert_eq!(html.matches("</script>").count(), 2);
    }

    #[test]
    fn the_data_can_be_read_again_but_for_what_fens_have_in_common() {
        let data = game_data(&page());
        let read: GamePage = serde_json::from_str(&data).expect("JSON");
        assert_eq!(read.tags, page().tags);
        assert_eq!(read.moves[0].step.fen, "////4P3//PPPP1PPP/ b    ");
        let best = read.moves[0].best.as_ref().expect("a line");
        assert_eq!(
            (best.moves[0].fen.as_str(), best.score),
            ("////4P3//PPPP1PPP/ b    ", Some(WhiteScore::Centipawns(30)))
        );
    }

    #[test]
    fn a_fen_of_another_form_is_written_in_full() {
        let mut other = step("e4", "8/8 b", "e2e4");
        assert_eq!(shorten(START, &mut other), "8/8 b");
        assert_eq!(other.fen, "8/8 b");
    }

    #[test]
    fn what_is_known_of_one_player_alone_is_shown() {
        let html = game_page(&page(), None);
        assert!(
            html.contains("<th>Accuracy</th><td class=\"number\">91.2 %</td><td class=\"number\">–</td>")
        );
        assert!(!html.contains("Average loss"));
    }
}
