//! Actions on a page, checked against the events that the page's script records.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browser::{Error, Page, Result};
use serde_json::json;

use crate::site::{World, on_page, until};

/// Performs the action in a row: a verb, a selector and, for some verbs, a text.
async fn act(page: &Page, row: &str) -> Result<()> {
    let mut words = row.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (verb, selector, rest) = (word(), word(), word());
    match verb {
        "click" => page.click(selector).await,
        "fill" => page.fill(selector, rest).await,
        "select" => page.select(selector, rest).await,
        "press" => {
            page.press(Some(selector).filter(|it| *it != "-"), rest)
                .await
        }
        "scroll" => page.scroll_to(selector).await,
        "border" => page.border(Some(selector).filter(|it| *it != "-")).await,
        _ => panic!("{verb}"),
    }
}

async fn value(page: &Page, script: &str) -> String {
    match page.evaluate(script).await.unwrap() {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}

#[test]
fn actions_look_like_user_input_to_page() {
    on_page("pages/actions.html", async |world, page| {
        for (row, seen) in [
            ("click #save", "click save trusted"),
            ("click #low", "click low trusted"),
            ("click #inside", "click inside trusted"),
            ("click #boxless", "click words trusted"),
            (
                "click #ticked",
                "click ticked trusted, click tick trusted on, input tick trusted on, change tick trusted on",
            ),
            (
                "click #tick",
                "click tick trusted on, input tick trusted on, change tick trusted on",
            ),
            (
                "fill #name new words",
                "input name new words, change name new words",
            ),
            (
                "fill #named by label",
                "input name by label, change name by label",
            ),
            ("fill #name ", "input name, change name"),
            ("fill #amount 12.5", "input amount 12.5, change amount 12.5"),
            (
                "fill #day 2026-11-21",
                "input day 2026-11-21, change day 2026-11-21",
            ),
            (
                "fill #when 2026-11-21 10:00",
                "input when 2026-11-21T10:00, change when 2026-11-21T10:00",
            ),
            ("fill #volume 7.0", "input volume 7, change volume 7"),
            ("fill #short abc", "input short abc, change short abc"),
            (
                "fill #secret s3cret",
                "input secret s3cret, change secret s3cret",
            ),
            (
                "fill #note two\nlines",
                "input note two\nlines, change note two\nlines",
            ),
            ("fill #rich words", "input rich trusted"),
            ("select #city r", "input city r, change city r"),
            ("select #city Paris", "input city p, change city p"),
            ("select #many b", "input many b, change many b"),
            (
                "fill #query find me",
                "input query find me, change query find me",
            ),
            (
                "press #query Enter",
                "keydown query trusted Enter, submit form trusted",
            ),
            (
                "press - x",
                "keydown query trusted x, input query trusted find mex",
            ),
            ("press #query End", "keydown query trusted End"),
            ("press - Control+a", "keydown query trusted a"),
            (
                "press - Backspace",
                "keydown query trusted Backspace, input query trusted",
            ),
            (
                "press #query Shift+A",
                "keydown query trusted A, input query trusted A",
            ),
            (
                "press #save Enter",
                "change query trusted A, keydown save trusted Enter, click save trusted",
            ),
        ] {
            act(&page, row).await.unwrap();
            let told = value(&page, "told()").await;
            assert_eq!(told, seen, "{row}");
        }
        world
    });
}

#[test]
fn explains_impossible_actions() {
    on_page("pages/actions.html", async |world, page| {
        for (row, reason) in [
            ("click #off", "it is disabled"),
            ("click #under", "div#cover covers it"),
            ("click #unseen", "it is not visible"),
            ("click #moved", "it is outside of what the page can show"),
            ("fill #fixed x", "it is read-only"),
            (
                "fill #tick x",
                "an input of type checkbox takes no text; click it",
            ),
            (
                "fill #amount many",
                "an input of type number does not take this text",
            ),
            (
                "fill #day tomorrow",
                "an input of type date does not take this text",
            ),
            (
                "fill #volume 700",
                "an input of type range does not take this text",
            ),
            ("fill #short abcd", "it takes at most 3 characters"),
            (
                "fill #city Rome",
                "it is a list to select from, not a text field",
            ),
            ("fill #save x", "a button takes no text"),
            (
                "select #city Berlin",
                "it has no option \"Berlin\"; its options: Paris | Rome | Oslo | Lima",
            ),
            ("select #city Oslo", "this option is disabled"),
            ("select #city Lima", "this option is disabled"),
            ("select #name x", "a input has no options"),
            ("press #cover a", "it cannot have the keyboard's focus"),
            ("scroll #unseen", "it is not visible"),
        ] {
            let Err(Error::Inapplicable {
                selector,
                reason: why,
            }) = act(&page, row).await
            else {
                panic!("{row} was done");
            };
            assert_eq!(
                (selector.as_str(), why.as_str()),
                (row.split(' ').nth(1).unwrap(), reason)
            );
        }
        let unknown = act(&page, "press - Hyper+x").await.unwrap_err();
        assert_eq!(unknown, Error::UnknownKey("Hyper+x".to_owned()));
        assert_eq!(
            value(&page, "told()").await,
            "",
            "an impossible action had an effect"
        );
        world
    });
}

#[test]
fn highlights_one_element_without_moving_layout() {
    on_page("pages/actions.html", async |world, page| {
        let lined = "[...document.querySelectorAll('*')].filter((el) => el.style.outline).map((el) => el.id).join()";
        let size = "document.documentElement.scrollHeight";
        let before = value(&page, size).await;
        for (row, expected) in [
            ("border #save", "save"),
            ("border #low", "low"),
            ("border -", ""),
        ] {
            act(&page, row).await.unwrap();
            assert_eq!(value(&page, lined).await, expected);
            assert_eq!(value(&page, size).await, before);
        }
        assert_eq!(value(&page, "save.hasAttribute('style')").await, "false");
        act(&page, "scroll #low").await.unwrap();
        assert_ne!(value(&page, "scrollY").await, "0");
        world
    });
}

#[test]
fn scrolling_waits_for_observers_of_page() {
    on_page("pages/actions.html", async |world, page| {
        let script = "new IntersectionObserver((entries) => { \
                      low.disabled = !entries.at(-1).isIntersecting }).observe(low); 0";
        page.evaluate(script).await.unwrap();
        for round in 0..5 {
            for (row, is_disabled) in [("scroll #low", "false"), ("scroll #save", "true")] {
                act(&page, row).await.unwrap();
                let disabled = value(&page, "low.disabled").await;
                assert_eq!(disabled, is_disabled, "{round}: {row}");
            }
        }
        world
    });
}

#[test]
fn click_waits_for_navigation_of_busy_page() {
    on_page("pages/actions.html", async |world, page| {
        // A task after the click is busy for longer than an action waits, and then navigates.
        let script = "document.body.insertAdjacentHTML('afterbegin', '<button id=busy>b</button>'); \
                      document.querySelector('#busy').onclick = () => setTimeout(() => { \
                      const end = performance.now() + 500; while (performance.now() < end); \
                      location.href = 'ids.html' }); 0";
        page.evaluate(script).await.unwrap();
        let before = page.place();
        page.click("#busy").await.unwrap();
        // Reading the address from the page would itself wait until the page is no longer busy.
        assert_ne!(page.place(), before);
        world
    });
}

#[test]
fn place_changes_with_document_or_route() {
    for (row, changes) in [
        ("click #save", false),
        ("click #spot", false),
        ("click #route", true),
        ("click #late", true),
        ("click #away", true),
    ] {
        on_page("pages/actions.html", async |world, page| {
            let before = page.place();
            act(&page, row).await.unwrap();
            // The page's timer may navigate after the action has settled.
            if row == "click #late" {
                until("the page changes", || page.place() != before).await;
            }
            assert_eq!(page.place() != before, changes, "{row}: {:?}", page.place());
            if row == "click #away" {
                // A script that runs right afterward already sees the new document.
                assert_eq!(value(&page, "document.title").await, "ids");
                assert_eq!(page.url().await.unwrap(), world.site.at("pages/ids.html"));
            }
            world
        });
    }
}

#[test]
fn script_without_value_left_page_or_opened_dialog() {
    for (script, value, changes, dialog) in [
        ("6 * 7", Some(json!(42)), false, None),
        (
            "location.href = 'ids.html'",
            Some(json!("ids.html")),
            true,
            None,
        ),
        (
            "location.href = 'ids.html'; new Promise(() => {})",
            None,
            true,
            None,
        ),
        (
            "history.pushState(null, '', '/pages/elsewhere'); 1",
            Some(json!(1)),
            true,
            None,
        ),
        ("confirm('Sure?')", None, false, Some("Sure?")),
    ] {
        on_page("pages/actions.html", async |world, page| {
            let before = page.place();
            assert_eq!(page.run_script(script).await.unwrap(), value, "{script}");
            assert_eq!(page.place() != before, changes, "{script}");
            let open = page.dialog().map(|dialog| dialog.message);
            assert_eq!(open.as_deref(), dialog, "{script}");
            world
        });
    }
}

#[test]
fn separate_world_shares_only_document() {
    on_page("pages/actions.html", async |world, page| {
        let trap = "Object.defineProperty(globalThis, 'mine', { get: () => 'forged', set() {} });
            document.querySelector = () => null; 0";
        page.evaluate(trap).await.unwrap();
        let apart = "(globalThis.mine ??= document.querySelector('#save').innerText)";
        assert_eq!(page.evaluate_apart(apart).await.unwrap(), "Save");
        assert_eq!(page.evaluate("mine").await.unwrap(), "forged");
        world
    });
}

#[test]
fn dialogs_stop_page_until_answered() {
    on_page("pages/actions.html", async |world, page| {
        for (button, message, accept, text, seen) in [
            ("#tell", "Saved", true, None, ""),
            ("#ask", "Sure?", true, None, "answer true"),
            ("#ask", "Sure?", false, None, "answer false"),
            ("#prompt", "Who?", true, Some("Ann"), "answer Ann"),
            ("#prompt", "Who?", false, None, "answer null"),
        ] {
            page.click(button).await.unwrap();
            let dialog = page.dialog().unwrap();
            assert_eq!(dialog.message, message);
            let stopped = page
                .dump(&model::web::DumpSettings::default())
                .await
                .unwrap_err();
            assert!(matches!(stopped, Error::DialogOpen { .. }), "{stopped}");
            page.answer_dialog(accept, text).await.unwrap();
            let told = value(&page, "told()").await;
            assert_eq!(
                told.split(", ")
                    .filter(|it| it.starts_with("answer"))
                    .collect::<String>(),
                seen
            );
        }
        assert_eq!(
            page.answer_dialog(true, None).await.unwrap_err(),
            Error::NoDialog
        );
        world
    });
}

#[test]
fn reports_dialog_that_opens_right_after_another() {
    on_page("pages/actions.html", async |world, page| {
        for round in 0..40 {
            page.click("#twice").await.unwrap();
            for (message, next) in [("Delete?", Some("Deleted")), ("Deleted", None)] {
                assert_eq!(page.dialog().unwrap().message, message, "{round}");
                page.answer_dialog(true, None).await.unwrap();
                let open = page.dialog().map(|dialog| dialog.message);
                assert_eq!(open.as_deref(), next, "{round}");
            }
        }
        world
    });
}

#[test]
fn uses_opened_tabs_concurrently() {
    on_page("pages/actions.html", async |world, page| {
        page.click("#tab").await.unwrap();
        let opened = wait_for_tab(&world, &page).await;
        assert_eq!(opened.url().await.unwrap(), world.site.at("pages/ids.html"));
        let mut own = Vec::new();
        for _ in 0..3 {
            let tab = world.profile.new_page().await.unwrap();
            tab.goto(&world.site.at("pages/actions.html"))
                .await
                .unwrap();
            own.push(tab);
        }
        assert_eq!(world.profile.pages().len(), 5);
        let clicks = own.iter().map(async |tab| {
            for _ in 0..5 {
                tab.click("#low").await?;
                tab.fill("#name", "x").await?;
                tab.press(Some("#query"), "a").await?;
            }
            tab.evaluate("log.length").await
        });
        for told in futures::future::join_all(clicks).await {
            // Each round logs a click, two events for `fill` and two for `press`. Each click after
            // the first also logs the change of the field that `press` edited.
            assert_eq!(told.unwrap(), 5 * 5 + 4);
        }
        opened.close().await.unwrap();
        assert_eq!(opened.url().await.unwrap_err(), Error::TabClosed);
        assert!(!opened.is_open() && page.is_open() && page.opened().is_empty());
        world
    });
}

async fn wait_for_tab(world: &World, page: &Page) -> Page {
    for _ in 0..1_200 {
        if let Some(tab) = page.opened().pop()
            && !tab.url().await.unwrap().starts_with("about:")
        {
            return tab;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no tab of {}, but {:?}", page.id(), world.profile.pages());
}

#[test]
fn takes_screenshots_of_viewport_or_page() {
    on_page("pages/actions.html", async |world, page| {
        let sizes = [false, true].map(async |whole| {
            let image = page.screenshot(whole).await.unwrap();
            assert_eq!(image.media_type, "image/png");
            let png = STANDARD.decode(image.data).unwrap();
            assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
            let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
            (number(16), number(20))
        });
        let [visible, whole] = sizes;
        assert_eq!(visible.await, (1_280, 900));
        let (width, height) = whole.await;
        assert!(
            (1_200..=1_280).contains(&width) && height > 1_500,
            "{width} × {height}"
        );
        assert!(page.text().await.unwrap().contains("New tab"));
        world
    });
}
