//! One message of a conversation, with its files and images.

/// One message.
#[derive(Debug)]
pub(crate) struct Turn {
    pub speaker: Speaker,
    pub text: String,
    pub files: Vec<Piece>,
    /// Images as data URLs.
    pub images: Vec<String>,
}

impl Turn {
    pub(crate) const fn new(speaker: Speaker, text: String) -> Self {
        Self {
            speaker,
            text,
            files: Vec::new(),
            images: Vec::new(),
        }
    }
}

/// A named text of the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub name: String,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// `system` and `developer` messages, and `instructions`.
    Instructions,
    User,
    Assistant,
    Tool,
}

impl Speaker {
    /// Returns the speaker's name in the text of a conversation.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Instructions => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}
