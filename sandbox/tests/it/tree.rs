//! Interleaved children in one isolate, whose state must never mix.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use sandbox::message::{AgentInfo, CallId, CellOutcome, Context};
use sandbox::{Config, Event, Repl, Session};

use crate::driver::{answer_function, host_functions, root_info};

/// Cells of each agent, by the first word of its query; `$n` is replaced by the second word.
type Scripts = HashMap<&'static str, &'static [&'static str]>;

#[derive(Clone)]
struct Tree {
    session: Session,
    scripts: Arc<Scripts>,
    /// Outcomes of all cells, by invocation id.
    outcomes: Arc<Mutex<BTreeMap<String, Vec<CellOutcome>>>>,
}

impl Tree {
    /// Runs a tree of agents and returns the outcomes of each agent's cells, by invocation id.
    async fn run(config: Config, scripts: Scripts) -> BTreeMap<String, Vec<CellOutcome>> {
        let session = Session::in_thread(config)
            .await
            .expect("the sandbox starts");
        let tree = Self {
            session,
            scripts: Arc::new(scripts),
            outcomes: Arc::default(),
        };
        let info = AgentInfo {
            max_depth: 5,
            lineage: vec!["root".to_owned()],
            ..root_info()
        };
        let context = Context::text("root data");
        let functions = host_functions(&["search", "page.open", "page.close"]);
        let repl = tree
            .session
            .open_with(None, context, info.clone(), functions);
        tree.agent(repl, info).await.ok();
        std::mem::take(&mut *tree.outcomes.lock().expect("the lock is not poisoned"))
    }

    /// Runs the cells of one agent until a cell returns or all have run.
    fn agent(&self, mut repl: Repl, info: AgentInfo) -> BoxFuture<'static, Result<String, String>> {
        let tree = self.clone();
        Box::pin(async move {
            let query = info.lineage.last().expect("a query").clone();
            let (name, number) = query.split_once(' ').unwrap_or((&query, ""));
            let mut children = 0;
            for (iteration, code) in (1..).zip(tree.scripts[name]) {
                let outcome = tree
                    .cell(
                        &mut repl,
                        &code.replace("$n", number),
                        iteration,
                        &info,
                        &mut children,
                    )
                    .await;
                let value = outcome.value.clone();
                tree.outcomes
                    .lock()
                    .expect("the lock is not poisoned")
                    .entry(info.invocation_id.clone())
                    .or_default()
                    .push(outcome);
                if let Some(value) = value {
                    repl.mark_returned();
                    return Ok(value);
                }
            }
            Err(format!("{query} gave up"))
        })
    }

    async fn cell(
        &self,
        repl: &mut Repl,
        code: &str,
        iteration: u32,
        info: &AgentInfo,
        children: &mut u32,
    ) -> CellOutcome {
        repl.run(code, iteration);
        let mut running: FuturesUnordered<BoxFuture<'static, (CallId, Result<String, String>)>> =
            FuturesUnordered::new();
        loop {
            tokio::select! {
                event = repl.next() => match event.expect("the isolate lives") {
                    Event::Finished(outcome) => return outcome,
                    Event::Invoked(call) => answer_function(repl, &call),
                    Event::CallContext { .. } | Event::StatusRequested { .. } | Event::Cancelled(_) => {}
                    Event::Called(call) => {
                        let mut child = info.clone();
                        child.depth += 1;
                        child.parent_id = Some(info.invocation_id.clone());
                        child.invocation_id = format!("{}/{children}", info.invocation_id);
                        *children += 1;
                        child.lineage.push(call.query.clone());
                        let functions = host_functions(&child_functions(&call.query));
                        let context = Context::OfCall(call.id);
                        let opened = self.session.open_with(Some(repl), context, child.clone(), functions);
                        let agent = self.agent(opened, child);
                        running.push(Box::pin(async move { (call.id, agent.await) }));
                    }
                },
                Some((call, result)) = running.next(), if !running.is_empty() => repl.settle(call, result),
            }
        }
    }
}

