//! Ids in dumps: selectors, removed elements, and ids that never existed.

use browser::{Error, Page};
use model::web::{DumpExtensions, DumpSettings, IdStyle};

use crate::site::on_page;

const HASHES: DumpSettings = DumpSettings {
    max_chars: 12_000,
    ids: IdStyle::Hashes,
    filter: None,
    also: DumpExtensions {
        text: false,
        nested: false,
        editable: false,
        frames: false,
    },
};

async fn dump(page: &Page, settings: &DumpSettings) -> String {
    page.dump(settings).await.unwrap().tree().to_owned()
}

async fn fails(page: &Page, selector: &str) -> Error {
    page.scroll_to(selector).await.unwrap_err()
}

#[test]
fn hides_passwords_in_replaced_fields() {
    on_page("pages/secrets.html", async |world, page| {
        page.fill("#filled", "canary-filled").await.unwrap();
        page.fill("#eager", "canary-eager").await.unwrap();
        page.press(Some("#typed"), "c").await.unwrap();
        for key in "anary-typed".chars() {
            page.press(None, &key.to_string()).await.unwrap();
        }
        for field in ["filled", "typed", "given"] {
            page.click(&format!("#{field} + button")).await.unwrap();
        }
        let values = "['filled', 'typed', 'given', 'eager'].map((id) => document.getElementById(id)).map((it) => it.type + ' ' + it.value).join()";
        assert_eq!(
            page.evaluate(values).await.unwrap(),
            "text canary-filled,text canary-typed,text canary-given,text canary-eager"
        );
        let tree = dump(&page, &DumpSettings::default()).await;
        let fields = tree.lines().filter(|line| !line.contains("<button"));
        assert_eq!(
            fields.collect::<Vec<_>>(),
            [
                "[1]<input type=\"text\" filled>",
                "[3]<input type=\"text\" filled>",
                "[5]<input type=\"text\" filled>",
                "[7]<input type=\"text\" filled>",
                "[8]<textarea>canary-typ</textarea>",
                "[9]<input type=\"password\" filled>",
                "[10]<input type=\"text\" value=\"7\">",
            ]
        );
        world
    });
}

#[test]
fn accepts_three_forms_of_ids_and_css() {
    on_page("pages/ids.html", async |world, page| {
        dump(&page, &DumpSettings::default()).await;
        for selector in [
            "2",
            "[2]",
            "↓[2]",
            "↑[2]",
            " [2] ",
            "002",
            "#second",
            "button:nth-of-type(2)",
        ] {
            page.click(selector).await.unwrap();
            let clicked = page.evaluate("[clicked, clicked = ''][0]").await.unwrap();
            assert_eq!(clicked, "second", "{selector}");
        }
        for (selector, message) in [
            ("99", "[99] is unknown: no dump has shown it"),
            ("[99]", "[99] is unknown: no dump has shown it"),
            (".absent", "no element matches \".absent\""),
            (
                "",
                // prose: read by models
                "\"\" is no selector: it is empty; right are 5, [5], or CSS",
            ),
            (
                "[2",
                // prose: read by models
                "\"[2\" is no selector: it is neither an id of the dump nor CSS; right are 5, [5], or CSS",
            ),
            (
                "the second button",
                "no element matches \"the second button\"",
            ),
        ] {
            assert_eq!(
                fails(&page, selector).await.to_string(),
                message,
                "{selector:?}"
            );
        }
        world
    });
}

#[test]
fn distinguishes_stale_and_unknown_ids() {
    for settings in [DumpSettings::default(), HASHES] {
        on_page("pages/ids.html", async |world, page| {
            let made = page.dump(&settings).await.unwrap();
            let [second, third] = [1, 2].map(|at: usize| made.elements[at].id.clone());
            page.evaluate("document.getElementById('second').remove()")
                .await
                .unwrap();
            let stale = Error::StaleId { id: second.clone() };
            assert_eq!(fails(&page, &second).await, stale, "its element is gone");
            page.scroll_to(&third).await.unwrap();
            page.goto(&world.site.at("pages/ids.html?again"))
                .await
                .unwrap();
            let stale = Error::StaleId { id: third.clone() };
            assert_eq!(fails(&page, &third).await, stale, "its document is gone");
            let never = if settings.ids == IdStyle::Hashes {
                "0bad"
            } else {
                "77"
            };
            let unknown = Error::UnknownId {
                id: never.to_owned(),
            };
            assert_eq!(fails(&page, never).await, unknown);
            world
        });
    }
}

#[test]
fn hashes_are_stable_and_unique() {
    on_page("pages/ids.html", async |world, page| {
        let before = dump(&page, &HASHES).await;
        page.evaluate("document.body.prepend(Object.assign(document.createElement('h2'), { textContent: 'new' }))")
            .await
            .unwrap();
        let after = dump(&page, &HASHES).await;
        let (first, rest) = after.split_once('\n').unwrap();
        assert!(first.ends_with("]<h2>new</h2>"), "{first}");
        assert_eq!(rest, before);
        // 20,000 elements with the same text share 65,536 ids, so nearly every new id collides with
        // an earlier one.
        page.evaluate("document.body.innerHTML = '<button>same</button>'.repeat(20000)")
            .await
            .unwrap();
        let crowded = DumpSettings {
            max_chars: 10_000_000,
            ..HASHES
        };
        let made = page.dump(&crowded).await.unwrap();
        let mut ids: Vec<&str> = made
            .elements
            .iter()
            .map(|element| element.id.as_str())
            .collect();
        assert!(
            ids.iter()
                .all(|id| id.len() == 4 && id.chars().all(|digit| digit.is_ascii_hexdigit()))
        );
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 20_000);
        world
    });
}

#[test]
fn rejects_invalid_or_throwing_filter() {
    on_page("pages/ids.html", async |world, page| {
        for (filter, reason) in [
            ("5", "not a function"),
            ("() => { throw new Error('no') }", "no"),
            ("(el) =>", "SyntaxError"),
        ] {
            let settings = DumpSettings {
                filter: Some(filter.to_owned()),
                ..DumpSettings::default()
            };
            match page.dump(&settings).await {
                Err(Error::Filter(message)) => assert!(message.contains(reason), "{message}"),
                other => panic!("{filter}: {other:?}"),
            }
        }
        world
    });
}
