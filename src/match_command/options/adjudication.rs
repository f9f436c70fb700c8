//! Games that end before mate.

use std::num::NonZeroU32;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use arena::{Adjudication, DrawByScore, DrawRule, ResignByScore, Rules, TablebaseEnds, TablebaseRule};
use clap::Args;
use game::SyzygyTables;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::one_of;

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Adjudication")]
pub(in crate::match_command) struct AdjudicationOptions {
    /// Adjudicate draws, for example "movenumber=40 movecount=8 score=10": from move 40 on, after 8 moves without capture
    /// or pawn move in which both engines' scores were within 10 centipawns
    #[arg(long, value_name = "WHEN")]
    draw: Option<String>,
    /// Adjudicate wins, for example "movecount=4 score=600 twosided=true"
    #[arg(long, value_name = "WHEN")]
    resign: Option<String>,
    /// Number of moves after which a game is drawn
    #[arg(long, value_name = "N")]
    max_moves: Option<NonZeroU32>,
    /// FIDE rules for draws: threefold repetition and fifty moves must be claimed, fivefold repetition and 75 moves end the game
    #[arg(long)]
    fide_draws: bool,
    /// Adjudicate with the Syzygy tables in these folders, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    tablebases: Option<String>,
    /// Most pieces, kings included, of positions that the tables adjudicate [default: as many as the tables have]
    #[arg(long, value_name = "N")]
    tablebase_men: Option<usize>,
    /// Adjudicate by the tables as if there were no fifty-move rule
    #[arg(long)]
    tablebase_ignore_50: bool,
    /// What the tables adjudicate [default: both]
    #[arg(long, value_parser = one_of::<TablebaseEnds>(["both", "wins", "draws"]), value_name = "RESULTS")]
    tablebase_ends: Option<TablebaseEnds>,
}

impl AdjudicationOptions {
    pub(in crate::match_command) fn rules(&self) -> Result<Rules> {
        let (draw, resign) = self.by_scores()?;
        let adjudication =
            Adjudication { tablebases: self.tablebases()?, draw, resign, longest: self.max_moves };
        let draws = if self.fide_draws { DrawRule::Automatic } else { DrawRule::Claimed };
        Ok(Rules { draws, adjudication, ..Rules::default() })
    }

    /// Returns the rules that look at the engines' scores.
    pub(in crate::match_command) fn by_scores(&self) -> Result<(Option<DrawByScore>, Option<ResignByScore>)> {
        let draw = self.draw.as_deref().map(|text| by_score("--draw", text)).transpose()?;
        let resign = self.resign.as_deref().map(|text| by_score("--resign", text)).transpose()?;
        Ok((draw, resign))
    }

    fn tablebases(&self) -> Result<Option<TablebaseRule>> {
        let Some(folders) = &self.tablebases else {
            ensure!(
                self.tablebase_men.is_none() && !self.tablebase_ignore_50 && self.tablebase_ends.is_none(),
                "--tablebase-men, --tablebase-ignore-50 and --tablebase-ends are for --tablebases"
            );
            return Ok(None);
        };
        let tables = SyzygyTables::open(folders).with_context(|| format!("--tablebases {folders}"))?;
        Ok(Some(TablebaseRule {
            tables: Arc::new(tables),
            men: self.tablebase_men,
            fifty_moves: !self.tablebase_ignore_50,
            ends: self.tablebase_ends.unwrap_or_default(),
        }))
    }

    /// Adds the settings that must be the same in a resumed match.
    pub(in crate::match_command) fn identify(&self, settings: &mut Map<String, Value>) {
        let values = [
            ("draw", json!(self.draw)),
            ("resign", json!(self.resign)),
            ("max-moves", json!(self.max_moves)),
            ("tablebases", json!(self.tablebases)),
            ("tablebase-men", json!(self.tablebase_men)),
            ("tablebase-ignore-50", json!(self.tablebase_ignore_50.then_some(true))),
            ("tablebase-ends", json!(self.tablebase_ends)),
            ("fide-draws", json!(self.fide_draws)),
        ];
        settings.extend(values.map(|(key, value)| (key.to_owned(), value)));
    }
}

/// Parses an adjudication rule of `KEY=VALUE` words. Separated by line feeds they are TOML.
fn by_score<T: DeserializeOwned>(flag: &str, text: &str) -> Result<T> {
    let lines = text.split_whitespace().collect::<Vec<_>>().join("\n");
    toml::from_str(&lines).map_err(|error| anyhow!("{flag} \"{text}\": {}", error.message()))
}
