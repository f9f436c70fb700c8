//! `herald-trainer trees`: positions of search trees.
//!
//! A search of a few thousand nodes finds out of hundreds of positions on which side of a score they lie, and a network that
//! knows as much needs no search for it. Learning from all nodes of a tree is J. Veness's `TreeStrap` (2009); here the
//! bounds are learnt as such.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use search::network::{Network, fingerprint};
use search::{Bound, Limits, Position, Root, STACK_SIZE, TreeNode};

use crate::generate::SelfPlayer;
use crate::random::Random;
use crate::record::{ChunkReader, GameRecord, TREE_EXTENSION, TreeFile, chunks_of, quiet_score};
use crate::train::{HELD_OUT, Sample};
use crate::{InputError, MOST_MINUTES, MOST_THREADS, read_network, say, within};

/// Search positions of games and keep positions of the search trees; the same command continues an interrupted run with the first
/// file that is not there
#[derive(Args)]
#[command(after_help = "Example: herald-trainer trees data/selfplay --output data/trees\n\
                        herald-trainer train data/selfplay --trees data/trees --output data/net1 --buckets 8")]
pub(crate) struct Trees {
    /// Game files, or folders of game files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Output folder: one file for each game file
    #[arg(long)]
    output: PathBuf,
    /// Network file [default: embedded network]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Number of searches of each game, from positions by chance
    #[arg(long, default_value_t = 6)]
    roots: usize,
    #[command(flatten)]
    choice: Choice,
    /// Nodes of each search
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Search each of these positions by itself and keep its score instead of a bound, if the best move is no capture or promotion. No
    /// iteration begins after this number of nodes; the search ends at eight times as many
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    exact: Option<u64>,
    /// Random seed; the same seed gives the same positions on any number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads; 0 means one per processor core
    #[arg(long, default_value_t = 0, value_parser = within(0, MOST_THREADS))]
    threads: usize,
    /// Start no new file after this number of minutes
    #[arg(long, value_parser = within(0.0, MOST_MINUTES))]
    minutes: Option<f64>,
}

/// Which positions of search trees are kept.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Largest score of the root of a tree, in centipawns. Positions with scores of 1000 or more are never kept
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(i32).range(0..=1000))]
    pub(crate) most_uneven: i32,
    /// Least depth of a position of a tree that is kept, in plies
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(i32).range(1..))]
    pub(crate) depth: i32,
    /// One in this number of the positions of the least depth is kept, by chance; of those a ply deeper, twice as many, and so on
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) one_in: u32,
}

/// Positions with scores beyond this, in centipawns, are not kept.
pub(crate) const MOST: i32 = 1000;
/// Largest number of random moves before a search.
const STRAY_MOVES: usize = 1;
/// Number of games that a thread takes at a time.
const GAMES_AT_A_TIME: usize = 16;

