//! The flag `--mcp-server`, which starts a program whose tools agents may call.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use harness::sandbox::HostFunctions;

use super::SettingsError;
use super::flags::PERMISSIONS;
use super::values::is_variable_name;
use crate::process::invocation::quoted;

/// Maximum characters of a server's name, the prefix of its tools' names.
const MAX_NAME_CHARS: usize = 20;

/// MCP servers whose tools agents may call.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = PERMISSIONS)]
pub struct McpServerArgs {
    /// Start an MCP server and give its tools to the root and its children, as functions
    /// `NAME.tool`. COMMAND is in shell syntax and may begin with environment variables:
    /// `NAME=TOKEN=… COMMAND ARG …`; repeatable. The server gets no keys from this program's
    /// environment; models read its descriptions and results
    #[arg(
        long = "mcp-server",
        value_name = "NAME=COMMAND",
        value_delimiter = '\n',
        hide_env_values = true
    )]
    pub mcp_servers: Vec<McpServer>,
}

/// An MCP server to start.
#[derive(Clone, PartialEq, Eq)]
pub struct McpServer {
    /// Name of the JavaScript object that contains the server's tools.
    pub name: String,
    /// Environment variables for the server; their values may be secrets.
    pub variables: Vec<(String, String)>,
    /// Program and arguments.
    pub words: Vec<String>,
}

impl FromStr for McpServer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected NAME=COMMAND, such as 'notes=python notes.py'";
        let (name, command) = text.split_once('=').ok_or(EXPECTED)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts_well || name.len() > MAX_NAME_CHARS || !name.chars().all(is_name) {
            return Err(format!(
                "invalid name {name:?}: expected a lowercase letter, then letters, digits and \
                 `_`, at most {MAX_NAME_CHARS} characters in total"
            ));
        }
        let in_repl = HostFunctions::new([format!("{name}.tool")]);
        in_repl.map_err(|error| error.to_string())?;
        let words = shlex::split(command).ok_or("unclosed quote in the command")?;
        let mut variables = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some((variable, value)) = words.peek().and_then(|word| assignment(word)) {
            variables.push((variable.to_owned(), value.to_owned()));
            words.next();
        }
        let words: Vec<String> = words.collect();
        if words.first().is_none_or(String::is_empty) {
            return Err(EXPECTED.to_owned());
        }
        Ok(Self {
            name: name.to_owned(),
            variables,
            words,
        })
    }
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    word.split_once('=')
        .filter(|(name, _)| is_variable_name(name))
}

impl McpServer {
    /// Returns the flag, quoted for a shell, without the values of variables.
    pub fn word(&self) -> String {
        let variables = self.variables.iter();
        let variables = variables.map(|(name, _)| format!("{name}=…"));
        let words = self.words.iter().map(|word| quoted(word));
        let command: Vec<String> = variables.chain(words).collect();
        format!(
            "--mcp-server {}",
            quoted(&format!("{}={}", self.name, command.join(" ")))
        )
    }
}

/// Omits the values of variables, which may be secrets.
impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word())
    }
}

/// Returns the error for a program that was built without the feature `mcp`.
pub fn mcp_not_built() -> SettingsError {
    SettingsError::with_hint(
        "this program was built without the feature `mcp`, which the Model Context Protocol \
         requires",
        "`cargo install --path eval --locked --features full` builds it with all features",
    )
}

#[cfg(test)]
mod tests {
    use super::McpServer;

    #[test]
    fn parses_name_variables_and_command() {
        let parse = |text: &str| text.parse::<McpServer>();
        let server = parse("notes=TOKEN=a=b KEY='x y' python 'my notes.py' --x=1").unwrap();
        assert_eq!(server.name, "notes");
        assert_eq!(
            server.variables,
            [("TOKEN".into(), "a=b".into()), ("KEY".into(), "x y".into())]
        );
        assert_eq!(server.words, ["python", "my notes.py", "--x=1"]);
        let shown = format!("{server:?}");
        assert!(
            !shown.contains("a=b") && shown.contains("TOKEN=…"),
            "{shown}"
        );
        for wrong in [
            "notes",
            "notes=",
            "=python x",
            "Notes=python x",
            "1a=python x",
            "my-notes=python x",
            "console=python x",
            "llm=python x",
            "class=python x",
            "notes=python 'x",
            "notes=TOKEN=a",
            "a_very_long_name_of_a_server=python x",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
