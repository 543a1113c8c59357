//! `sexton list`

mod damage;
mod filters;
mod names;
mod pass;
mod screen;
mod states;
