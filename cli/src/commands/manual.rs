//! `quotient completions` and `quotient man`: both are generated from the definition of the command line.

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

/// Prints the manual page: the page of the tool, then one section a command.
pub(crate) fn man() -> Result<Outcome, Failure> {
    let mut page = Vec::new();
    let mut root = Cli::command();
    root.build();
    clap_mangen::Man::new(root.clone()).render(&mut page).map_err(|error| Failure::Internal(error.to_string()))?;
    for command in root.get_subcommands() {
        let name = format!("quotient {}", command.get_name());
        let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
        page.extend(format!(".SH \"{}\"\n{about}\n", name.to_uppercase()).into_bytes());
        let section = clap_mangen::Man::new(command.clone().bin_name(name));
        let mut render = || -> std::io::Result<()> {
            section.render_synopsis_section(&mut page)?;
            section.render_options_section(&mut page)?;
            section.render_extra_section(&mut page)
        };
        render().map_err(|error| Failure::Internal(error.to_string()))?;
    }
    io::write(None, &page)?;
    Ok(Outcome::Done)
}
