//! Frames: those of the page's origin are walked by a dump that is asked to, and used like the rest of the page.

use std::time::Duration;

use browser::{DumpAlso, DumpSettings};

use crate::site::{Site, in_runtime, pool};

#[test]
fn a_frame_of_the_same_origin_can_be_read_and_used() {
    in_runtime(async || {
        let [site, other, refused] = [Site::open().await, Site::open().await, Site::open().await];
        let allowed = [site.origin.parse().unwrap(), other.origin.parse().unwrap()];
        let profile = pool().await.profile(&allowed).await.unwrap();
        let page = profile.page().unwrap();
        let address = format!(
            "{}?same={}&other={}&refused={}",
            site.at("pages/frames.html"),
            site.origin,
            other.origin,
            refused.origin
        );
        page.goto(&address).await.unwrap();
        let settings = DumpSettings {
            also: DumpAlso {
                editable: true,
                frames: true,
                ..DumpAlso::default()
            },
            ..DumpSettings::default()
        };
        let dump = page.dump(&settings).await.unwrap();
        let shown = |tree: &str| {
            // Ports differ from run to run.
            let tree = tree.replace(&other.origin, "http://other");
            tree.replace(&refused.origin, "http://refused")
        };
        insta::assert_snapshot!("frames", shown(dump.tree()));
        page.fill("3", "hello").await.unwrap();
        page.fill("4", "dear you").await.unwrap();
        let filled = page.dump(&settings).await.unwrap();
        insta::assert_snapshot!("frames_filled", shown(filled.tree()));
        page.click("5").await.unwrap();
        // The form leads elsewhere within its frame, for which no click waits.
        let sent = async || loop {
            let asked = site.asked.lock().unwrap().clone();
            if let Some(sent) = asked.iter().find(|asked| asked.contains("sent")) {
                return sent.clone();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        let sent = tokio::time::timeout(Duration::from_secs(60), sent()).await;
        assert_eq!(sent.unwrap(), "/pages/sent.html?word=hello ");
        assert!(refused.asked.lock().unwrap().is_empty());
        let plain = page.dump(&DumpSettings::default()).await.unwrap();
        assert_eq!(plain.tree(), "");
        profile.close().await;
    });
}
