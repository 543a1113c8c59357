//! Manual pages, made from the command line's own descriptions.

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::arguments::Arguments;

/// One manual page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its name: `sexton`, `sexton-list`.
    pub name: String,
    /// Its text in roff.
    pub text: String,
}

/// All pages, that of the program first.
pub fn pages() -> std::io::Result<Vec<Page>> {
    let mut command = Arguments::command();
    command.build();
    let mut pages = Vec::new();
    collect(&command, "sexton", &mut pages)?;
    Ok(pages)
}

fn collect(command: &Command, name: &str, pages: &mut Vec<Page>) -> std::io::Result<()> {
    let mut text = Vec::new();
    Man::new(command.clone()).title(name.to_uppercase()).render(&mut text)?;
    pages.push(Page {
        name: name.to_owned(),
        text: String::from_utf8_lossy(&text).into_owned(),
    });
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        collect(subcommand, &format!("{name}-{}", subcommand.get_name()), pages)?;
    }
    Ok(())
}