impl Trees {
    pub(crate) fn run(&self) -> Result<()> {
        let network = read_network(self.network.as_deref().unwrap_or(Path::new("")))?;
        let files = self.files()?;
        std::fs::create_dir_all(&self.output)
            .with_context(|| format!("{} can't be created", self.output.display()))
            .context(InputError)?;
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).stack_size(STACK_SIZE).build()?;
        let progress = ProgressBar::new(files.len() as u64)
            .with_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} files, {eta} left")?);
        // Before the first search, so that no file of another recipe comes beside those that are there.
        let mut missing = Vec::new();
        for (path, file) in &files {
            let recipe = self.recipe(&network, file)?;
            if !TreeFile::exists(path, recipe)? {
                missing.push((path, file, recipe));
            }
        }
        progress.set_position((files.len() - missing.len()) as u64);
        let (begun, mut found) = (Instant::now(), 0);
        for (path, file, recipe) in missing {
            if self.minutes.is_some_and(|minutes| begun.elapsed().as_secs_f64() > 60.0 * minutes) {
                break;
            }
            let trees = pool.install(|| self.search(file, &network, recipe))?;
            found += trees.len();
            trees.write(path)?;
            progress.inc(1);
        }
        progress.finish_and_clear();
        say(format_args!("{found} positions in {:.0} s", begun.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Returns the game files, each with the path of its tree file.
    fn files(&self) -> Result<BTreeMap<PathBuf, PathBuf>> {
        let mut files = BTreeMap::new();
        for file in chunks_of(&self.games)? {
            let path = self.output_of(&file);
            let fault = format!(
                "{} has the same name as another one: give them outputs of their own",
                file.display()
            );
            let earlier = files.insert(path, file);
            ensure!(earlier.is_none(), anyhow!(InputError).context(fault));
        }
        Ok(files)
    }

    /// Returns the path of the tree file of a game file: named after its folder too, as the names of game files recur.
    fn output_of(&self, games: &Path) -> PathBuf {
        let path = games.canonicalize().unwrap_or_else(|_| games.into());
        let text = |name: Option<&OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
        let folder = text(path.parent().and_then(Path::file_name));
        self.output.join(format!("{folder}-{}.{TREE_EXTENSION}", text(path.file_stem())))
    }

    /// Returns the fingerprint of all on which the positions depend: games, network and settings.
    fn recipe(&self, network: &Network, games: &Path) -> Result<u64> {
        let Trees { roots, choice: Choice { most_uneven, depth, one_in }, nodes, exact, seed, .. } = self;
        let context = || format!("{} can't be used", games.display());
        let games = fingerprint(&std::fs::read(games).with_context(context).context(InputError)?);
        let network = network.fingerprint;
        let settings = format!(
            "{roots} {most_uneven} {nodes} {depth} {one_in} {exact:?} {seed} {STRAY_MOVES} {MOST} {HELD_OUT}"
        );
        Ok(fingerprint(format!("{games:x} {network:x} {settings}").as_bytes()))
    }

    /// Searches positions of the games of a file.
    fn search(&self, file: &Path, network: &Arc<Network>, recipe: u64) -> Result<TreeFile> {
        let mut reader = ChunkReader::open(file)?;
        let mut games = Vec::new();
        while let Some((number, game, _)) = reader.next_game()? {
            games.push((number, game));
        }
        let found: Vec<Vec<Vec<Sample>>> = games
            .par_chunks(GAMES_AT_A_TIME)
            .map(|games| {
                let mut player = SelfPlayer::new(network)?;
                Ok(games.iter().map(|(number, game)| self.trees_of(&mut player, *number, game)).collect())
            })
            .collect::<Result<_>>()?;
        let mut trees = TreeFile { recipe, ..TreeFile::default() };
        for ((number, _), samples) in games.iter().zip(found.into_iter().flatten()) {
            trees.add(*number, samples);
        }
        Ok(trees)
    }

    /// Searches some positions of a game. The player's memory is cleared first.
    fn trees_of(&self, player: &mut SelfPlayer, number: u64, game: &GameRecord) -> Vec<Sample> {
        let mut random = Random::new(self.seed, number);
        let is_wanted = |(ply, (position, played)): (usize, (Position, _))| {
            quiet_score(ply, &position, played)
                .filter(|score| score.abs() <= self.choice.most_uneven)
                .map(|_| position)
        };
        let positions: Vec<Position> = game.positions().enumerate().filter_map(is_wanted).collect();
        if positions.is_empty() {
            return Vec::new();
        }
        player.clear();
        player.searcher.record_tree(self.choice.depth, self.choice.one_in, random.next());
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        for _ in 0..self.roots {
            let position = strayed(&positions[random.below(positions.len())], &mut random);
            player.think_within(&Root::new(position, Vec::new()), &limits);
        }
        let mut nodes = deepest(player.searcher.take_tree());
        if let Some(exact) = self.exact {
            nodes.retain_mut(|node| stays_quiet(player, node, exact));
        }
        samples_of(&nodes)
    }
}

/// Returns the nodes that are kept as samples.
pub(crate) fn samples_of(nodes: &[TreeNode]) -> Vec<Sample> {
    nodes.iter().filter(|node| node.score.value().abs() < MOST).map(Sample::of_node).collect()
}

/// Gives a position the score of a search of its own. Returns whether it is quiet by that search too.
fn stays_quiet(player: &mut SelfPlayer, node: &mut TreeNode, nodes: u64) -> bool {
    let answer = player.think(&Root::new(node.position.clone(), Vec::new()), nodes);
    node.score = answer.score;
    node.bound = Bound::Exact;
    node.depth = answer.depth as i32;
    answer.best.is_some_and(|best| !node.position.is_tactical(best))
}

/// Returns each position once, as it was searched most deeply, and of equal depths last: what an earlier iteration found, the
/// later ones often refute.
pub(crate) fn deepest(nodes: Vec<TreeNode>) -> Vec<TreeNode> {
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut kept: Vec<TreeNode> = Vec::new();
    for node in nodes {
        match places.entry(node.position.keys().full) {
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(node);
            }
            Entry::Occupied(place) => {
                let known = &mut kept[*place.get()];
                if node.depth >= known.depth {
                    *known = node;
                }
            }
        }
    }
    kept
}

