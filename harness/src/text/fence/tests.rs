//! Responses and the blocks found in them.

use proptest::prelude::*;

use super::{StopWatch, code_blocks};

proptest! {
    #[test]
    fn parses_any_response(response in "(```(js|javascript|python)?|`|\\$\\{|[a-z'\"/}{\n\\\\ ]){0,60}") {
        let _ = code_blocks(&response);
    }

    #[test]
    fn returns_fenced_block_unchanged(
        before in "[a-z .\n]{0,40}",
        code in "[a-z0-9=;(){}+. \n]{0,80}[a-z;]",
        after in "[a-z .\n]{0,40}",
    ) {
        let response = format!("{before}\n```javascript\n{code}\n```\n{after}");
        prop_assert_eq!(code_blocks(&response), vec![code]);
    }
}

fn check(response: &str, expected: &[&str]) {
    assert_eq!(
        code_blocks(response),
        expected,
        "for the response {response:?}"
    );
}

#[test]
fn finds_blocks() {
    check("", &[]);
    check("Just prose.", &[]);
    check("a\n```javascript\nx\n```\nb", &["x"]);
    check("```js\nx\n```", &["x"]);
    check("```repl\nx\n```", &["x"]);
    check("```JavaScript\r\nx\r\ny\r\n```\r\n", &["x\r\ny"]);
    check("  ```js\n  x\n  ```", &["  x"]);
    check("````js\nx\n```\ny\n````", &["x\n```\ny"]);
    check("```js\n1\n```\n```js\n2\n```", &["1", "2"]);
    for mark in [
        "ts",
        "TypeScript",
        "tsx",
        "jsx",
        "node",
        "mjs",
        "cjs",
        "mts",
    ] {
        check(&format!("```{mark}\nx\n```"), &["x"]);
    }
    check("```text\nno\n```\n```js\n2\n```", &["2"]);
    check("```python\nno\n```", &[]);
    // Blocks without a language tag run only if there are no others.
    check("```\nx\n```", &["x"]);
    check("```\nquoted\n```\n```js\nx\n```", &["x"]);
    // Never closed.
    check("text\n```js\nx\ny", &["x\ny"]);
    // Never opened.
    check(
        "const a = 1;\nconsole.log(a)\n```",
        &["const a = 1;\nconsole.log(a)"],
    );
    check("javascript\nconst a = 1;\n```\nDone.", &["const a = 1;"]);
    // The block opens at the end of a line of prose.
    check("I look first: ```js\nx\n```\nend", &["x"]);
    check("I look first: ```js\nx", &["x"]);
    check("Use ```python\nx", &[]);
    check("Blocks open with ```js\n```js\nx\n```", &["x"]);
    // Blank.
    check("```js\n\n```", &[]);
    check("```js\n\n```\n```js\nx\n```", &["x"]);
}

#[test]
fn ignores_fences_in_code() {
    check(
        "```js\nconst md = `\n```\nquoted\n```\n`;\nf(md)\n```\nend",
        &["const md = `\n```\nquoted\n```\n`;\nf(md)"],
    );
    check(
        "```js\nlet s = \"```\"; let t = '```js';\n```",
        &["let s = \"```\"; let t = '```js';"],
    );
    check(
        "```js\nlet t = `${f(`a`)}`;\n```",
        &["let t = `${f(`a`)}`;"],
    );
    check(
        "```js\nconst r = /`/g; // it's `odd\n/* ` */\n```\nend",
        &["const r = /`/g; // it's `odd\n/* ` */"],
    );
    check(
        "```js\nconst q = a / b; const s = '`';\n```\nend",
        &["const q = a / b; const s = '`';"],
    );
    // An unclosed template literal is a mistake in the code and does not extend the block.
    check("```js\nlet t = `oops;\n```\nprose", &["let t = `oops;"]);
}

#[test]
fn parses_hostile_response_in_linear_time() {
    let blocks = 50_000;
    let began = std::time::Instant::now();
    let found = code_blocks(&"```js\n`\n```\n".repeat(blocks)).len();
    assert!(found > 0 && found <= blocks, "{found}");
    // Searching from each block to the end would take hours.
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}

#[test]
fn ignores_text_after_language() {
    check("```javascript title=\"x.js\"\nx\n```", &["x"]);
    check("```JS {1,3}\nx\n```", &["x"]);
    check("```js{1,3}\nx\n```", &["x"]);
    check("``` js\nx\n```", &["x"]);
    check("```{.js .numberLines}\nx\n```", &["x"]);
    check("```python title=\"x\"\nno\n```\n```js\nx\n```", &["x"]);
    check("```jsonx\nno\n```", &[]);
    check("```js return 5 ```", &["return 5"]);
    check("Use ```js x``` to say so.", &[]);
}

#[test]
fn accepts_tilde_fences() {
    check("~~~js\nx\n~~~", &["x"]);
    check(
        "~~~js\nlet t = `\n~~~\n`;\n~~~\nend",
        &["let t = `\n~~~\n`;"],
    );
    check("~~~js\nx = '```'\n```\n~~~", &["x = '```'\n```"]);
    check("```js\nlet n = ~~~x\n```", &["let n = ~~~x"]);
}

