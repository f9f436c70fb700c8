//! Features and options that an engine announces in its `feature` lines.

use std::collections::{BTreeSet, HashMap};

use game::PlayedVariant;
use messages::cecp::{Feature, OptionDefinition, Switch};

use crate::player::offered_name;
use crate::{OptionValue, PlayerFault, Repair, spec};

/// Features of an engine. The last value of a feature counts; options add up.
#[derive(Debug, Default)]
pub(crate) struct Features {
    switches: HashMap<Switch, bool>,
    /// Variants that the engine plays.
    pub(crate) variants: Option<Vec<String>>,
    /// Kinds of endgame tables that it reads.
    pub(crate) endgame_tables: Vec<String>,
    pub(crate) options: Vec<OptionDefinition>,
    pub(super) name: Option<String>,
    /// Faults because of which some features are not used.
    pub(crate) repairs: BTreeSet<Repair>,
}

impl Features {
    /// The features of an engine of which nothing is known but its faults.
    pub(crate) fn repaired(repairs: BTreeSet<Repair>) -> Features {
        Features { repairs, ..Features::default() }
    }

    /// Records a feature. Returns whether it is accepted: known and used.
    pub(crate) fn learn(&mut self, feature: Feature) -> bool {
        match feature {
            Feature::Switch(switch, on) => {
                if (switch, on) == (Switch::Done, false) {
                    self.options.clear();
                }
                self.switches.insert(switch, on);
            }
            Feature::Variants(names) => self.variants = Some(names),
            Feature::MyName(name) => self.name = Some(name.replace('\t', " ").trim().to_owned()),
            Feature::Option(option) => {
                self.options.retain(|known| known.name != option.name);
                self.options.push(option);
            }
            Feature::EndgameTables(kinds) => self.endgame_tables = kinds,
            Feature::Other { .. } => return false,
        }
        true
    }

    /// Records features that are sent after the handshake.
    pub(super) fn learn_all(&mut self, features: Vec<Feature>) {
        for feature in features {
            self.learn(feature);
        }
    }

    /// Whether a feature is on, by announcement or by default, and not broken.
    pub(crate) fn has(&self, switch: Switch) -> bool {
        let repaired = |repair| self.repairs.contains(&repair);
        match switch {
            Switch::Ping if repaired(Repair::Ping) => false,
            Switch::SetBoard if repaired(Repair::SetBoard) => false,
            Switch::Time if repaired(Repair::TimeCommands) => true,
            _ => self.offers(switch),
        }
    }

    /// Whether a feature is on, by announcement or by default.
    pub(crate) fn offers(&self, switch: Switch) -> bool {
        self.switches.get(&switch).copied().unwrap_or(switch.default())
    }

    /// Names of the features that the engine turned on or off, without `done`.
    pub(crate) fn asked_for(&self) -> Vec<&'static str> {
        let switches = self.switches.keys().filter(|&&switch| switch != Switch::Done);
        let mut names: Vec<_> = switches.map(|switch| switch.name()).collect();
        names.sort_unstable();
        names
    }

    /// Whether the engine has announced that no more features follow (`Some(true)`), or asked to wait for more.
    pub(crate) fn done(&self) -> Option<bool> {
        self.switches.get(&Switch::Done).copied()
    }

    /// Whether the engine plays a variant of this name.
    pub(crate) fn plays(&self, variant: &str) -> bool {
        self.variants().any(|name| name == variant)
    }

    /// Names of the variants that the engine plays. One that names none plays chess.
    pub(crate) fn variants(&self) -> impl Iterator<Item = &str> {
        let told = self.variants.as_deref().unwrap_or_default();
        told.iter().map(String::as_str).chain(told.is_empty().then_some("normal"))
    }

    /// The engine's name of a variant; `None` if it does not play it.
    pub(super) fn variant_name(&self, played: PlayedVariant) -> Option<&str> {
        offered_name(self.variants(), played)
    }

    /// Converts the value of an option for `option`; `None` presses a button.
    ///
    /// # Errors
    /// [`PlayerFault::Start`]: there is no such option, or the value is invalid.
    pub(crate) fn setting(&self, name: &str, value: &OptionValue) -> Result<Option<String>, PlayerFault> {
        let named = |option: &&OptionDefinition| option.name == name;
        let Some(option) = self.options.iter().find(named) else {
            return Err(spec::unknown_option(name, self.options.iter().map(|option| option.name.as_str())));
        };
        spec::option_setting(name, &option.kind, ["0", "1"], value)
    }
}

/// Returns the name of a feature for `accepted` and `rejected`.
pub(super) fn name(feature: &Feature) -> String {
    match feature {
        Feature::Switch(switch, _) => switch.name().to_owned(),
        Feature::Variants(_) => "variants".to_owned(),
        Feature::EndgameTables(_) => "egt".to_owned(),
        Feature::MyName(_) => "myname".to_owned(),
        Feature::Option(_) => "option".to_owned(),
        // An option of an unknown form is repeated as a whole.
        Feature::Other { name, value } if name == "option" => format!("{name} {value}"),
        Feature::Other { name, .. } => name.clone(),
    }
}
