//! `eval prompt`: the system prompt that an agent would get.

use harness::prompt::system_prompt;

use super::stdout;
use crate::cli::PromptArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::settings::PromptSettings;

/// Prints the prompt exactly as a model would read it, or its sections apart as JSON.
///
/// # Errors
/// [`Error::Settings`], [`Error::Stdout`].
pub(super) fn execute(args: &PromptArgs) -> Result<Outcome, Error> {
    let settings = PromptSettings::resolve(args)?.announce();
    let prompt = system_prompt(&settings.agent());
    if settings.json {
        stdout::write_json(&prompt)?;
    } else {
        stdout::write(&(prompt.text() + "\n"))?;
    }
    Ok(Outcome::Complete)
}
