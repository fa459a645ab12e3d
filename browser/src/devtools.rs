//! The part of the `DevTools` protocol that this crate speaks: its commands with their answers, and the socket that carries them.
//!
//! Source: <https://chromedevtools.github.io/devtools-protocol/tot/>.

use futures::{SinkExt as _, StreamExt as _};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// Something that the browser can be asked to do. Its fields are the parameters.
pub(crate) trait Command: Serialize {
    /// Domain and name.
    const METHOD: &'static str;
    /// What comes back.
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
    /// Without keeping what comes: only that something was asked for counts.
    EnableNetwork "Network.enable" {max_total_buffer_size: u32, max_resource_buffer_size: u32} -> IgnoredAny;
    SetCookies "Storage.setCookies" {cookies: Vec<Cookie>, browser_context_id: String} -> IgnoredAny;
    AddScript "Page.addScriptToEvaluateOnNewDocument" {source: String} -> AddedScript;
    RemoveScript "Page.removeScriptToEvaluateOnNewDocument" {identifier: String} -> IgnoredAny;
    EnableInspector "Inspector.enable" {} -> IgnoredAny;
    Navigate "Page.navigate" {url: String} -> Navigation;
    HandleDialog "Page.handleJavaScriptDialog" {accept: bool, prompt_text: Option<String>} -> IgnoredAny;
    /// A PNG of the viewport, or of `clip`.
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
    /// The node behind a value of a script.
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

/// A cookie of the page at an address.
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

/// How a navigation begins: without a loader where it stays in its document.
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
    /// In base64.
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

/// What a script gave, or threw.
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

/// A node of a document; where it is a frame, with that frame's id.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node {
    pub frame_id: Option<String>,
}

/// A message from the browser: the answer to a command if it has an id, else an event.
#[derive(Debug, Deserialize)]
pub(crate) struct Received {
    pub id: Option<u64>,
    #[serde(default)]
    pub result: Value,
    pub error: Option<Refusal>,
    #[serde(default)]
    pub method: String,
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    #[serde(default)]
    pub params: Value,
}

/// Why a command was not carried out.
#[derive(Debug, Deserialize)]
pub(crate) struct Refusal {
    pub message: String,
}

/// The socket to a browser.
pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next: u64,
}

impl Socket {
    pub(crate) async fn connect(address: &str) -> Result<Self, tungstenite::Error> {
        // A dump or a picture may have any size.
        let config = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None);
        // Small messages, each of which somebody waits for.
        let (stream, _) = connect_async_with_config(address, Some(config), true).await?;
        Ok(Self { stream, next: 0 })
    }

    /// Sends a command to the browser, or to one of its sessions. Gives the id that its answer will have.
    pub(crate) async fn send(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<u64, tungstenite::Error> {
        let id = self.next;
        self.next += 1;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.stream
            .send(Message::text(message.to_string()))
            .await
            .map(|()| id)
    }

    /// The next message that can be read; none once the browser has closed the connection. Nothing is lost where this is no longer
    /// awaited.
    pub(crate) async fn next(&mut self) -> Option<Result<Received, tungstenite::Error>> {
        loop {
            match self.stream.next().await? {
                Ok(Message::Text(text)) => {
                    if let Ok(received) = serde_json::from_str(&text) {
                        return Some(Ok(received));
                    }
                }
                Ok(Message::Close(_)) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
