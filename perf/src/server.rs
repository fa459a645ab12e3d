//! A model server that implements `OpenAI`'s chat format. The plan in the agent's query determines
//! each reply and when it is sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::plan::{self, Language, Plan};

/// The server, which runs until the program ends.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    waiting: AtomicUsize,
    open: watch::Sender<bool>,
    /// Time of the first request for a second turn, which contains the output of an agent's first
    /// cell.
    second_turn: Mutex<Option<Instant>>,
}

#[derive(Deserialize)]
struct Request {
    model: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
}

impl Server {
    /// Starts the server on a free port, in its own thread.
    pub fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            waiting: AtomicUsize::new(0),
            open: watch::Sender::new(true),
            second_turn: Mutex::default(),
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(Arc::clone(&shared));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        // Runs until the program ends; an error on one connection does not stop it.
        std::thread::spawn(move || runtime.block_on(async { axum::serve(listener, router).await }));
        Ok(Self { address, shared })
    }

    /// Returns the base URL.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Opens or closes the gate. While it is closed, replies are held back where the plan says so.
    pub fn set_gate(&self, open: bool) {
        self.shared.open.send_replace(open);
    }

    /// Returns the number of agents waiting at the gate.
    pub fn waiting(&self) -> usize {
        self.shared.waiting.load(Ordering::SeqCst)
    }

    /// Returns the time of the first request for a second turn after the last call of
    /// [`forget_second_turn`](Self::forget_second_turn).
    pub fn second_turn(&self) -> Option<Instant> {
        *self.shared.second_turn.lock()
    }

    /// Clears the time that [`second_turn`](Self::second_turn) returns.
    pub fn forget_second_turn(&self) {
        *self.shared.second_turn.lock() = None;
    }
}

async fn answer(State(shared): State<Arc<Shared>>, Json(request): Json<Request>) -> Json<Value> {
    let language = Language::of_model(&request.model);
    // Only the user's messages count, because a child's system prompt also contains its ancestors'
    // queries.
    let asked = request.messages.iter().filter(|m| m.role == "user");
    let plan = Plan::find(asked.map(|message| &message.content));
    // Only the server's own replies count, because one peer adds its own assistant messages.
    let turn = request.messages.iter().filter(|m| {
        m.role == "assistant"
            && m.content
                .as_str()
                .is_some_and(|said| said.starts_with(plan::PREFACE))
    });
    let turn = 1 + u32::try_from(turn.count()).unwrap_or(u32::MAX);
    if turn == 2 {
        let mut first = shared.second_turn.lock();
        first.get_or_insert_with(Instant::now);
    }
    if let Plan::Delay { milliseconds } = plan {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
    if plan.waits(turn) {
        shared.waiting.fetch_add(1, Ordering::SeqCst);
        // Fails only if the sender is dropped, but it lives as long as the program.
        let _ = shared.open.subscribe().wait_for(|open| *open).await;
        shared.waiting.fetch_sub(1, Ordering::SeqCst);
    }
    Json(json!({
        "id": "perf", "object": "chat.completion", "created": 0, "model": request.model,
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": plan.reply(turn, language)},
        }],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }))
}
