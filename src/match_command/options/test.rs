//! The sequential test.

use anyhow::{Context, Error, Result, ensure};
use arena::schedule::ColourOrder;
use arena::statistics::{EloModel, Sprt};
use clap::Args;
use clap::builder::PossibleValue;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::one_of;

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Sequential test")]
pub(in crate::match_command) struct TestOptions {
    /// Stop when a sequential probability ratio test has decided whether the first engine is stronger by ELO0 or by ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    pub(in crate::match_command) sprt: Option<String>,
    /// Probability of accepting ELO1 when ELO0 is true [default: 0.05]
    #[arg(long)]
    alpha: Option<f64>,
    /// Probability of accepting ELO0 when ELO1 is true [default: 0.05]
    #[arg(long)]
    beta: Option<f64>,
    /// Elo scale of the test; bayesian is for single games [default: normalised]
    #[arg(long, value_name = "MODEL", value_parser = one_of::<EloModel>([
        PossibleValue::new("logistic"),
        PossibleValue::new("normalised").alias("normalized"),
        PossibleValue::new("bayesian"),
    ]))]
    elo_model: Option<EloModel>,
}

impl TestOptions {
    /// Returns the test; on single games where openings are not played with both colours.
    pub(in crate::match_command) fn sprt(&self, colours: ColourOrder) -> Result<Option<Sprt>> {
        let Some(text) = &self.sprt else {
            ensure!(
                self.alpha.is_none() && self.beta.is_none() && self.elo_model.is_none(),
                "--alpha, --beta and --elo-model are for --sprt"
            );
            return Ok(None);
        };
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let hypotheses = text.split_once(',').and_then(|(elo0, elo1)| Some((number(elo0)?, number(elo1)?)));
        let (elo0, elo1) =
            hypotheses.with_context(|| format!("--sprt {text}: expected two differences, as in 0,5"))?;
        let model = self.elo_model.unwrap_or_default();
        let sprt = Sprt::new(elo0, elo1, self.alpha.unwrap_or(0.05), self.beta.unwrap_or(0.05), model);
        let sprt = sprt.map_err(Error::msg)?;
        Ok(Some(if colours == ColourOrder::Pairs { sprt } else { sprt.of_games() }))
    }

    /// Returns the settings that must be the same in a resumed match.
    pub(in crate::match_command) fn identity(&self) -> Value {
        json!({ "bounds": self.sprt, "alpha": self.alpha, "beta": self.beta, "elo-model": self.elo_model })
    }
}
