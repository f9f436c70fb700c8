//! Proof and disproof numbers.

/// What is left to do to decide a node, in leaves as far as one can tell, from the view of the side to move: the `phi`
/// and `delta` of df-pn. The goal of the attacker is to mate, that of the defender to hold out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    /// To show that the side to move reaches its goal.
    pub(super) phi: u32,
    /// To show that it does not.
    pub(super) delta: u32,
}

impl Numbers {
    /// What can't be done.
    pub(super) const INFINITE: u32 = u32::MAX / 4;
    /// The side to move reaches its goal.
    pub(super) const WON: Numbers = Numbers { phi: 0, delta: Numbers::INFINITE };
    /// The side to move does not reach its goal.
    pub(super) const LOST: Numbers = Numbers { phi: Numbers::INFINITE, delta: 0 };
    /// As a limit: until the node is decided.
    pub(super) const UNLIMITED: Numbers = Numbers { phi: Numbers::INFINITE, delta: Numbers::INFINITE };

    /// Whether a number has reached its limit. So it has when the node is decided.
    #[inline]
    pub(super) fn reach(self, limit: Numbers) -> bool {
        self.phi >= limit.phi || self.delta >= limit.delta
    }
}
