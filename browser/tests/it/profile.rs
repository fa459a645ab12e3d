//! Profiles: what one can reach, what it keeps from the next, what happens when a browser is missing, slow, greedy or dead.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use browser::{Error, Origin, Pool, Settings};
use rustix::process::{Pid, Signal};

use crate::site::{Site, World, in_runtime, on_page, pool, settings};

#[test]
fn nothing_but_the_given_origin_is_within_reach() {
    let canary = "canary";
    on_page("pages/ids.html", async |world, page| {
        let other = Site::open().await;
        let aim = format!("{}/{canary}", other.origin);
        let port = other.origin.rsplit(':').next().unwrap();
        let blocked = page.goto(&aim).await.unwrap_err();
        assert_eq!(
            blocked.to_string(),
            format!("{aim} is out of reach; within reach: {}", world.site.origin)
        );
        for address in [
            "file:///etc/passwd",
            "chrome://version",
            "data:text/html,x",
            "http://example.com/",
            "view-source:http://x/",
        ] {
            assert!(
                matches!(page.goto(address).await, Err(Error::Blocked { .. })),
                "{address}"
            );
        }
        for script in [
            "fetch(AIM, { mode: 'no-cors' })",
            "fetch(AIM.replace('127.0.0.1', 'localhost'), { mode: 'no-cors' })",
            "fetch('http://canary.example.com/canary', { mode: 'no-cors' })",
            "fetch('https://127.0.0.1:PORT/canary', { mode: 'no-cors' })",
            "new Promise((done, fail) => { const s = new WebSocket(AIM.replace('http', 'ws')); s.onopen = done; s.onerror = () => fail(new Error('closed')) })",
            "new Promise((done, fail) => { const i = new Image(); i.onload = done; i.onerror = () => fail(new Error('no image')); i.src = AIM })",
            "new Promise((done, fail) => { const w = new Worker(URL.createObjectURL(new Blob([`fetch('${AIM}', { mode: 'no-cors' }).then(() => postMessage(1), () => postMessage(0))`]))); w.onmessage = ({ data }) => data ? done() : fail(new Error('no worker')) })",
        ] {
            let script = script
                .replace("AIM", &format!("'{aim}'"))
                .replace("PORT", port)
                .replace("`fetch(''", "`fetch('")
                .replace("'', {", "', {");
            let result = page.evaluate(&script).await;
            assert!(
                matches!(result, Err(Error::Script(_))),
                "{script}: {result:?}"
            );
        }
        page.evaluate(&format!(
            "navigator.sendBeacon('{aim}', 'x'); location.href = '{aim}'; 0"
        ))
        .await
        .unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(*other.asked.lock().unwrap(), Vec::<String>::new());
        assert!(
            world
                .profile
                .refused()
                .iter()
                .any(|target| target.contains(canary))
        );
        world
    });
}

#[test]
fn origins_are_on_loopback() {
    for (text, right) in [
        ("http://127.0.0.1:80", true),
        ("http://localhost:8080/", true),
        ("http://[::1]:1", true),
        ("https://127.0.0.1:1", false),
        ("http://127.0.0.1.example.com", false),
        ("http://10.0.0.1", false),
        ("127.0.0.1", false),
        ("", false),
    ] {
        assert_eq!(text.parse::<Origin>().is_ok(), right, "{text}");
    }
}

#[test]
fn a_profile_is_fresh() {
    in_runtime(async || {
        let site = Site::open().await;
        let remembered =
            "[document.cookie, localStorage.length, sessionStorage.length, history.length].join()";
        for _ in 0..2 {
            let origins = [site.origin.parse().unwrap()];
            let profile = pool().await.profile(&origins).await.unwrap();
            let page = profile.page().unwrap();
            page.goto(&site.at("pages/ids.html")).await.unwrap();
            assert_eq!(page.evaluate(remembered).await.unwrap(), ",0,0,2");
            page.evaluate(
                "document.cookie = 'a=1;max-age=999'; localStorage.a = sessionStorage.a = 1; 0",
            )
            .await
            .unwrap();
            profile.close().await;
        }
    });
}

#[test]
fn pages_do_not_learn_where_the_machine_is() {
    on_page("pages/ids.html", async |world, page| {
        for (script, shown) in [
            (
                "new Date(2026, 0, 1).toISOString()",
                "2026-01-01T00:00:00.000Z",
            ),
            ("Intl.DateTimeFormat().resolvedOptions().timeZone", "UTC"),
            ("navigator.language", "en-US"),
            ("(1234.5).toLocaleString()", "1,234.5"),
            ("new Date(0).toLocaleDateString()", "1/1/1970"),
            ("'I'.toLocaleLowerCase()", "i"),
        ] {
            assert_eq!(page.evaluate(script).await.unwrap(), shown, "{script}");
        }
        world
    });
}

