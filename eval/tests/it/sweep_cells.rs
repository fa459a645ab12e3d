//! Which combinations of a matrix become cells of a sweep, and which are skipped, merged or
//! rejected.

use serde_json::Value;

use crate::binary::Binary;
use crate::run::read_json;

/// Description, matrix, expected cells or error, and messages about the cells.
type MatrixRow<'a> = (
    &'a str,
    &'a str,
    Result<&'a [&'a str], &'a str>,
    &'a [&'a str],
);

#[test]
fn resolves_matrix_to_distinct_cells() {
    let brief = "---\nname: brief\ndescription: Short.\nmodes: [solver]\nprotocols: [direct, tools]\n---\n## Brief\n\nOne word.\n";
    let copy = brief.replace("name: brief", "name: copy");
    let rows: [MatrixRow<'_>; 29] = [
        (
            "Iterations vary only in protocols with iterations.",
            "{run: RUN, iterations: [5, 15]}",
            Ok(&[
                "01-direct",
                "02-solver-iterations5",
                "03-solver-iterations15",
            ]),
            &[],
        ),
        (
            "The description of the REPL varies only in protocols with a REPL.",
            "{run: RUN, protocols: [rlm, tools], repl-apis: [standard, extended]}",
            Ok(&[
                "01-direct",
                "02-rlm-solver-standard",
                "03-rlm-solver-extended",
                "04-tools",
            ]),
            &[],
        ),
        (
            "An axis and a shared flag cannot set the same flag.",
            "{run: {<<: RUN, temperature: 1}, temperatures: [0, 1]}",
            Err("error: temperatures and --temperature set the same flag: remove one of them"),
            &[],
        ),
        (
            "Axes vary only in protocols that support them.",
            "{run: RUN, protocols: [rlm, tools], prompt-modes: [solver, coordinator], depths: [2, 3], child-models: none}",
            Ok(&[
                "01-direct",
                "02-rlm-solver-depth2",
                "03-rlm-solver-depth3",
                "04-rlm-coordinator-depth2",
                "05-rlm-coordinator-depth3",
                "06-tools",
            ]),
            &[],
        ),
        (
            "The children's model varies only in protocols with children.",
            "{run: RUN, protocols: [rlm, tools], child-models: [none, scripted/s-niah-flawed]}",
            Ok(&[
                "01-direct",
                "02-rlm-solver",
                "03-rlm-solver-child-scripted-s-niah-flawed",
                "04-tools",
            ]),
            &[],
        ),
        (
            "The children's model is the root's under another name.",
            "{run: RUN, child-models: [none, 'scripted:same.yaml']}",
            Err(
                "error: cells `02-solver` and `03-solver-child-scripted-same.yaml` would send the \
                 same requests to the same model; remove one of them",
            ),
            &[],
        ),
        (
            "The children's model can only be an axis.",
            "{run: {<<: RUN, child-model: scripted/s-niah-flawed}}",
            Err("error: --child-model cannot be shared by all cells: use --child-models"),
            &[],
        ),
        (
            "Drivers are combined only with the protocols that they are written for.",
            "{run: RUN, protocols: [rlm, tools], driver-sets: [[], [brief], [exact-format]]}",
            Ok(&[
                "01-direct",
                "02-rlm-solver",
                "03-rlm-solver-exact-format",
                "04-tools",
                "05-tools-brief",
            ]),
            &[
                "skipped --protocol rlm --prompt-mode solver --max-depth 2 --drivers brief: driver `brief` requires --protocol direct or tools, but the protocol is rlm",
                "skipped --protocol tools --prompt-mode solver --max-depth 2 --drivers exact-format: driver `exact-format` requires --protocol rlm, but the protocol is tools",
            ],
        ),
        (
            "A set contains a driver twice.",
            "{run: RUN, driver-sets: [[exact-format, exact-format]]}",
            Err("error: driver-sets: duplicate `exact-format` in one set"),
            &[],
        ),
        (
            "The drivers of two sets have the same text.",
            "{run: RUN, protocols: [tools], driver-sets: [[brief], [copy]]}",
            Err(
                "error: cells `02-tools-brief` and `03-tools-copy` would send the same requests to \
                 the same model; remove one of them",
            ),
            &[],
        ),
        (
            "A driver is also in the profile.",
            "{run: {<<: RUN, profile: gemini}, driver-sets: [[], [deadline-return]]}",
            Err(
                "error: cell `--protocol rlm --prompt-mode solver --max-depth 2 --drivers deadline-return`: --drivers deadline-return would \
                 have no effect: --profile gemini already sets it",
            ),
            &[],
        ),
        (
            "No driver of the profile supports the direct protocol.",
            "{run: {<<: RUN, profile: gemini}, driver-sets: [[], [reuse-state]]}",
            Ok(&["01-direct", "02-solver", "03-solver-reuse-state"]),
            &[
                "omitted from 01-direct: --profile gemini would have no effect: none of its drivers (deadline-return, verify-before-return) \
                 is written for the direct protocol",
            ],
        ),
        (
            "Two references name the same model.",
            "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 1}, models: [scripted, scripted/s-niah]}",
            Err(
                "error: cells `01-scripted-direct` and `02-scripted-s-niah-direct` would send the \
                 same requests to the same model; remove one of them",
            ),
            &[],
        ),
        (
            "A file is a copy of a bundled model.",
            "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 1}, models: [scripted, 'scripted:bundled.yaml']}",
            Err(
                "error: cells `01-scripted-direct` and `02-scripted-bundled.yaml-direct` would \
                 send the same requests to the same model; remove one of them",
            ),
            &[],
        ),
        (
            "Two files have the same content.",
            "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 1}, models: ['scripted:model.yaml', 'scripted:same.yaml']}",
            Err(
                "error: cells `01-scripted-model.yaml-direct` and `02-scripted-same.yaml-direct` \
                 would send the same requests to the same model; remove one of them",
            ),
            &[],
        ),
        (
            "Two providers select the same API format for a model.",
            "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 1}, models: [openai/gpt-5-pro, openai-responses/gpt-5-pro]}",
            Err("error: cells `01-openai-gpt-5-pro-direct` and \
                 `02-openai-responses-gpt-5-pro-direct` would send the same requests to the same \
                 model; remove one of them"),
            &[],
        ),
        (
            "Two providers use the same model at the same address.",
            "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 1, base-url: 'http://127.0.0.1:1/v1'}, models: [ollama/m, openai/m]}",
            Err(
                "error: cells `01-ollama-m-direct` and `02-openai-m-direct` would send the same \
                 requests to the same model; remove one of them",
            ),
            &[],
        ),
        (
            "A recording gives the same responses to all prompts.",
            "{run: {benchmark: s-niah, context-len: 2k, samples-per-length: 1, model: 'replay:none.jsonl'}, prompt-modes: [solver, coordinator]}",
            Err(
                "error: cells `02-solver` and `03-coordinator` replay the same recording, which prompts cannot change; remove one of them",
            ),
            &[],
        ),
        (
            "A protocol is listed twice, even though it is the baseline.",
            "{run: RUN, protocols: [direct, rlm, direct]}",
            Err("error: protocols: duplicate `direct`"),
            &[],
        ),
        (
            "A driver requires a mode, but the prompt has none.",
            "{run: {<<: RUN, prompts-dir: prompts, prompt: desk}, driver-sets: [[], [delegation-first]]}",
            Ok(&["01-direct", "02-rlm", "03-rlm-delegation-first"]),
            &[],
        ),
        (
            "A system prompt that hides the mode would make two cells equal.",
            "{run: {<<: RUN, system-prompt-file: whole.md}, prompt-modes: [solver, coordinator]}",
            Err(
                "error: cell `--protocol rlm --prompt-mode coordinator --max-depth 2`: --prompt-mode coordinator would have no effect: \
               --system-prompt-file does not contain a line {{default}}, so it replaces the whole prompt",
            ),
            &[],
        ),
        (
            "A value is listed twice.",
            "{run: RUN, prompt-modes: [solver, coordinator, solver]}",
            Err("error: prompt-modes: duplicate `solver`"),
            &[],
        ),
        (
            "A set of drivers is listed twice.",
            "{run: RUN, driver-sets: [[exact-format, reuse-state], [], [exact-format, reuse-state]]}",
            Err("error: driver-sets: duplicate `exact-format+reuse-state`"),
            &[],
        ),
        (
            "REPL limits are omitted for the direct protocol.",
            "{run: {<<: RUN, cell-timeout: 5, console: plain, max-blocks-per-iteration: 2}}",
            Ok(&["01-direct", "02-solver"]),
            &[
                "omitted from 01-direct: --max-blocks-per-iteration 2, --console plain, --cell-timeout 5 would have no effect: \
               the direct protocol is one call with the whole context, without a REPL, children or tools",
            ],
        ),
        (
            "A shared flag is omitted in cells where it has no effect.",
            "{run: {<<: RUN, tools: read_context, max-iterations: 4}}",
            Ok(&["01-direct", "02-solver"]),
            &[
                "omitted from 01-direct: --max-iterations 4, --tools read_context would have no effect: \
               the direct protocol is one call with the whole context, without a REPL, children or tools",
            ],
        ),
        (
            "All values of a shared flag are omitted in cells where it has no effect.",
            "{run: {<<: RUN, dump-include: [nested, editable]}}",
            Ok(&["01-direct"]),
            &[
                "omitted from 01-direct: --dump-include nested,editable would have no effect: \
               the direct protocol is one call with the whole context, without a REPL, children or tools",
                "skipped 02-solver: --dump-text and --dump-include describe how web pages are shown, but \
               s-niah does not have pages; omit them",
            ],
        ),
        (
            "A shared flag without effect in any cell is rejected.",
            "{run: {<<: RUN, action-overrides: actions.yaml}}",
            Err(
                "error: a shared flag has no effect in any cell: --action-overrides would have no effect: \
                 no agent has a tool or action called search",
            ),
            &[],
        ),
        (
            "Cells use a profile only if the matrix sets one.",
            "{run: {<<: RUN, profiles-file: profiles.yaml}}",
            Ok(&["01-direct", "02-solver"]),
            &[],
        ),
        (
            "Cells use the profile that the matrix sets.",
            "{run: {<<: RUN, profiles-file: profiles.yaml, profile: auto}}",
            Ok(&["01-direct", "02-solver"]),
            &[
                "profile `family` matches the model and adds the drivers reuse-state; --profile \
                 none omits them",
                "profile `family`: drivers that are not written for the direct protocol are skipped: reuse-state",
            ],
        ),
    ];
    let run = "{benchmark: s-niah, context-len: 2k, samples-per-length: 1, model: MODEL, drivers-dir: drivers}";
    let script = "description: Says 1.\nrules:\n\
                  - {when: {roles: [direct, tools]}, reply: '1'}\n\
                  - reply: \"```js\\nreturn(1)\\n```\"\n";
    for (about, matrix, cells, notes) in rows {
        let inner = run.trim_matches(['{', '}']);
        let matrix = matrix.replace("<<: RUN", inner).replace("RUN", run);
        // Profiles match model names, not file names.
        let is_of_family = matrix.contains("profiles-file");
        let model = if is_of_family {
            "scripted"
        } else {
            "'scripted:model.yaml'"
        };
        let matrix = matrix.replace("MODEL", model);
        let binary = if matrix.contains("iterations:") {
            Binary::new().variable("EVAL_MAX_ITERATIONS", "7")
        } else {
            Binary::new()
        };
        let binary = binary
            .variable("EVAL_PROMPT_MODE", "coordinator")
            .variable("EVAL_MAX_DEPTH", "3")
            .variable("EVAL_CHILD_MODEL", "scripted/s-niah-flawed")
            .variable("EVAL_DRIVERS", "verify-before-return")
            .variable("EVAL_PROFILE", "claude")
            .variable("EVAL_ISOLATION", "thread")
            .variable("OPENAI_API_KEY", "sk-of-nobody")
            .file("matrix.yaml", &matrix)
            .file("model.yaml", script)
            .file("same.yaml", script)
            .file(
                "bundled.yaml",
                include_str!("../../../benchmarks/src/s_niah/model.yaml"),
            )
            .file(
                "prompts/desk.md",
                "---\nname: desk\ntoolDescription: D\nmodel: default\n---\nYou sit.\n",
            )
            .file("whole.md", "Only this.\n")
            .file("actions.yaml", "search: {description: Finds.}\n")
            .file("drivers/brief.md", brief)
            .file("drivers/copy.md", &copy)
            .file(
                "profiles.yaml",
                "profiles: [{name: family, models: ['scripted*'], drivers: [reuse-state]}]\n",
            );
        let mut args = vec!["sweep", "--matrix", "matrix.yaml", "--out", "sweep"];
        // A file can name these only together with the command line.
        let places = ["prompts-dir: prompts", "base-url: http://127.0.0.1:1/v1"];
        let typed = places.map(|line| line.split_once(": ").unwrap());
        let place = typed.into_iter().find(|(flag, _)| matrix.contains(flag));
        let flag = place.map(|(flag, value)| format!("--{flag}={value}"));
        args.extend(flag.iter().flat_map(|flag| ["--", flag]));
        let ran = binary.run(&args, "");
        match cells {
            Ok(cells) => {
                assert_eq!(ran.code, Some(0), "{about}: {ran:?}");
                let plan = read_json(binary.path().join("sweep/sweep.json"));
                let names = plan["cells"].as_array().unwrap().iter();
                let names: Vec<&str> = names.map(|cell| cell["name"].as_str().unwrap()).collect();
                assert_eq!(names, cells, "{about}");
                let said = ran
                    .stderr
                    .lines()
                    .filter_map(|line| line.strip_prefix("note: "));
                let said: Vec<&str> = said
                    .filter(|line| {
                        ["skipped", "omitted", "profile"]
                            .iter()
                            .any(|word| line.starts_with(word))
                    })
                    .collect();
                let mut wanted = notes.to_vec();
                wanted.sort_unstable();
                let mut said = said;
                said.sort_unstable();
                assert_eq!(said, wanted, "{about}");
                for name in names {
                    let config = binary.path().join("sweep").join(name).join("config.json");
                    let config = read_json(config);
                    let of_matrix = [("profile: auto", "family"), ("profile: gemini", "gemini")];
                    let mut of_matrix = of_matrix.into_iter();
                    let named = of_matrix.find(|(text, _)| matrix.contains(text));
                    let named = named.filter(|_| name != "01-direct");
                    let profile = named.map_or(Value::Null, |(_, profile)| profile.into());
                    assert_eq!(config["engine"]["profile"], profile, "{about}: {name}");
                }
            }
            Err(message) => {
                assert_eq!(ran.code, Some(2), "{about}: {ran:?}");
                assert!(
                    ran.stderr.lines().any(|line| line == message),
                    "{about}: {}",
                    ran.stderr
                );
                assert!(!binary.path().join("sweep").exists(), "{about}");
            }
        }
    }
}

/// A cell from which a shared flag without effect is omitted keeps its permissions.
#[test]
fn cells_without_a_shared_flag_keep_permissions() {
    let binary = Binary::new();
    let start = "sweep --out sweep -- --benchmark s-niah --model scripted --context-len 2k \
                 --samples-per-length 1 --isolation thread --repl-api extended";
    let ran = binary.run(&start.split(' ').collect::<Vec<_>>(), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains("note: omitted from 01-direct"),
        "{ran:?}"
    );
    for cell in ["01-direct", "02-solver"] {
        let config = binary.path().join("sweep").join(cell).join("config.json");
        let config = read_json(config);
        assert_eq!(config["engine"]["isolation"], "thread", "{cell}");
    }
}
