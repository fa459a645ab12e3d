//! The tasks of `webapp`: each has an environment, a check and an expected result.

use std::collections::{BTreeMap, BTreeSet};

use benchmarks::{Options, open};

#[test]
fn tasks_have_environment_and_expected_result() {
    let dataset = open("webapp", &Options::default()).unwrap();
    let ids: BTreeSet<&String> = dataset.ids().iter().collect();
    assert_eq!(ids.len(), dataset.ids().len());
    let mut families: BTreeMap<String, u32> = BTreeMap::new();
    for (index, id) in dataset.ids().iter().enumerate() {
        let sample = dataset.sample(index).unwrap();
        let world = dataset.app_world(id).unwrap();
        assert_eq!(&sample.id, id);
        assert!(!world.check.unwrap_or_default().trim().is_empty(), "{id}");
        assert!(!sample.expected["shows"].is_null(), "{id}");
        let active = world.active.iter();
        let open = |uri: &String| world.documents.iter().any(|(known, _)| known == uri);
        assert!(
            active.clone().all(open),
            "{id}: the active document is not open"
        );
        // Every document contains a canary word, which the main agent's query must not contain.
        for (uri, text) in &world.documents {
            assert!(text.contains("quokka"), "{id}: {uri} has no canary");
            assert!(!sample.query.contains("quokka"), "{id}");
        }
        *families
            .entry(sample.metadata["family"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    let families: Vec<_> = families
        .iter()
        .map(|(name, tasks)| format!("{name} {tasks}"))
        .collect();
    assert_eq!(
        families,
        ["build 7", "chat 1", "documents 6", "inference 2", "lists 3"]
    );
    assert!(dataset.sample(dataset.ids().len()).is_err());
    assert!(dataset.app_world("webapp-none").is_none());
}
