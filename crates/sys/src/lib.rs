//! What sexton asks of the operating system: durable writes that can be recorded instead, locks, listing, processes, clock.
