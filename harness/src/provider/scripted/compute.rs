//! Runs the code in the fields `compute` and `compute_calls` of rules.

use parking_lot::Mutex;
use sandbox::message::{AgentInfo, Context};
use sandbox::{Config, Session};

/// Maximum calls per session. Reusing a session is faster than starting one, but data that code
/// stores in `globalThis` accumulates.
const MAX_CALLS_PER_SESSION: u32 = 256;

/// Sandbox sessions for the code of one model's rules. Each session runs one call at a time;
/// concurrent calls use several sessions.
#[derive(Default)]
pub(super) struct RuleSessions {
    idle: Mutex<Vec<PooledSession>>,
}

struct PooledSession {
    session: Session,
    calls: u32,
}

impl RuleSessions {
    /// Runs a rule's code with the newest message as `context`, and returns its result.
    ///
    /// # Errors
    /// Returns the error that the code threw, or the reason why the code could not run.
    pub async fn run(&self, code: &str, message: &str) -> Result<String, String> {
        let idle = self.idle.lock().pop();
        let mut used = match idle {
            Some(used) => used,
            None => PooledSession {
                session: Session::in_thread(Config::default())
                    .await
                    .map_err(|error| error.to_string())?,
                calls: 0,
            },
        };
        used.calls += 1;
        let outcome = run(&used.session, code, message).await?;
        if used.calls < MAX_CALLS_PER_SESSION {
            self.idle.lock().push(used);
        }
        outcome
    }
}

/// Runs code in a session. The outer error means that the session ended; the inner error was thrown
/// by the code.
async fn run(
    session: &Session,
    code: &str,
    message: &str,
) -> Result<Result<String, String>, String> {
    let info = AgentInfo::of_host_code("scripted");
    let mut repl = session.open(None, Context::text(message), info);
    let refuse = |_| "code in a scripted model cannot call models".to_owned();
    let ran = repl.run_to_end(code, 1, refuse).await;
    let outcome = ran.map_err(|error| error.to_string())?;
    let error = outcome.error.map(|error| error.message);
    Ok(outcome
        .value
        .ok_or_else(|| error.unwrap_or_else(|| "it returned nothing".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::{MAX_CALLS_PER_SESSION, RuleSessions};

    #[tokio::test]
    async fn reuses_sessions_up_to_call_limit() {
        let computer = RuleSessions::default();
        let count = "globalThis.n = (globalThis.n ?? 0) + 1; const own = context + n; return(own)";
        for call in 1..=MAX_CALLS_PER_SESSION {
            assert_eq!(computer.run(count, "a").await, Ok(format!("a{call}")));
        }
        assert_eq!(computer.run(count, "b").await, Ok("b1".to_owned()));
        let failed = computer.run("throw new Error('no')", "").await.unwrap_err();
        assert!(failed.contains("no"), "{failed}");
        assert_eq!(computer.run(count, "c").await, Ok("c2".to_owned()));
        let both = tokio::join!(computer.run(count, "d"), computer.run(count, "e"));
        assert_eq!(both, (Ok("d3".to_owned()), Ok("e1".to_owned())));
    }
}
