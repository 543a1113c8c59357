//! Derived knowledge: the catalogue of sessions, full text, retained sessions and the vault of compressed copies.