/// Returns the host functions of an agent: the names after `with` in its query.
fn child_functions(query: &str) -> Vec<&str> {
    let names = query.split_once(" with ").map_or("", |(_, names)| names);
    names.split_whitespace().collect()
}

fn outputs(outcomes: &[CellOutcome]) -> Vec<&str> {
    outcomes
        .iter()
        .map(|outcome| outcome.output.as_str())
        .collect()
}

fn errors(outcomes: &[CellOutcome]) -> Vec<Option<&str>> {
    outcomes
        .iter()
        .map(|o| o.error.as_ref().map(|error| error.message.as_str()))
        .collect()
}

/// Eight children, each with one child, all with the same names, that log, sleep, read and assign
/// `context`, read `__rlm` and `__ctx.local`, throw, and return.
#[tokio::test]
async fn keeps_nested_children_apart() {
    let child: &[&str] = &[
        "const task = 'task $n'; let count = $n; var list = [$n]; function name() { return task }
         __ctx.local.mine = $n; undeclared = 'u$n';
         for (let i = 0; i < 5; i++) { await new Promise((r) => setTimeout(r, (i * 7 + $n) % 3)); count += 10; console.log('$n', context, __rlm.invocationId, __rlm.iteration) }",
        "context = context + '!'; console.log(task, count, list, name(), undeclared, context, __ctx.local, rootOnly, rootFunction());
         const below = await rlm('grandchild $n', 'below ' + context); console.log(below, madeBelow, context);
         if ($n % 2) throw new Error('odd $n')",
        "console.log(task, count, typeof others, __rlm.iteration, __rlm.parentId); made$n = 'by $n'; return(`${task} ${context} ${__rlm.depth}`)",
    ];
    let grandchild: &[&str] = &[
        "const task = 'grand $n'; var madeBelow = 'grand made $n'; await new Promise((r) => setTimeout(r, $n % 4)); console.log(task, context, name(), list[0], count, __rlm.depth, __ctx.shared.data); list.push('seen')",
        "count = -1; task2 = task + count; return(task2)",
    ];
    let root: &[&str] = &[
        "const rootOnly = 'root only'; const task = 'the root task'; let count = 'root count'; function rootFunction() { return [context, __rlm.invocationId, task].join() }
         const numbers = [0, 1, 2, 3, 4, 5, 6, 7];
         const results = await Promise.all(numbers.map((n) => rlm('child ' + n, 'data ' + n)));
         console.log(results); console.log(task, count, context, __ctx.local, typeof undeclared);",
        "console.log(made0, made7, typeof name, numbers.map((n) => __ctx.readLocal('root/' + n).mine)); return('done')",
    ];
    let scripts = Scripts::from([("root", root), ("child", child), ("grandchild", grandchild)]);
    for _ in 0..5 {
        let outcomes = Tree::run(Config::default(), scripts.clone()).await;
        assert_eq!(outcomes.len(), 17);
        for n in 0..8 {
            let id = format!("root/{n}");
            let lines: Vec<String> = (0..5).map(|_| format!("{n} data {n} {id} 1")).collect();
            let own = &outcomes[&id];
            assert_eq!(
                outputs(own),
                [
                    lines.join("\n"),
                    format!(
                        "task {n} {} [ {n} ] task {n} u{n} data {n}! {{ mine: {n} }} root only root data,root,the root task\ngrand {n}-1 grand made {n} data {n}!\n\
                         note: what this cell assigned to `context` was for this cell only, because the REPL itself has that name; use another name",
                        n + 50
                    ),
                    format!("task {n} {} undefined 3 root", n + 50),
                ]
            );
            let odd = format!("Error: odd {n}");
            assert_eq!(
                errors(own),
                [None, (n % 2 == 1).then_some(odd.as_str()), None]
            );
            assert_eq!(
                own[2].value.as_deref(),
                Some(format!("task {n} data {n} 1").as_str())
            );
            let below = &outcomes[&format!("{id}/0")];
            assert_eq!(
                outputs(below),
                [
                    format!(
                        "grand {n} below data {n}! task {n} {n} {} 2 root data",
                        n + 50
                    ),
                    String::new()
                ]
            );
        }
        let root = &outcomes["root"];
        let results: Vec<String> = (0..8).map(|n| format!("  'task {n} data {n} 1'")).collect();
        assert_eq!(
            outputs(root),
            [
                format!(
                    "[\n{}\n]\nthe root task root count root data {{}} string",
                    results.join(",\n")
                ),
                "by 0 by 7 function [\n  0, 1, 2, 3,\n  4, 5, 6, 7\n]".to_owned(),
            ]
        );
    }
}

