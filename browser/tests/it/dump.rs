//! Compares the dump of each page in `dump/` with the snapshot next to it. The first line of a page
//! may contain dump settings.

use std::fs;

use model::web::{DumpSettings, IdStyle};
use serde_json::Value;

use crate::site::{World, folder, in_runtime, on_page, pool};

#[test]
fn dumps_match_snapshots() {
    in_runtime(async || {
        let world = World::open(pool().await).await;
        let page = world.profile.page().unwrap();
        let mut files: Vec<_> = fs::read_dir(folder().join("dump"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains(".html"))
            .collect();
        files.sort();
        for name in files {
            let html = fs::read_to_string(folder().join("dump").join(&name)).unwrap();
            let how = html.lines().next().unwrap_or_default();
            let how = how
                .strip_prefix("<!-- ")
                .and_then(|rest| rest.strip_suffix(" -->"));
            let how: Value = serde_json::from_str(how.unwrap_or("{}")).unwrap();
            let mut settings = DumpSettings {
                filter: how["filter"].as_str().map(str::to_owned),
                ..DumpSettings::default()
            };
            if let Some(limit) = how["max_chars"].as_u64() {
                settings.max_chars = usize::try_from(limit).unwrap();
            }
            settings.also = serde_json::from_value(how["also"].clone()).unwrap_or_default();
            if how["ids"] == "hashes" {
                settings.ids = IdStyle::Hashes;
            }
            page.goto(&world.site.at(&format!("dump/{name}")))
                .await
                .unwrap();
            if let Some(target) = how["scroll_to"].as_str() {
                page.scroll_to(target).await.unwrap();
            }
            let dump = page.dump(&settings).await.unwrap();
            let chars = dump.text.chars().count();
            assert!(chars <= settings.max_chars, "{name}");
            assert_eq!(
                dump.truncated,
                dump.text.ends_with("[...truncated]"),
                "{name}"
            );
            let lines = dump
                .tree()
                .lines()
                .filter(|line| line.trim_start_matches(['\t', '↑', '↓']).starts_with('['));
            let shown: Vec<&str> = lines
                .filter_map(|line| line.split(['[', ']']).nth(1))
                .filter(|id| *id != "...truncated")
                .collect();
            let indexed: Vec<&str> = dump
                .elements
                .iter()
                .map(|indexed| indexed.id.as_str())
                .collect();
            assert_eq!(
                indexed, shown,
                "{name}: the index holds the ids of the text"
            );
            // The site's port differs between runs.
            let text = dump.text.replace(&world.site.origin, "http://site");
            insta::assert_snapshot!(name.trim_end_matches(".html"), text);
        }
        world.profile.close().await;
    });
}

#[test]
fn dumps_five_thousand_elements() {
    on_page("pages/five-thousand.html", async |world, page| {
        let settings = DumpSettings {
            max_chars: 10_000_000,
            ..DumpSettings::default()
        };
        let elements = page
            .evaluate("document.querySelectorAll('body *').length")
            .await;
        assert_eq!(elements.unwrap(), 5_000);
        let dump = page.dump(&settings).await.unwrap();
        assert_eq!((dump.elements.len(), dump.truncated), (2_000, false));
        let capped = page.dump(&DumpSettings::default()).await.unwrap();
        assert!(capped.truncated);
        // Informational only: the time depends on the machine.
        eprintln!(
            "a page of 5,000 elements is dumped in {:.1} ms, cut at 12,000 characters in {:.1} ms",
            dump.millis, capped.millis
        );
        world
    });
}