/// Returns a position after up to [`STRAY_MOVES`] random moves, so that the trees of a game have less in common.
fn strayed(position: &Position, random: &mut Random) -> Position {
    let mut strayed = position.clone();
    for _ in 0..random.below(STRAY_MOVES + 1) {
        let moves = strayed.legal_moves();
        if moves.is_empty() {
            break;
        }
        strayed = strayed.make(moves[random.below(moves.len())]);
    }
    strayed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::random_games;
    use crate::record::{ChunkWriter, Recipe};
    use crate::train::Source;
    use search::Score;

    fn trees(folder: &Path, name: &str, threads: usize, exact: Option<u64>) -> TreeFile {
        let trees = Trees {
            games: vec![folder.join("games")],
            output: folder.join(name),
            network: None,
            roots: 2,
            choice: Choice { most_uneven: 1000, depth: 1, one_in: 1 },
            nodes: 1000,
            exact,
            seed: 1,
            threads,
            minutes: None,
        };
        trees.run().unwrap();
        TreeFile::read(&folder.join(name).join("games-seed-1-0000000.tree")).unwrap()
    }

    fn folder_of_games() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let recipe = Recipe { seed: 1, soft_nodes: 1, chess960_percent: 0, network: 0 };
        let mut writer = ChunkWriter::resume(&folder.path().join("games"), recipe, 1000).unwrap();
        for game in random_games(3, 60) {
            writer.append(&game.encode()).unwrap();
        }
        folder
    }

    #[test]
    fn of_several_findings_the_deepest_and_last_is_kept() {
        let start = Position::default();
        let node = |position: &Position, depth, score| TreeNode {
            position: position.clone(),
            score: Score::centipawns(score),
            bound: Bound::Lower,
            depth,
        };
        let other = start.make(start.legal_moves()[0]);
        let found = [(&start, 3, 10), (&other, 4, 20), (&start, 5, 30), (&start, 4, 40), (&start, 5, 50)];
        let kept = deepest(found.map(|(position, depth, score)| node(position, depth, score)).to_vec());
        assert_eq!(kept, [node(&start, 5, 50), node(&other, 4, 20)]);
    }

    #[test]
    fn a_game_has_the_same_trees_on_any_number_of_threads() {
        let folder = folder_of_games();
        let (one, two) = (trees(folder.path(), "one", 1, None), trees(folder.path(), "two", 2, None));
        assert_eq!(one, two);
        assert!(one.training.len() > 500 && !one.held_out.is_empty(), "{}", one.training.len());
        let again = trees(folder.path(), "one", 1, None);
        assert_eq!(again, one, "the file is there already");
    }

    #[test]
    fn with_searches_of_their_own_positions_have_exact_scores() {
        let folder = folder_of_games();
        let bounds = trees(folder.path(), "bounds", 2, None).training;
        let exact = trees(folder.path(), "exact", 2, Some(100)).training;
        assert!(exact.iter().all(|sample| sample.source() == Source::Tree(Bound::Exact)));
        // Some are not quiet by such a search.
        assert!(
            (bounds.len() / 4..bounds.len()).contains(&exact.len()),
            "{} of {}",
            exact.len(),
            bounds.len()
        );
    }
}
