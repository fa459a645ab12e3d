//! Estimates the calls, tokens and cost of a run, including child agents.
//!
//! Computes a minimum, estimates for roots with and without children, and an upper bound if one
//! exists.

use harness::model::Usage;
use harness::prompt::iterations_for_depth;
use harness::{Budget, CallerRole, InputKind};
use report::summary::usd;
use serde::Serialize;

use crate::process::terminal::counted;
use crate::settings::RunSettings;

/// Assumed tokens per response without `--max-output-tokens`, and assumed tokens that the output of
/// an iteration adds to the conversation.
const TOKENS_PER_TURN: u64 = 500;

/// Flag that limits the calls made by code.
const TOTAL_CALLS_FLAG: &str = "--total-calls";

/// Describes the assumptions behind the estimate.
pub(in crate::command) fn basis(settings: &RunSettings) -> String {
    let per_response = match settings.engine.models.sampling.max_tokens {
        None => format!(
            "{TOKENS_PER_TURN} tokens for each response and each output; --max-output-tokens bounds \
             longer responses"
        ),
        Some(most) => format!(
            "{TOKENS_PER_TURN} tokens for each output, and from {} to {most} for each response",
            TOKENS_PER_TURN.min(most.into())
        ),
    };
    format!("assuming 4 characters per token, {per_response}")
}

/// Estimated expense of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::command) struct Expense {
    /// Expense if every root answers as early as possible.
    pub least: Sum,
    /// Expense if every root uses all its iterations without calling other agents.
    pub roots: Sum,
    /// Like `roots`, but every agent that may delegate calls one child per iteration. `None` if no
    /// agent may delegate.
    pub one_child_each: Option<Sum>,
    /// Upper bound.
    pub most: Bound,
}

/// Number of calls with their tokens and cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(in crate::command) struct Sum {
    pub calls: u64,
    pub tokens: u64,
    /// `None` if the price of the model is unknown.
    pub cost_usd: Option<f64>,
}

/// Upper bounds. `None` means unbounded or, for the cost, that the price of a model is unknown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in crate::command) struct Bound {
    pub calls: Option<u64>,
    pub tokens: Option<u64>,
    pub cost_usd: Option<f64>,
    /// Flags that enforce the bound, in addition to the iteration limits.
    pub by: Vec<&'static str>,
    /// Whether calls are bounded but their sizes are not, because callers choose the inputs of
    /// children.
    pub children_unsized: bool,
}

/// Whether a budget limits the expense of a run or a sweep, not only its time.
pub(in crate::command) const fn limits_expense(budget: Budget) -> bool {
    budget.cost_usd.is_some() || budget.tokens.is_some() || budget.calls.is_some()
}

impl Sum {
    pub const NOTHING: Self = Self {
        calls: 0,
        tokens: 0,
        cost_usd: Some(0.0),
    };

    /// Returns a warning if a budget is below this minimum. `whose` is printed before the flag.
    pub fn shortfall(self, caps: Budget, whose: &str) -> Option<String> {
        let warning = |flag: &str, budget: String, least: String| {
            format!(
                "{whose}{flag} {budget} is below the minimum expected expense of {least}, so not \
                 all attempts will be made (see --dry-run)"
            )
        };
        if let (Some(cap), Some(least)) = (caps.cost_usd, self.cost_usd)
            && cap < least
        {
            let least = format!("about {}", dollars(Some(least)));
            return Some(warning("--max-cost", format!("${cap}"), least));
        }
        if let Some(cap) = caps.tokens.filter(|cap| *cap < self.tokens) {
            let least = format!("about {} tokens", self.tokens);
            return Some(warning("--max-tokens", cap.to_string(), least));
        }
        let cap = caps.calls.filter(|cap| *cap < self.calls)?;
        let least = counted(self.calls, "call");
        Some(warning("--max-llm-calls", cap.to_string(), least))
    }

    pub fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
        }
    }

    fn times(self, factor: u64) -> Self {
        Self {
            calls: self.calls.saturating_mul(factor),
            tokens: self.tokens.saturating_mul(factor),
            cost_usd: self.cost_usd.map(|cost| cost * factor as f64),
        }
    }
}

