#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sexton_invariants::configuration(bytes));
