//! `webnav`: the same seed gives the same sites, each task can be solved by its form only, and the
//! site gives the right responses.

use std::collections::BTreeSet;

use benchmarks::{Dataset, Options, Site, SiteRequest, scorer};
use serde_json::{Value, json};

use crate::{open, score};

fn dataset(seed: u64) -> Box<dyn Dataset> {
    let options = Options {
        seed,
        ..Options::default()
    };
    open("webnav", &options).unwrap()
}

fn get(path: &str) -> SiteRequest {
    SiteRequest {
        post: false,
        path: path.to_owned(),
        shown: true,
        fields: Vec::new(),
    }
}

#[test]
fn seed_determines_samples() {
    let (one, same, other) = (dataset(1), dataset(1), dataset(2));
    assert_eq!(one.digest(), same.digest());
    assert_ne!(one.digest(), other.digest());
    assert_eq!(one.ids().len(), 36);
    let mut differ = 0;
    for index in 0..36 {
        let sample = one.sample(index).unwrap();
        assert_eq!(sample, same.sample(index).unwrap());
        assert!(!sample.query.contains(['<', '>']), "{}", sample.query);
        assert!(!sample.query.is_empty() && sample.context.is_empty());
        differ += usize::from(sample.expected != other.sample(index).unwrap().expected);
    }
    assert!(differ > 30, "{differ}");
    let families: BTreeSet<String> = (0..36)
        .map(|index| one.metadata(index)["family"].to_string())
        .collect();
    assert_eq!(families.len(), 12);
    assert!(one.sample(36).is_err() && one.site("webnav-find-9").is_none());
    assert!(one.site("s-niah-8k-1").is_none());
}

#[test]
fn accepts_only_the_expected_form() {
    let dataset = dataset(0);
    let web_state = scorer("web-state").unwrap();
    for (index, id) in dataset.ids().iter().enumerate() {
        let sample = dataset.sample(index).unwrap();
        let post = &sample.expected["posts"][0];
        let asked = |value: Option<&str>| SiteRequest {
            post: true,
            path: format!("/do/{}", post["to"].as_str().unwrap()),
            shown: true,
            fields: post["fields"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, right)| {
                    (
                        name.clone(),
                        value.unwrap_or(right.as_str().unwrap()).to_owned(),
                    )
                })
                .collect(),
        };
        let judge =
            |site: &dyn Site| score(&*web_state, &site.state().to_string(), &sample.expected).value;
        let mut site = dataset.site(id).unwrap();
        assert!(judge(&*site) < 0.5, "{id}: nothing was done");
        let answered = site.answer(asked(None));
        assert_eq!((answered.status, answered.location), (303, Some("/done")));
        assert!(judge(&*site) > 0.5, "{id}");
        site.answer(asked(None));
        assert!(judge(&*site) < 0.5, "{id}: it was done twice");
        let mut site = dataset.site(id).unwrap();
        site.answer(asked(Some("something else")));
        assert!(judge(&*site) < 0.5, "{id}: it was done wrongly");
    }
}

#[test]
fn serves_data_only_to_scripts() {
    let dataset = dataset(0);
    for id in dataset.ids() {
        let mut site = dataset.site(id).unwrap();
        let start = site.answer(get(site.start()));
        assert_eq!(
            (start.status, start.content_type),
            (200, "text/html; charset=utf-8")
        );
        assert!(start.body.contains("<h1>"));
        let shown = site.answer(get("/data.js"));
        assert_eq!(shown.status, 404, "{id}");
        let read = site.answer(SiteRequest {
            shown: false,
            ..get("/data.js")
        });
        let json = read.body.strip_prefix("export default ").unwrap();
        let data: Value = serde_json::from_str(json.trim_end().trim_end_matches(';')).unwrap();
        assert!(data.as_object().is_some_and(|data| !data.is_empty()));
        assert_eq!(site.answer(get("/site.js")).content_type, "text/javascript");
        for path in ["/../words.yaml", "/site.txt", "/x/y", "//"] {
            assert!(matches!(site.answer(get(path)).status, 404 | 200), "{path}");
        }
        let post = |path: &str| SiteRequest {
            post: true,
            ..get(path)
        };
        assert_eq!(site.answer(post("/")).status, 404);
        assert_eq!(site.state(), json!({ "posts": [] }));
    }
    let mut find = dataset.site("webnav-find-1").unwrap();
    assert_eq!(find.answer(get("/person/3")).status, 200);
    assert_eq!(find.answer(get("/supplier/3")).status, 404);
}