impl Bound {
    fn plus(mut self, other: Self) -> Self {
        self.by.extend(other.by);
        self.by.sort_unstable();
        self.by.dedup();
        let add = |a: Option<u64>, b| a.zip(b).map(|(a, b)| a.saturating_add(b));
        Self {
            calls: add(self.calls, other.calls),
            tokens: add(self.tokens, other.tokens),
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
            by: self.by,
            children_unsized: self.children_unsized || other.children_unsized,
        }
    }

    /// Lowers this bound to `caps` where they are smaller. `flags` name the limits on cost, tokens
    /// and calls.
    fn under(self, caps: Budget, flags: [&'static str; 3]) -> Self {
        let mut by = self.by;
        let [cost_flag, tokens_flag, calls_flag] = flags;
        let calls = lower_to_cap(self.calls, caps.calls, calls_flag, &mut by);
        if calls != self.calls {
            by.retain(|flag| *flag != TOTAL_CALLS_FLAG);
        }
        Self {
            calls,
            tokens: lower_to_cap(self.tokens, caps.tokens, tokens_flag, &mut by),
            cost_usd: lower_to_cap(self.cost_usd, caps.cost_usd, cost_flag, &mut by),
            by,
            children_unsized: self.children_unsized,
        }
    }
}

/// Returns the smaller of a bound and a budget, recording `flag` if the budget is smaller.
fn lower_to_cap<T: PartialOrd + Copy>(
    bound: Option<T>,
    cap: Option<T>,
    flag: &'static str,
    by: &mut Vec<&'static str>,
) -> Option<T> {
    match (bound, cap) {
        (Some(bound), Some(cap)) if bound <= cap => Some(bound),
        (_, Some(cap)) => {
            by.push(flag);
            Some(cap)
        }
        (bound, None) => bound,
    }
}

impl Expense {
    /// Estimates a run from the size of each sample's first request, in tokens.
    pub fn new(settings: &RunSettings, first_requests: &[u64]) -> Self {
        let engine = &settings.engine;
        let [fewest, most] = iterations(settings);
        let attempts = u64::from(settings.attempts);
        let over_all = |of_one: &dyn Fn(u64) -> Sum| {
            let sums = first_requests.iter().map(|tokens| of_one(*tokens));
            sums.fold(Sum::NOTHING, Sum::plus).times(attempts)
        };
        let [fewest_tokens, most_tokens] = per_response(settings);
        let least = over_all(&|tokens| agent(settings, 0, tokens, fewest, fewest_tokens));
        let roots = over_all(&|tokens| agent(settings, 0, tokens, most, most_tokens));
        let of_run = engine.conduct.budget;
        let of_one = engine.treatment.attempt_budget;
        let each = first_requests.len() as u64 * attempts;
        let by_code = calls_of_an_attempt(settings, most).map(|calls| calls.saturating_mul(each));
        let calls_others = may_call_others(settings);
        let one_child_each =
            calls_others.then(|| over_all(&|tokens| tree(settings, tokens, 0, most)));
        // Only the root's sizes are known; callers choose the inputs of children.
        let of_roots = Some(roots).filter(|_| !calls_others);
        let bound = Bound {
            calls: of_roots.map(|sum| sum.calls).or(by_code),
            tokens: of_roots.map(|sum| sum.tokens),
            cost_usd: of_roots.and_then(|sum| sum.cost_usd),
            by: Vec::new(),
            children_unsized: false,
        };
        let of_attempts = of_one.calls.map(|calls| {
            let largest =
                over_all(&|tokens| call(settings, 0, tokens, most.saturating_sub(1), most_tokens));
            Sum {
                calls: each,
                ..largest
            }
            .times(calls)
        });
        let sized = of_attempts.filter(|_| !calls_others);
        let caps = Budget {
            calls: of_attempts.map(|sum| sum.calls),
            tokens: sized.map(|sum| sum.tokens),
            cost_usd: sized.and_then(|sum| sum.cost_usd),
            time: None,
        };
        let mut bound = bound.under(caps, ["--attempt-max-llm-calls"; 3]);
        bound.children_unsized = calls_others && bound.calls.is_some();
        let caps = Budget {
            tokens: of_one.tokens.map(|most| most.saturating_mul(each)),
            cost_usd: of_one.cost_usd.map(|most| most * each as f64),
            ..Budget::default()
        };
        let flags = ["--attempt-max-cost", "--attempt-max-tokens", ""];
        let flags_of_run = ["--max-cost", "--max-tokens", "--max-llm-calls"];
        let mut bound = bound.under(caps, flags).under(of_run, flags_of_run);
        bound.by.dedup();
        if calls_others && by_code.is_some() && bound.calls == by_code {
            bound.by.push(TOTAL_CALLS_FLAG);
        }
        Self {
            least,
            roots,
            one_child_each,
            most: bound,
        }
    }

