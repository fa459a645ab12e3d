//! What to do about settings that are wrong.

use harness::hook::HookRegistryError;
use harness::prompt::PromptError;

use super::SettingsError;

impl SettingsError {
    /// What to do about it, where that is more than the message says.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::UnknownPrompt { .. } => {
                "`rlm-eval list prompts` shows what there is; --prompts-dir adds your own"
            }
            Self::Definitions(_) => "`rlm-eval prompt --check DIR` shows all faults of a folder",
            Self::UnknownBenchmark { .. } => "`rlm-eval list benchmarks` shows what there is",
            Self::UnknownScorer { .. } => "`rlm-eval list scorers` shows what there is",
            Self::FixedScorer { .. } => {
                "leave --scorer out, or give `judge` or a JavaScript file; `rlm-eval score` scores a run again by any"
            }
            Self::UnknownModel { .. } => "`rlm-eval list models` shows what there is",
            Self::Unpriced { .. } => {
                return Some(
                    "give its price with --prices FILE; docs/MODELS.md shows one".to_owned(),
                );
            }
            Self::NoKey { variable, .. } => {
                return Some(format!(
                    "export {variable}=…, or put that line into a file .env here or in a folder above"
                ));
            }
            Self::SecretModelArg { variable, .. } => {
                let variable = variable.as_deref().unwrap_or("OPENAI_API_KEY");
                return Some(format!(
                    "export {variable}=…, or put that line into a file .env: a key is sent as its server expects it, and \
                     stored nowhere"
                ));
            }
            Self::UnnamedAddress { address, .. } => {
                return Some(format!(
                    "to send it there, add --base-url {address} to `rlm-eval run --resume`, or set {}={address}",
                    crate::env_vars::of_flag("--base-url")
                ));
            }
            Self::BaseUrlWithoutServer => {
                "the server of a judge beside such a model is named by a variable: OPENAI_BASE_URL, ANTHROPIC_BASE_URL, …"
            }
            Self::Inert(inert) => return Some(inert.hint.clone()),
            Self::UnfitDriver(unfit) => {
                return Some(format!(
                    "leave `{}` out; a driver of your own names in `protocols` what it is written for",
                    unfit.name
                ));
            }
            Self::WebAgent { .. } => "docs/WEB.md lists what the file may hold",
            Self::LonelyChild { .. } => "use --depth 0, or --protocol rlm",
            Self::Lineage { .. } => {
                "give --lineage once for each depth above, the root's query first, or never"
            }
            Self::ProfileDriver { .. } | Self::Prompt(PromptError::UnknownDriver { .. }) => {
                "`rlm-eval list drivers` shows what there is; --drivers-dir adds your own"
            }
            Self::Prompt(PromptError::UnknownProfile { .. }) => {
                "`rlm-eval list profiles` shows what there is; --profiles-file adds your own"
            }
            Self::Hook(HookRegistryError::Unknown { .. }) => {
                "`rlm-eval list hooks` shows what there is; --hooks-dir adds your own"
            }
            Self::EnvFile { .. }
            | Self::Hook(_)
            | Self::HookRuntime(_)
            | Self::Tools { .. }
            | Self::JudgeWithoutModel
            | Self::Sandbox(_)
            | Self::JudgePrompt { .. }
            | Self::Unsupported { .. }
            | Self::ModelArgs { .. }
            | Self::ModelArgTwice { .. }
            | Self::UnknownProvider { .. }
            | Self::OutOfBounds { .. }
            | Self::PathNotUtf8(_)
            | Self::RunDir(_)
            | Self::NotResumable { .. }
            | Self::LogDirOfResumed { .. }
            | Self::ContextLength { .. }
            | Self::Matrix { .. }
            | Self::MatrixFile { .. }
            | Self::Prices(_)
            | Self::Filter { .. }
            | Self::NoData { .. }
            | Self::Mirror { .. }
            | Self::NoHome
            | Self::BlankQuery { .. }
            | Self::SameRunTwice { .. }
            | Self::OutputIsInput { .. }
            | Self::Read { .. }
            | Self::NotUtf8 { .. }
            | Self::TooLong { .. }
            | Self::LayerFile { .. }
            | Self::NotOneLine { .. }
            | Self::Date { .. }
            | Self::Prompt(_) => return None,
        };
        Some(hint.to_owned())
    }
}
