//! `quotient completions` and `quotient man`: both are generated from the definition of the command line.

use std::io::Write;

use clap::CommandFactory;
use clap::builder::StyledStr;

use crate::args::{Cli, CompletionsArgs};
use crate::io;
use crate::outcome::{Failure, Outcome};

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "quotient", &mut script);
    io::write(None, &script)?;
    Ok(Outcome::Done)
}

/// Prints the manual page: the page of the tool, with a section per command.
pub(crate) fn man() -> Result<Outcome, Failure> {
    let mut page = Vec::new();
    render(&mut page).map_err(|error| Failure::Internal(error.to_string()))?;
    io::write(None, &page)?;
    Ok(Outcome::Done)
}

fn render(page: &mut Vec<u8>) -> std::io::Result<()> {
    let mut root = Cli::command();
    root.build();
    let tool = clap_mangen::Man::new(root.clone());
    tool.render_title(page)?;
    tool.render_name_section(page)?;
    tool.render_synopsis_section(page)?;
    tool.render_options_section(page)?;
    for command in root.get_subcommands() {
        let name = format!("quotient {}", command.get_name());
        let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
        writeln!(page, ".SH \"{}\"\n{about}.", name.to_uppercase())?;
        let section = clap_mangen::Man::new(command.clone().display_name(name));
        section.render_synopsis_section(page)?;
        section.render_options_section(page)?;
        section.render_extra_section(page)?;
    }
    tool.render_extra_section(page)
}
