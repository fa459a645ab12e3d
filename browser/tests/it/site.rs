//! Shared by the tests: a server for the files in `tests/it/`, and one pool of browsers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use browser::{Page, Pool, Profile, Reach, Settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

/// Runtime shared by all tests, because the pool's connections belong to it.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static POOL: OnceCell<Pool> = OnceCell::const_new();

/// A server on its own port, and a profile that may reach it.
pub(crate) struct World {
    pub(crate) profile: Profile,
    pub(crate) site: Site,
}

/// Serves `tests/it/` and records the path and body of each request.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) origin: String,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

/// Settings with time limits that suffice even on a busy machine.
pub(crate) fn settings() -> Settings {
    Settings {
        command_timeout: Duration::from_secs(60),
        start_timeout: Duration::from_secs(120),
        memory_limit_mb: 4_000,
        program: std::env::var_os("EVAL_TEST_BROWSER").map(Into::into),
        ..Settings::default()
    }
}

/// Waits until a condition is true, and panics after two minutes.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(120), "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Runs a test if there is a browser; otherwise prints that it was skipped, or fails in CI.
#[expect(clippy::print_stderr, reason = "skipped tests are reported")]
pub(crate) fn in_runtime<F: Future<Output = ()>>(test: impl FnOnce() -> F) {
    if browser::find_program(&settings()).is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI has no Chromium");
        eprintln!("skipped: no Chromium on PATH; scripts/install-browser-tests.sh installs it");
        return;
    }
    RUNTIME.block_on(test());
}

/// Runs a test with a fresh profile and the page at this path, such as `pages/form.html`.
pub(crate) fn on_page<F: Future<Output = World>>(path: &str, test: impl FnOnce(World, Page) -> F) {
    in_runtime(async || {
        let world = World::open(pool().await).await;
        let page = world.profile.page().unwrap();
        page.goto(&world.site.at(path)).await.unwrap();
        test(world, page).await.profile.close().await;
    });
}

/// Returns the pool that all tests share.
pub(crate) async fn pool() -> &'static Pool {
    POOL.get_or_init(async || Pool::open(settings()).await.unwrap())
        .await
}

impl World {
    pub(crate) async fn open(pool: &Pool) -> Self {
        let site = Site::open().await;
        let profile = pool
            .profile(&Reach::anywhere([site.origin.parse().unwrap()]))
            .await
            .unwrap();
        Self { profile, site }
    }
}

impl Site {
    pub(crate) async fn open() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let log = Arc::clone(&log);
                tokio::spawn(async move {
                    let mut bytes = vec![0; 65_536];
                    let read = stream.read(&mut bytes).await.unwrap_or(0);
                    let request = String::from_utf8_lossy(&bytes[..read]).into_owned();
                    let (head, body) = request.split_once("\r\n\r\n").unwrap_or_default();
                    let target = head.split(' ').nth(1).unwrap_or_default();
                    log.lock().unwrap().push(format!("{target} {body}"));
                    let path = target.split('?').next().unwrap_or_default();
                    drop(stream.write_all(&answer(path)).await);
                });
            }
        });
        Self { origin, asked }
    }

    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.origin)
    }
}

/// Returns the folder of these tests.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")
}

fn answer(path: &str) -> Vec<u8> {
    let file = folder().join(path.trim_start_matches('/'));
    let (status, body) = match std::fs::read(file) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", b"no such page".to_vec()),
    };
    let kind = if path.contains(".html") {
        "text/html; charset=utf-8"
    } else {
        "text/plain"
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    [head.into_bytes(), body].concat()
}
