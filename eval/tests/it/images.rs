//! Images in questions: rows and flags add them only to the root's first message.

use serde_json::{Value, json};

use crate::faults::binary;
use fault_server::{Behavior, FaultServer, ReceivedRequest};

const DATA_URL: &str = "data:image/png;base64,iVBORw0KGgoAAAAN";
const GIF: &str = "GIF89a image";
const GIF_URL: &str = "data:image/gif;base64,R0lGODlhIGltYWdl";

/// Returns the URLs of the images in the first user message of a chat-completions request.
fn shown(seen: &ReceivedRequest) -> Vec<Value> {
    let messages = seen.body["messages"].as_array().unwrap();
    let first = messages
        .iter()
        .find(|message| message["role"] == "user")
        .unwrap();
    let parts = first["content"].as_array().cloned().unwrap_or_default();
    let images = parts.iter().filter(|part| part["type"] == "image_url");
    images
        .map(|part| part["image_url"]["url"].clone())
        .collect()
}

fn server() -> FaultServer {
    FaultServer::start(|seen| {
        let messages = seen.body["messages"].as_array().map_or(0, Vec::len);
        Behavior::Text(match (seen.number, messages) {
            (0, _) => "```js\nconst said = await llm('What is one and one?')\n```".to_owned(),
            (1, _) => "two".to_owned(),
            _ => "```js\nreturn(said)\n```".to_owned(),
        })
    })
}

#[test]
fn images_reach_only_the_root() {
    let row = json!({"query": "What is it?", "expected": "two", "images": ["cat.gif", DATA_URL]});
    let run = ["run", "--benchmark", "q.jsonl", "--isolation", "thread"];
    let ask = [
        "ask",
        "--query",
        "What is it?",
        "--image",
        "cat.gif",
        "--isolation",
        "thread",
    ];
    let both = vec![json!(GIF_URL), json!(DATA_URL)];
    let one = vec![json!(GIF_URL)];
    let rows = [
        (&run[..], &["--protocol", "direct"][..], vec![both.clone()]),
        // Requests of the root, of its one-shot call, and of the root again.
        (
            &run,
            &["--protocol", "rlm"],
            vec![both.clone(), vec![], both],
        ),
        (&ask, &[], vec![one.clone(), vec![], one]),
    ];
    for (command, more, expected) in rows {
        let server = server();
        let base_url = server.openai();
        let binary = binary()
            .file("cat.gif", GIF)
            .file("q.jsonl", row.to_string());
        let model = ["--model", "openai/m", "--base-url", &base_url];
        let ran = binary.run(&[command, &model, more].concat(), "");
        assert_eq!(ran.code, Some(0), "{command:?} {more:?}: {}", ran.stderr);
        let got: Vec<_> = server.seen().iter().map(shown).collect();
        assert_eq!(got[..expected.len()], expected, "{command:?} {more:?}");
    }
}

#[test]
fn rejects_invalid_images_before_requests() {
    let binary = binary().file("cat.gif", "meow");
    let rows = [
        (
            "cat.gif",
            "error: --image: cat.gif is not a supported image: expected PNG, JPEG, GIF or WebP content",
        ),
        (
            "dog.gif",
            "error: --image: cannot read the image dog.gif: No such file or directory (os error 2)",
        ),
    ];
    for (image, expected) in rows {
        let args = [
            "ask", "--query", "q", "--model", "openai/m", "--image", image,
        ];
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}