    /// Returns the sum of the expenses of two runs.
    pub fn plus(self, other: Self) -> Self {
        let children = match (self.one_child_each, other.one_child_each) {
            (None, None) => None,
            (of_one, of_other) => {
                let of_one = of_one.unwrap_or(self.roots);
                Some(of_one.plus(of_other.unwrap_or(other.roots)))
            }
        };
        Self {
            least: self.least.plus(other.least),
            roots: self.roots.plus(other.roots),
            one_child_each: children,
            most: self.most.plus(other.most),
        }
    }

    /// Limits the expense to the budget of a sweep.
    pub fn under(mut self, caps: Budget) -> Self {
        let flags = [
            "the sweep's --max-cost",
            "the sweep's --max-tokens",
            "the sweep's --max-llm-calls",
        ];
        self.most = self.most.under(caps, flags);
        self
    }

    /// Formats the expense for display.
    pub fn lines(&self) -> String {
        let mut lines = format!("at least {}\n", self.least);
        // Omit estimates with more calls than the upper bound.
        let is_possible = |sum: &Sum| self.most.calls.is_none_or(|most| sum.calls <= most);
        if let Some(children) = &self.one_child_each {
            let named = [
                ("roots only", self.roots),
                ("one child per iteration", *children),
            ];
            for (name, sum) in named.iter().filter(|(_, sum)| is_possible(sum)) {
                lines.push_str(&format!("{name}: at most {sum}\n"));
            }
        }
        let Bound {
            calls,
            tokens,
            cost_usd,
            by,
            children_unsized,
        } = &self.most;
        if calls.is_none() && tokens.is_none() && cost_usd.is_none() {
            lines.push_str(
                "at most: unbounded, because an iteration may call any number of children; \
                 --attempt-max-llm-calls bounds the calls of an attempt, and --max-cost, \
                 --max-tokens and --max-llm-calls bound the whole run\n",
            );
            lines.push_str(RETRIES_NOTE);
            return lines;
        }
        let any = |what: &str| format!("unlimited {what}");
        let calls = calls.map_or_else(|| any("calls"), |calls| counted(calls, "call"));
        let tokens = tokens.map_or_else(|| any("tokens"), |tokens| format!("~{tokens} tokens"));
        // If the cost of the roots is unknown, so is the price of the model.
        let cost = match (cost_usd, self.roots.cost_usd) {
            (None, Some(_)) => "unlimited cost".to_owned(),
            (cost_usd, _) => format!("cost {}", dollars(*cost_usd)),
        };
        let by = match by.as_slice() {
            [] => String::new(),
            flags => format!(" (by {})", flags.join(", ")),
        };
        lines.push_str(&format!("at most {calls}, {tokens}, {cost}{by}\n"));
        if *children_unsized && (self.most.tokens.is_none() || cost_usd.is_none()) {
            lines.push_str(
                "callers choose the inputs of children, so the number of calls does not bound \
                 tokens and cost; --argument-limit bounds the arguments of a child\n",
            );
        }
        lines.push_str(RETRIES_NOTE);
        let falls_short = below(Some(self.least.calls), self.most.calls)
            || below(Some(self.least.tokens), self.most.tokens)
            || below(self.least.cost_usd, self.most.cost_usd);
        if falls_short {
            lines.push_str(
                "the budget is too small: the run or some attempts would stop before every attempt \
                 has an answer\n",
            );
        }
        lines
    }
}

const RETRIES_NOTE: &str = "not included: requests that are retried after a billed error or with a \
    shortened conversation\n";

fn below<T: PartialOrd>(least: Option<T>, most: Option<T>) -> bool {
    least.zip(most).is_some_and(|(least, most)| most < least)
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let calls = counted(self.calls, "call");
        let (tokens, cost) = (self.tokens, dollars(self.cost_usd));
        write!(f, "{calls}, ~{tokens} tokens, cost {cost}")
    }
}

