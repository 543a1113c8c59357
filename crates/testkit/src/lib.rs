//! Test support: a hermetic environment, a corpus generator, bad input. Never shipped.
