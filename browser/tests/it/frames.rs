//! Frames of any origin: a dump can include them, and actions work on elements inside frames as on
//! the rest of the page.

use std::time::Duration;

use browser::{Error, Origin, Page, Profile, Reach};
use model::web::{DumpExtensions, DumpSettings, IdStyle};
use url::form_urlencoded::Serializer;

use crate::site::{Site, in_runtime, pool, until};

fn settings(ids: IdStyle) -> DumpSettings {
    DumpSettings {
        ids,
        also: DumpExtensions {
            editable: true,
            frames: true,
            ..DumpExtensions::default()
        },
        ..DumpSettings::default()
    }
}

/// Returns the id on the `nth` line (0-based) that contains `holds`.
async fn id_of(page: &Page, settings: &DumpSettings, holds: &str, nth: usize) -> String {
    let dump = page.dump(settings).await.unwrap();
    let mut lines = dump.tree().lines().filter(|line| line.contains(holds));
    let line = lines.nth(nth);
    let line = line.unwrap_or_else(|| panic!("no {nth} of {holds} in\n{}", dump.text));
    line.split(['[', ']']).nth(1).unwrap().to_owned()
}

/// Waits until a site receives a request for an address, because a click does not wait for
/// navigation inside a frame.
async fn asked(site: &Site, address: &str) {
    let asked = async || {
        while !site
            .asked
            .lock()
            .unwrap()
            .iter()
            .any(|asked| asked == address)
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let asked = tokio::time::timeout(Duration::from_secs(60), asked()).await;
    asked.unwrap_or_else(|_| panic!("{:?}", site.asked.lock().unwrap()));
}

/// Opens a profile that reaches only these origins.
async fn profile<const N: usize>(origins: [&String; N]) -> Profile {
    let allowed: [Origin; N] = origins.map(|origin| origin.parse().unwrap());
    let pool = pool().await;
    pool.profile(&Reach::anywhere(allowed)).await.unwrap()
}

/// Returns the address of a page that contains frames with these titles and addresses.
fn page_with(site: &Site, frames: &[(&str, String)]) -> String {
    let query = Serializer::new(String::new()).extend_pairs(frames).finish();
    format!("{}?{query}", site.at("pages/frames.html"))
}

#[test]
fn reads_and_uses_frames_of_any_origin() {
    in_runtime(async || {
        let [site, other, far, refused] = [
            Site::open().await,
            Site::open().await,
            Site::open().await,
            Site::open().await,
        ];
        // The browser treats `localhost` as another site and gives it a separate process.
        let far_origin = far.origin.replace("127.0.0.1", "localhost");
        let profile = profile([&site.origin, &other.origin, &far_origin]).await;
        let page = profile.page().unwrap();
        let framed = |origin: &str| format!("{origin}/pages/framed.html");
        let nested =
            page_with(&far, &[("Inner", framed(&other.origin))]).replace(&far.origin, &far_origin);
        let frames = [
            ("Same", framed(&site.origin)),
            ("Other", framed(&other.origin)),
            ("Far", framed(&far_origin)),
            ("Nested", nested),
            ("Refused", framed(&refused.origin)),
        ];
        page.goto(&page_with(&site, &frames)).await.unwrap();
        let shown = |text: &str| {
            let names = [
                (&far_origin, "http://far"),
                (&site.origin, "http://site"),
                (&other.origin, "http://other"),
                (&refused.origin, "http://refused"),
            ];
            // Ports differ between runs, even inside encoded addresses.
            names
                .into_iter()
                .fold(text.to_owned(), |text, (origin, name)| {
                    let encoded = origin.replace(':', "%3A").replace('/', "%2F");
                    text.replace(origin.as_str(), name).replace(&encoded, name)
                })
        };
        for (style, name) in [
            (IdStyle::Numbers, "frames"),
            (IdStyle::Hashes, "frames_hashes"),
        ] {
            let dump = page.dump(&settings(style)).await.unwrap();
            let again = page.dump(&settings(style)).await.unwrap();
            assert_eq!(dump.tree(), again.tree());
            if style == IdStyle::Numbers {
                insta::assert_snapshot!(name, shown(dump.tree()));
            } else {
                let mut ids: Vec<&str> = dump
                    .elements
                    .iter()
                    .map(|indexed| indexed.id.as_str())
                    .collect();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(ids.len(), dump.elements.len(), "ids are not unique");
            }
            let settings = settings(style);
            for (nth, word) in ["same", "other", "far", "inner"].into_iter().enumerate() {
                let word = format!("{word}-{name}");
                page.fill(&id_of(&page, &settings, "name=\"word\"", nth).await, &word)
                    .await
                    .unwrap();
                page.fill(
                    &id_of(&page, &settings, "contenteditable", nth).await,
                    &word,
                )
                .await
                .unwrap();
            }
            let filled = page.dump(&settings).await.unwrap();
            if style == IdStyle::Numbers {
                insta::assert_snapshot!("frames_filled", shown(filled.tree()));
            }
        }
        let settings = settings(IdStyle::Numbers);
        // Submitting the form loads another document, so the next button becomes the first.
        let buttons = async || {
            let dump = page.dump(&settings).await.unwrap();
            dump.tree().matches("Send").count()
        };
        let order = [
            (&site, "same"),
            (&other, "other"),
            (&far, "far"),
            (&other, "inner"),
        ];
        for (gone, (of, word)) in order.into_iter().enumerate() {
            assert_eq!(buttons().await, 4 - gone);
            let button = id_of(&page, &settings, "Send", 0).await;
            page.border(Some(&button)).await.unwrap();
            page.scroll_to(&button).await.unwrap();
            page.click(&button).await.unwrap();
            asked(of, &format!("/pages/sent.html?word={word}-frames_hashes ")).await;
            while buttons().await == 4 - gone {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        assert!(refused.asked.lock().unwrap().is_empty());
        let plain = page.dump(&DumpSettings::default()).await.unwrap();
        assert_eq!(plain.tree(), "");
        profile.close().await;
    });
}

#[test]
fn rejects_clicks_on_covered_or_removed_frames() {
    in_runtime(async || {
        let [site, other] = [Site::open().await, Site::open().await];
        let profile = profile([&site.origin, &other.origin]).await;
        let page = profile.page().unwrap();
        let frame = other.at("pages/framed.html");
        page.goto(&format!("{}?frame={frame}", site.at("pages/covered.html")))
            .await
            .unwrap();
        let settings = settings(IdStyle::Numbers);
        let button = id_of(&page, &settings, "Send", 0).await;
        let covered = page.click(&button).await.unwrap_err();
        assert!(
            matches!(&covered, Error::Inapplicable { reason, .. } if reason == "div#over covers it"),
            "{covered}"
        );
        page.evaluate("document.querySelector('iframe').remove()")
            .await
            .unwrap();
        let stale = page.click(&format!("[{button}]")).await.unwrap_err();
        assert!(
            matches!(&stale, Error::StaleId { id } if *id == button),
            "{stale}"
        );
        page.dump(&settings).await.unwrap();
        let stale = page.click(&button).await.unwrap_err();
        assert!(
            matches!(&stale, Error::StaleId { id } if *id == button),
            "{stale}"
        );
        profile.close().await;
    });
}

#[test]
fn reports_stale_element_if_pointer_move_removes_document() {
    in_runtime(async || {
        let [site, far] = [Site::open().await, Site::open().await];
        let far_origin = far.origin.replace("127.0.0.1", "localhost");
        let profile = profile([&site.origin, &far_origin]).await;
        let page = profile.page().unwrap();
        let frames = [
            ("Same", site.at("pages/framed.html")),
            // Only frames with their own process make clicks wait for the pointer.
            ("Far", format!("{far_origin}/pages/framed.html")),
        ];
        page.goto(&page_with(&site, &frames)).await.unwrap();
        let settings = settings(IdStyle::Numbers);
        let button = id_of(&page, &settings, "Send", 0).await;
        let script = "const frame = document.querySelector('iframe'); \
                      const gone = (event) => { event.stopImmediatePropagation(); frame.remove() }; \
                      frame.contentWindow.addEventListener('pointermove', gone, true); 0";
        page.evaluate(script).await.unwrap();
        let stale = page.click(&button).await.unwrap_err();
        assert!(
            matches!(&stale, Error::StaleId { id } if *id == button),
            "{stale}"
        );
        // The document may also be replaced after the move has arrived; then the click succeeds.
        let script = "addEventListener('pointermove', () => { location = '/pages/sent.html' }, { once: true }); \
                      document.body.insertAdjacentHTML('afterbegin', '<button>1</button>'); 0";
        page.evaluate(script).await.unwrap();
        let clicked = page.click("button").await;
        assert!(
            matches!(clicked, Ok(()) | Err(Error::NoMatch { .. })),
            "{clicked:?}"
        );
        until("the next page", || {
            page.place().url.ends_with("/pages/sent.html")
        })
        .await;
        profile.close().await;
    });
}

#[test]
fn clicks_although_page_hides_pointer_moves() {
    in_runtime(async || {
        let [site, other] = [Site::open().await, Site::open().await];
        let profile = profile([&site.origin, &other.origin]).await;
        let page = profile.page().unwrap();
        let frames = [("Other", other.at("pages/framed.html"))];
        page.goto(&page_with(&site, &frames)).await.unwrap();
        let script = "addEventListener('pointermove', (event) => event.stopImmediatePropagation(), true); \
                      document.body.insertAdjacentHTML('afterbegin', '<button onclick=\"document.title = 1\">1</button>'); 0";
        page.evaluate(script).await.unwrap();
        page.click("button").await.unwrap();
        let title = page.evaluate("document.title").await.unwrap();
        assert_eq!(title, "1");
        profile.close().await;
    });
}
