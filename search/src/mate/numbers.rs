//! Proof and disproof numbers.

/// Estimated number of leaves that must be solved to decide a node, from the view of the side to move: the `phi` and
/// `delta` of df-pn. The attacker's goal is to mate, the defender's is to avoid it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// Leaves to solve to prove that the side to move reaches its goal.
    pub(super) phi: u32,
    /// Leaves to solve to prove that it does not.
    pub(super) delta: u32,
}

impl Numbers {
    /// The number of something impossible.
    pub(super) const INFINITE: u32 = u32::MAX / 4;
    /// The side to move reaches its goal.
    pub(super) const WON: Numbers = Numbers { phi: 0, delta: Numbers::INFINITE };
    /// The side to move does not reach its goal.
    pub(super) const LOST: Numbers = Numbers { phi: Numbers::INFINITE, delta: 0 };
    /// As a limit: no limit until the node is decided.
    pub(super) const UNLIMITED: Numbers = Numbers { phi: Numbers::INFINITE, delta: Numbers::INFINITE };

    /// Whether a number has reached its limit, which is always so if the node is decided.
    pub(super) fn reach(self, limit: Numbers) -> bool {
        self.phi >= limit.phi || self.delta >= limit.delta
    }
}
