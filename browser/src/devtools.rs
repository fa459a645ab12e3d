//! The subset of the `DevTools` protocol that this crate uses: commands with their responses, and
//! the pipe that carries them.
//!
//! Source: <https://chromedevtools.github.io/devtools-protocol/tot/>.

use std::io;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

/// Terminator of a message.
const END: u8 = 0;

/// A command to the browser. Its fields are the parameters.
pub(crate) trait Command: Serialize {
    /// Domain and name of the command, such as `Page.navigate`.
    const METHOD: &'static str;
    /// Type of the browser's response.
    type Answer: DeserializeOwned;
}

macro_rules! commands {
    ($($(#[$about:meta])* $name:ident $method:literal {$($field:ident: $kind:ty),*} -> $answer:ty;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            $(pub $field: $kind,)*
        }

        impl Command for $name {
            const METHOD: &'static str = $method;
            type Answer = $answer;
        }
    )*};
}

commands! {
    SetDiscoverTargets "Target.setDiscoverTargets" {discover: bool} -> IgnoredAny;
    SetAutoAttach "Target.setAutoAttach" {auto_attach: bool, wait_for_debugger_on_start: bool, flatten: bool} -> IgnoredAny;
    CreateBrowserContext "Target.createBrowserContext" {} -> BrowserContext;
    DisposeBrowserContext "Target.disposeBrowserContext" {browser_context_id: String} -> IgnoredAny;
    CreateTarget "Target.createTarget" {
        url: &'static str, browser_context_id: String, new_window: bool, width: u32, height: u32
    } -> Target;
    CloseTarget "Target.closeTarget" {target_id: String} -> IgnoredAny;
    EnablePage "Page.enable" {} -> IgnoredAny;
    /// Sent with buffer sizes of 0, because only the requests are observed, not their bodies.
    EnableNetwork "Network.enable" {max_total_buffer_size: u32, max_resource_buffer_size: u32} -> IgnoredAny;
    SetCookies "Storage.setCookies" {cookies: Vec<Cookie>, browser_context_id: String} -> IgnoredAny;
    AddScript "Page.addScriptToEvaluateOnNewDocument" {source: String} -> AddedScript;
    RemoveScript "Page.removeScriptToEvaluateOnNewDocument" {identifier: String} -> IgnoredAny;
    EnableInspector "Inspector.enable" {} -> IgnoredAny;
    Navigate "Page.navigate" {url: String} -> Navigation;
    HandleDialog "Page.handleJavaScriptDialog" {accept: bool, prompt_text: Option<String>} -> IgnoredAny;
    /// Takes a PNG of the viewport, or of `clip`.
    CaptureScreenshot "Page.captureScreenshot" {clip: Option<Viewport>, capture_beyond_viewport: bool} -> Screenshot;
    GetLayoutMetrics "Page.getLayoutMetrics" {} -> LayoutMetrics;
    CreateIsolatedWorld "Page.createIsolatedWorld" {frame_id: String, world_name: &'static str} -> World;
    SetFocusEmulation "Emulation.setFocusEmulationEnabled" {enabled: bool} -> IgnoredAny;
    SetDeviceMetrics "Emulation.setDeviceMetricsOverride" {
        width: u32, height: u32, device_scale_factor: f64, mobile: bool
    } -> IgnoredAny;
    RunIfWaitingForDebugger "Runtime.runIfWaitingForDebugger" {} -> IgnoredAny;
    TerminateExecution "Runtime.terminateExecution" {} -> IgnoredAny;
    Evaluate "Runtime.evaluate" {
        expression: String, context_id: Option<i64>, await_promise: bool, return_by_value: bool, user_gesture: bool
    } -> Evaluated;
    /// Describes the DOM node that a script value refers to.
    DescribeNode "DOM.describeNode" {object_id: String} -> Described;
    ReleaseObject "Runtime.releaseObject" {object_id: String} -> IgnoredAny;
    DispatchMouseEvent "Input.dispatchMouseEvent" {
        r#type: &'static str, x: f64, y: f64, button: &'static str, buttons: u32, click_count: u32
    } -> IgnoredAny;
    DispatchKeyEvent "Input.dispatchKeyEvent" {
        r#type: &'static str, modifiers: u32, key: String, code: String, windows_virtual_key_code: u32, text: Option<String>
    } -> IgnoredAny;
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserContext {
    pub browser_context_id: String,
}

/// A cookie for the page at an address.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Cookie {
    pub url: String,
    pub name: String,
    pub value: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AddedScript {
    pub identifier: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Target {
    pub target_id: String,
}

/// Response to [`Navigate`]; `loader_id` is `None` if the document stays the same.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Navigation {
    pub loader_id: Option<String>,
    pub error_text: Option<String>,
}

/// A part of a page, in CSS pixels.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Viewport {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub scale: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Screenshot {
    /// Image in Base64.
    pub data: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LayoutMetrics {
    pub css_content_size: Size,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Size {
    pub width: f64,
    pub height: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct World {
    pub execution_context_id: i64,
}

/// Value or exception of a script.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    pub result: RemoteObject,
    pub exception_details: Option<Exception>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Exception {
    pub text: String,
    pub exception: Option<RemoteObject>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemoteObject {
    pub object_id: Option<String>,
    pub value: Option<Value>,
    pub description: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Described {
    pub node: Node,
}

/// A DOM node; only frame elements have a frame id.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node {
    pub frame_id: Option<String>,
}

/// A message from the browser: the response to a command if it has an id, otherwise an event.
#[derive(Debug, Deserialize)]
pub(crate) struct Received {
    pub id: Option<u64>,
    #[serde(default)]
    pub result: Value,
    pub error: Option<CommandError>,
    #[serde(default)]
    pub method: String,
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    #[serde(default)]
    pub params: Value,
}

/// Error in response to a command.
#[derive(Debug, Deserialize)]
pub(crate) struct CommandError {
    pub message: String,
}

/// This program's ends of the two pipes to a browser. They carry JSON messages, each followed by a
/// NUL.
#[derive(Debug)]
pub(crate) struct Pipe<W, R> {
    commands: W,
    messages: BufReader<R>,
    /// Bytes of the next message received so far.
    partial: Vec<u8>,
    next: u64,
}

impl<W: AsyncWrite + Unpin, R: AsyncRead + Unpin> Pipe<W, R> {
    pub(crate) fn new(commands: W, messages: R) -> Self {
        Self {
            commands,
            messages: BufReader::new(messages),
            partial: Vec::new(),
            next: 0,
        }
    }

    /// Sends a command to the browser, or to one of its sessions. Returns the id of its response.
    pub(crate) async fn send(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> io::Result<u64> {
        let id = self.next;
        self.next += 1;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        // JSON escapes control characters, so a message contains no NUL.
        let mut bytes = message.to_string().into_bytes();
        bytes.push(END);
        self.commands.write_all(&bytes).await?;
        self.commands.flush().await?;
        Ok(id)
    }

    /// Returns the next message, or `None` once the browser has closed the pipe. Cancel safe:
    /// partial data is kept. A message may have any size, for example a dump or a screenshot.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Received>> {
        loop {
            match self.messages.read_until(END, &mut self.partial).await {
                Ok(_) if self.partial.last() == Some(&END) => {}
                Ok(_) => return None,
                Err(error) => return Some(Err(error)),
            }
            self.partial.pop();
            let received = serde_json::from_slice(&self.partial);
            self.partial.clear();
            if let Ok(received) = received {
                return Some(Ok(received));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::{Pipe, json};

    /// Writes the chunks of each row into a pipe, cancels the waiting read after every chunk, and
    /// compares the methods of the received messages.
    #[test]
    fn reassembles_messages_split_across_reads() {
        let rows: [(&[&str], &[&str]); 4] = [
            (&["{\"method\":\"a\"}\0{\"method\":\"b\"}\0"], &["a", "b"]),
            (&["{\"met", "hod\":\"a\"", "}", "\0"], &["a"]),
            (&["no JSON\0\0{\"method\":\"a\"}\0"], &["a"]),
            (&["{\"method\":\"a\"}\0{\"method\":\"cut off\"}"], &["a"]),
        ];
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        for (pieces, expected) in rows {
            runtime.block_on(async {
                let (mut browser, messages) = duplex(1_024);
                let mut pipe = Pipe::new(tokio::io::sink(), messages);
                let mut methods = Vec::new();
                for piece in pieces {
                    browser.write_all(piece.as_bytes()).await.unwrap();
                    while let Some(received) = futures::FutureExt::now_or_never(pipe.next()) {
                        methods.push(received.unwrap().unwrap().method);
                    }
                }
                drop(browser);
                assert!(pipe.next().await.is_none());
                assert_eq!(methods, expected, "{pieces:?}");
            });
        }
    }

    #[test]
    fn numbers_and_terminates_commands() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (commands, mut browser) = duplex(1_024);
            let mut pipe = Pipe::new(commands, tokio::io::empty());
            let nul = json!({ "a": "\0" });
            assert_eq!(pipe.send(None, "A.a", &nul).await.unwrap(), 0);
            assert_eq!(pipe.send(Some("s"), "B.b", &json!({})).await.unwrap(), 1);
            drop(pipe);
            let mut sent = String::new();
            browser.read_to_string(&mut sent).await.unwrap();
            let expected = concat!(
                r#"{"id":0,"method":"A.a","params":{"a":"\u0000"}}"#,
                "\0",
                r#"{"id":1,"method":"B.b","params":{},"sessionId":"s"}"#,
                "\0"
            );
            assert_eq!(sent, expected);
        });
    }
}