#[test]
fn a_missing_or_broken_browser_says_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken");
    std::fs::write(
        &broken,
        "#!/bin/sh\necho 'libnss3.so: cannot open' >&2\nexit 127\n",
    )
    .unwrap();
    std::fs::set_permissions(&broken, PermissionsExt::from_mode(0o755)).unwrap();
    let silent = folder.path().join("silent");
    std::fs::write(&silent, "#!/bin/sh\nsleep 60\n").unwrap();
    std::fs::set_permissions(&silent, PermissionsExt::from_mode(0o755)).unwrap();
    let absent = folder.path().join("absent");
    in_runtime(async || {
        for (program, message) in [
            (
                &absent,
                format!(
                    "no Chromium found: tried {}; install the Debian package chromium, or put one of them on PATH",
                    absent.display()
                ),
            ),
            (
                &broken,
                format!(
                    "{} did not start: libnss3.so: cannot open; it may lack libraries: reinstall the Debian package chromium",
                    broken.display()
                ),
            ),
            (
                &silent,
                format!(
                    "{} did not start: it said nothing for 3 s; it may lack libraries: reinstall the Debian package chromium",
                    silent.display()
                ),
            ),
        ] {
            let settings = Settings {
                program: Some(program.clone()),
                start_timeout: Duration::from_secs(3),
                ..Settings::default()
            };
            let error = Pool::open(settings).await.unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(error.is_infrastructure());
        }
    });
}

#[test]
fn a_page_that_never_rests_ends_by_the_limit_of_time() {
    in_runtime(async || {
        let limit = Duration::from_secs(8);
        let pool = Pool::open(Settings {
            command_timeout: limit,
            browsers: 1,
            ..settings()
        })
        .await
        .unwrap();
        let world = World::open(&pool).await;
        let page = world.profile.page().unwrap();
        page.goto(&world.site.at("pages/ids.html")).await.unwrap();
        let endless = page.evaluate("for (;;);").await.unwrap_err();
        assert_eq!(
            endless,
            Error::TimedOut {
                what: "evaluating a script",
                limit
            }
        );
        assert!(matches!(page.text().await, Err(Error::TimedOut { .. })));
        // What the message asks agents to do about it.
        page.goto(&world.site.at("pages/actions.html"))
            .await
            .unwrap();
        assert!(page.text().await.unwrap().contains("Save"));
        world.profile.close().await;
        // The browser of that page is not used again.
        let world = World::open(&pool).await;
        let page = world.profile.page().unwrap();
        page.goto(&world.site.at("pages/ids.html")).await.unwrap();
        world.profile.close().await;
    });
}

#[test]
fn a_page_that_takes_too_much_memory_ends_its_browser() {
    in_runtime(async || {
        let limit_mb = 900;
        let pool = Pool::open(Settings {
            memory_limit_mb: limit_mb,
            ..settings()
        })
        .await
        .unwrap();
        let world = World::open(&pool).await;
        let page = world.profile.page().unwrap();
        page.goto(&world.site.at("pages/ids.html")).await.unwrap();
        let greedy = "(async () => { window.kept = []; for (;;) { kept.push(new Uint8Array(5e7).fill(7)); await new Promise((r) => setTimeout(r, 20)); } })()";
        let error = page.evaluate(greedy).await.unwrap_err();
        assert!(
            matches!(error, Error::OutOfMemory { .. } | Error::PageCrashed),
            "{error}"
        );
        assert!(!page.is_open());
    });
}

#[test]
fn a_crash_ends_one_profile_and_the_others_go_on() {
    in_runtime(async || {
        let (one, two) = (
            World::open(pool().await).await,
            World::open(pool().await).await,
        );
        let [first, second] = [&one, &two].map(|world| world.profile.page().unwrap());
        first.goto(&one.site.at("pages/ids.html")).await.unwrap();
        second.goto(&two.site.at("pages/ids.html")).await.unwrap();
        let group = one.profile.process_id();
        assert_ne!(group, two.profile.process_id());
        let group = Pid::from_raw(group.cast_signed()).unwrap();
        rustix::process::kill_process_group(group, Signal::KILL).unwrap();
        let error = first.text().await.unwrap_err();
        assert!(
            matches!(error, Error::BrowserEnded(_) | Error::PageCrashed)
                && error.is_infrastructure(),
            "{error}"
        );
        assert!(second.text().await.unwrap().contains("First"));
        drop(one);
        two.profile.close().await;
        // The pool gives a sound browser in place of the dead one.
        let world = World::open(pool().await).await;
        world
            .profile
            .page()
            .unwrap()
            .goto(&world.site.at("pages/ids.html"))
            .await
            .unwrap();
        world.profile.close().await;
    });
}

#[test]
fn a_pool_that_is_dropped_leaves_no_process_and_no_file() {
    in_runtime(async || {
        let pool = Pool::open(settings()).await.unwrap();
        let world = World::open(&pool).await;
        let process = format!("/proc/{}", world.profile.process_id());
        let command = std::fs::read_to_string(format!("{process}/cmdline")).unwrap();
        let mut words = command.split('\0');
        let files = words
            .find_map(|word| word.strip_prefix("--user-data-dir="))
            .unwrap();
        assert!(Path::new(files).is_dir());
        drop((world, pool));
        for _ in 0..200 {
            // A process that has ended and that nobody has asked about yet has no command.
            let ended =
                std::fs::read(format!("{process}/cmdline")).is_ok_and(|left| left.is_empty());
            if (ended || !Path::new(&process).exists()) && !Path::new(files).exists() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{process} or {files} is still there");
    });
}