/// Code compiled for one child also runs in others, so it must not retain the first child's state.
#[tokio::test]
async fn keeps_children_with_equal_cells_apart() {
    const FIRST: &str = "let own = [context]; function mine(more) { own.push(more); return own.join() } console.log(mine('x'))";
    const SECOND: &str = "own.push(own.length); let mark = (text) => text; console.log(own.join(), mine.toString().length, mark`a${1}b`.length)";
    let scripts = Scripts::from([
        (
            "root",
            &["console.log(await Promise.all([1, 2, 3].map((n) => rlm('same', 'c' + n))))"]
                as &[&str],
        ),
        (
            "same",
            &[FIRST, SECOND, SECOND, FIRST, SECOND, "return(context)"],
        ),
    ]);
    let outcomes = Tree::run(Config::default(), scripts).await;
    assert_eq!(outputs(&outcomes["root"]), ["[ 'c1', 'c2', 'c3' ]"]);
    for child in 0..3 {
        let context = format!("c{}", child + 1);
        let expected = ["x", "x,2 57 2", "x,2,3 57 2", "x", "x,2 57 2"];
        let mut expected = expected.map(|rest| format!("{context},{rest}")).to_vec();
        expected.push(String::new());
        let outcomes = &outcomes[&format!("root/{child}")];
        assert_eq!(outputs(outcomes), expected, "{:?}", errors(outcomes));
    }
}

#[tokio::test]
async fn child_reads_ancestors_live_and_writes_own_names() {
    let scripts = Scripts::from([
        (
            "root",
            &[
                "let shared = { n: 1 }; let value = 'before'; let late;
                 const change = setInterval(() => { if (shared.n === 1) return; clearInterval(change); late = () => context; value = 'after' }, 1);
                 const answer = await rlm('reader', 'child data'); console.log(answer, value, shared, typeof ownName)",
                "console.log(ownName)",
            ] as &[&str],
        ),
        (
            "reader",
            &[
                "const first = value; shared.n++; while (value === first) await new Promise((r) => setTimeout(r, 1)); console.log(first, value, late(), context)",
                "value = 'child value'; var ownName = 'now readable above'; console.log(value); shared = 'own'; return(value)",
            ],
        ),
    ]);
    let outcomes = Tree::run(Config::default(), scripts).await;
    assert_eq!(
        outputs(&outcomes["root/0"]),
        ["before after root data child data", "child value"]
    );
    assert_eq!(
        outputs(&outcomes["root"]),
        ["child value after { n: 2 } string", "now readable above"]
    );
}

#[tokio::test]
async fn child_gets_context_of_any_type() {
    let scripts = Scripts::from([
        (
            "root",
            &[
                "const all = []; for (const context of [42, 0, NaN, 1e9, false, null, '', 'a', [1]]) all.push(await rlm('child', context));
                 console.log(all.join('; '))",
            ] as &[&str],
        ),
        ("child", &["return(`${typeof context} ${context}`)"]),
    ]);
    let outcomes = Tree::run(Config::default(), scripts).await;
    assert_eq!(
        outputs(&outcomes["root"]),
        [
            "number 42; number 0; number NaN; number 1000000000; boolean false; string ; string ; \
             string a; object 1"
        ]
    );
}