#[test]
fn finds_end_of_block() {
    // The closing fence is at the end of a line of code.
    check("```js\nf(x)```", &["f(x)"]);
    check("```js\nf(x)\ng() ```\nprose\n", &["f(x)\ng()"]);
    check(
        "```js\nf(x)```\nprose\n```js\nsecond\n```",
        &["f(x)", "second"],
    );
    check("```js\nlet t = `a````", &["let t = `a`"]);
    check(
        "```js\nlet t = `\n````;\n`;\n```\nend",
        &["let t = `\n````;\n`;"],
    );
    check(
        "```js\n// fenced by ```\nf()\n```\nend",
        &["// fenced by ```\nf()"],
    );
    check("```js\nf() // done ```\nprose", &["f() // done"]);
    check("```js\nlet s = '```\nf()\n```\nend", &["let s = '```\nf()"]);
    // Prose follows the closing fence.
    check("```js\nx\n``` and so on.\nprose", &["x"]);
    // A shorter fence closes the block.
    check("````js\nx\n```\n", &["x"]);
    // The next block opens before this one is closed.
    check("```js\n1\n```js\n2\n```", &["1", "2"]);
    check("```js\n```js\nx\n```", &["x"]);
    check("```js\n1\n```python\nno\n```\nend", &["1"]);
    check("```json\n{}\n```js\nx\n```", &["x"]);
    check(
        "```js\nlet md = `\n```js\nquoted\n```\n`;\n```\nend",
        &["let md = `\n```js\nquoted\n```\n`;"],
    );
    // A block of Markdown may contain blocks.
    check(
        "```markdown\n# How\n```js\nshown\n```\n```\n```js\nx\n```",
        &["x"],
    );
    check("```md\nplain\n```\n```js\nx\n```", &["x"]);
}

#[test]
fn ignores_blocks_in_reasoning() {
    check("<think>so</think>```js\nx\n```", &["x"]);
    check("</think>```javascript\nx\n```", &["x"]);
    check("I think.\n</think>\n\n```js\nx\n```", &["x"]);
    check(
        "<think>\n```js\ndraft\n```\n</think>\nNow:\n```js\nx\n```",
        &["x"],
    );
    check("<think>```js\ndraft\n</think>\n```js\nx\n```", &["x"]);
    check("draft\n</think>Now:\n```js\nx\n```", &["x"]);
    // The only block is run even though it is in the reasoning.
    check("<think>\n```js\nx\n```\n</think>\nThat is it.", &["x"]);
    // A tag in the code does not end reasoning.
    check(
        "```js\nconst tag = '</think>';\nf(tag)\n```\nend",
        &["const tag = '</think>';\nf(tag)"],
    );
    check(
        "```js\nconst t = `\n</think>\n`;\nf(t)\n```\nend",
        &["const t = `\n</think>\n`;\nf(t)"],
    );
}

/// Feeds a response to a [`StopWatch`] character by character and returns the text up to the point
/// where the watch stops.
fn read_before_stop(response: &str, blocks: usize) -> Option<&str> {
    let mut watch = StopWatch::new(blocks);
    let ends = response
        .char_indices()
        .map(|(at, char)| at + char.len_utf8());
    ends.into_iter()
        .find_map(|end| watch.end_of_last_block(&response[..end]))
        .map(|end| &response[..end])
}

#[test]
fn stops_after_last_block() {
    let cases = [
        ("prose", 1, None),
        ("```js\nx\n```", 1, None),
        (
            "a\n```js\nx\n```\nb\n```js\ny\n```\n",
            1,
            Some("a\n```js\nx\n```\n"),
        ),
        (
            "```js\nx\n```\nb\n```js\ny\n```\nz",
            2,
            Some("```js\nx\n```\nb\n```js\ny\n```\n"),
        ),
        ("```js\nx\n```\nb\n", 2, None),
        (
            "```js\n\n```\n```js\nx\n```\n",
            1,
            Some("```js\n\n```\n```js\nx\n```\n"),
        ),
        (
            "```text\nx\n```\n```js\nx\n```\n",
            1,
            Some("```text\nx\n```\n```js\nx\n```\n"),
        ),
        // A fence inside a template literal does not close the block.
        (
            "```js\nf(`\n```\n`)\n```\nend",
            1,
            Some("```js\nf(`\n```\n`)\n```\n"),
        ),
        // Blocks without a language tag run only if no block with one follows.
        ("```\nx\n```\n", 1, None),
    ];
    for (response, blocks, expected) in cases {
        assert_eq!(read_before_stop(response, blocks), expected, "{response:?}");
    }
}

proptest! {
    #[test]
    fn early_stop_keeps_blocks(
        response in "((```|~~~|````)(js|javascript|text|md)?\n|</?think>|// |`|[a-z'\"/}{\n ]|\n){0,60}",
        blocks in 1..4_usize,
    ) {
        if let Some(read) = read_before_stop(&response, blocks) {
            let mut whole = code_blocks(&response);
            whole.truncate(blocks);
            prop_assert_eq!(code_blocks(read), whole);
        }
    }
}