fn dollars(cost_usd: Option<f64>) -> String {
    let cost = cost_usd.map(|cost| {
        if cost < 0.1 {
            usd(cost)
        } else {
            format!("${cost:.2}")
        }
    });
    cost.unwrap_or_else(|| "unknown (no price for the model; see --prices)".to_owned())
}

/// Returns the minimum and maximum calls of an attempt's root.
fn iterations(settings: &RunSettings) -> [u64; 2] {
    let engine = &settings.engine;
    let capabilities = engine.treatment.protocol.capabilities();
    if capabilities.one_call || capabilities.has_repl() && engine.treatment.prompts.max_depth == 0 {
        return [1, 1];
    }
    let most = u64::from(engine.effective.max_iterations);
    if !capabilities.has_repl() {
        return [1, most];
    }
    // The first return is intercepted once for confirmation.
    let least = if engine.treatment.iterations.confirm_first_return {
        2
    } else {
        1
    };
    [most.min(least), most]
}

/// Whether agents may call other agents, or apps may call a model.
fn may_call_others(settings: &RunSettings) -> bool {
    let engine = &settings.engine;
    let capabilities = engine.treatment.protocol.capabilities();
    if capabilities.calls_children() {
        return engine.treatment.prompts.max_depth > 0;
    }
    let has_apps = capabilities.inputs.contains(&InputKind::Apps);
    has_apps || capabilities.calls_tools() && !engine.treatment.tools.specialists.is_empty()
}

/// Returns the maximum model calls of an attempt: besides the root's iterations, code may make
/// `--total-calls` calls, and each may start a child that uses all its iterations. `None` if agents
/// may also call others without code.
fn calls_of_an_attempt(settings: &RunSettings, iterations: u64) -> Option<u64> {
    let treatment = &settings.engine.treatment;
    if !treatment.protocol.capabilities().calls_children()
        || !treatment.tools.specialists.is_empty()
    {
        return None;
    }
    let of_child = if treatment.prompts.max_depth > 1 {
        iterations
    } else {
        1
    };
    let calls = u64::from(treatment.repl.total_calls);
    Some(iterations.saturating_add(calls.saturating_mul(of_child)))
}

/// Returns the assumed minimum and maximum tokens of a response.
fn per_response(settings: &RunSettings) -> [u64; 2] {
    let allowed = settings.engine.models.sampling.max_tokens.map(u64::from);
    let most = allowed.unwrap_or(TOKENS_PER_TURN);
    [most.min(TOKENS_PER_TURN), most]
}

/// Estimates the model call of an agent at `depth` after `earlier` calls. Its first request has
/// `first` tokens, and each response has `response` tokens.
fn call(settings: &RunSettings, depth: u32, first: u64, earlier: u64, response: u64) -> Sum {
    let per_turn = response.saturating_add(TOKENS_PER_TURN);
    let usage = Usage {
        input_tokens: first.saturating_add(earlier.saturating_mul(per_turn)),
        output_tokens: response,
        ..Usage::default()
    };
    let engine = &settings.engine;
    let model = engine.references.of(CallerRole::Agent, depth);
    Sum {
        calls: 1,
        tokens: usage.total(),
        cost_usd: engine.prices.cost_usd(model.as_str(), &usage),
    }
}

/// Estimates all calls of an agent at `depth`.
fn agent(settings: &RunSettings, depth: u32, first: u64, iterations: u64, response: u64) -> Sum {
    let calls = (0..iterations).map(|earlier| call(settings, depth, first, earlier, response));
    calls.fold(Sum::NOTHING, Sum::plus)
}

/// Estimates all calls of an agent and its descendants if each of them calls one child per
/// iteration. Assumes that a child's first request is as large as the root's.
fn tree(settings: &RunSettings, first: u64, depth: u32, iterations: u64) -> Sum {
    let [_, response] = per_response(settings);
    let own = agent(settings, depth, first, iterations, response);
    let engine = &settings.engine;
    let below = if engine.treatment.protocol.capabilities().has_repl()
        && depth + 1 < engine.treatment.prompts.max_depth
    {
        let of_child = iterations_for_depth(depth + 1, engine.treatment.iterations.max_iterations);
        tree(settings, first, depth + 1, of_child.into())
    } else {
        agent(settings, depth + 1, first, 1, response)
    };
    own.plus(below.times(iterations))
}