#[tokio::test]
async fn stops_spinning_child_but_not_siblings() {
    let mut config = Config::default();
    config.limits.cell_time = std::time::Duration::from_millis(150);
    let scripts = Scripts::from([
        (
            "root",
            &[
                "const results = await Promise.allSettled([rlm('spin'), rlm('calm'), rlm('micro')]); console.log(results.map((r) => r.value ?? r.reason.message))",
            ] as &[&str],
        ),
        (
            "spin",
            &[
                "let kept = 'kept'; kept += '!'; for (;;) {}",
                "return(kept)",
            ],
        ),
        (
            "micro",
            &[
                "let before = 1; await null; (function loop() { Promise.resolve().then(loop) })(); await new Promise(() => {})",
                "return('micro ' + before)",
            ],
        ),
        (
            "calm",
            &[
                "let ticks = 0; for (let i = 0; i < 20; i++) { await new Promise((r) => setTimeout(r, 5)); ticks++ } console.log(ticks)",
                "return('calm ' + ticks)",
            ],
        ),
    ]);
    let outcomes = Tree::run(config, scripts).await;
    assert_eq!(
        outputs(&outcomes["root"]),
        ["[ 'kept!', 'calm 20', 'micro 1' ]"]
    );
    let stopped = "TimeoutError: the cell ran for more than 0.15 s and was stopped; variables keep what was assigned before";
    assert_eq!(errors(&outcomes["root/0"]), [Some(stopped), None]);
    assert_eq!(errors(&outcomes["root/1"]), [None, None]);
    assert_eq!(errors(&outcomes["root/2"]), [Some(stopped), None]);
}

#[tokio::test]
async fn host_functions_belong_to_one_agent() {
    const PROBE: &str =
        "console.log(typeof search, typeof page, page ? Object.keys(page) : '', typeof other)";
    let outcomes = Tree::run(
        Config::default(),
        Scripts::from([
            (
                "root",
                &[
                    "function ofParent() { return search({ by: 'parent' }) }",
                    "await Promise.all([rlm('none'), rlm('some with search page.other'), rlm('other with other')])",
                    PROBE,
                ] as &[_],
            ),
            ("none", &[PROBE, "await search({})", "console.log(await ofParent())", "return 1"]),
            ("some", &[PROBE, "console.log(await page.other({ n: 1 }))", "return 1"]),
            ("other", &[PROBE, "await rlm('grandchild with page.x')", "return 1"]),
            ("grandchild", &[PROBE, "return 1"]),
        ]),
    )
    .await;
    let told: BTreeMap<&str, Vec<String>> = outcomes
        .iter()
        .map(|(id, outcomes)| {
            let tell = |outcome: &CellOutcome| match &outcome.error {
                Some(error) => error.message.clone(),
                None => outcome.output.clone(),
            };
            (id.as_str(), outcomes.iter().map(tell).collect())
        })
        .collect();
    insta::assert_debug_snapshot!(told);
}

/// An agent reads about its own unhandled rejections only, and only if they are still unhandled
/// when its cell ends.
#[tokio::test]
async fn reports_unhandled_rejections_to_the_agent_that_caused_them() {
    let session = Session::in_thread(Config::default())
        .await
        .expect("the sandbox starts");
    let root = session.open(None, Context::text(""), root_info());
    let mut child = session.open(Some(&root), Context::text(""), root_info());
    let mut other = session.open(Some(&root), Context::text(""), root_info());
    let cell = "
        const late = llm('late'), lost = llm('lost');
        await llm('first');
        console.log(await late.catch((error) => error.message));
    ";
    child.run(cell, 1);
    let mut calls = HashMap::new();
    for _ in 0..3 {
        match child.next().await.expect("the isolate lives") {
            Event::Called(call) => {
                calls.insert(call.query, call.id);
            }
            event => panic!("expected a call: {event:?}"),
        }
    }
    child.settle(calls["late"], Err("late failed".to_owned()));
    child.settle(calls["lost"], Err("lost failed".to_owned()));
    other.run("console.log('other')", 1);
    assert_eq!(output(&mut other).await, "other");
    child.settle(calls["first"], Ok(String::new()));
    assert_eq!(
        output(&mut child).await,
        "late failed\nUncaught (in promise) Error: lost failed"
    );
}

/// Returns the output of the running cell once it has ended.
async fn output(repl: &mut Repl) -> String {
    match repl.next().await.expect("the isolate lives") {
        Event::Finished(outcome) => outcome.output,
        event => panic!("expected the end of the cell: {event:?}"),
    }
}
