//! Profiles: reachable origins, isolation from other profiles, and browsers that are missing, slow,
//! over their memory limit or dead.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use browser::{Error, Origin, Pool, Reach, Settings};
use model::web::{DumpExtensions, DumpSettings};
use rustix::process::{Pid, Signal};

use crate::site::{Site, World, in_runtime, on_page, pool, settings, until};

#[test]
fn reaches_only_allowed_origin() {
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
            "navigator.sendBeacon('{aim}/beacon', 'x'); location.href = '{aim}/location'; 0"
        ))
        .await
        .unwrap();
        until("both are refused", || {
            let refused = world.profile.refused();
            ["beacon", "location"].iter().all(|name| {
                let end = format!("{canary}/{name}");
                refused.iter().any(|target| target.ends_with(&end))
            })
        })
        .await;
        assert_eq!(*other.asked.lock().unwrap(), Vec::<String>::new());
        world
    });
}

/// The origins are allowed only at public addresses, but resolve to this machine.
#[test]
fn blocks_foreign_origins_that_resolve_to_this_machine() {
    in_runtime(async || {
        let [site, other] = [Site::open().await, Site::open().await];
        let local = other.origin.replace("127.0.0.1", "localhost");
        let reach = Reach {
            anywhere: vec![site.origin.parse().unwrap()],
            public: [&local, &other.origin]
                .map(|origin| origin.parse().unwrap())
                .into(),
        };
        let profile = pool().await.profile(&reach).await.unwrap();
        let page = profile.page().unwrap();
        for origin in [&local, &other.origin] {
            let opened = page.goto(&format!("{origin}/secret")).await;
            assert!(
                matches!(opened, Err(Error::Navigation { .. })),
                "{opened:?}"
            );
        }
        page.goto(&site.at("pages/ids.html")).await.unwrap();
        for origin in [&local, &other.origin] {
            let script = format!("fetch('{origin}/secret', {{ mode: 'no-cors' }})");
            let asked = page.evaluate(&script).await;
            assert!(matches!(asked, Err(Error::Script(_))), "{asked:?}");
        }
        assert_eq!(*other.asked.lock().unwrap(), Vec::<String>::new());
        let refused = profile.drain_blocked_requests();
        for origin in [&local, &other.origin] {
            let address = format!("{origin}/secret");
            assert!(refused.contains(&address), "{refused:?}");
        }
        profile.close().await;
    });
}

#[test]
fn parses_only_web_origins() {
    for (text, right) in [
        ("http://127.0.0.1:80", true),
        ("https://example.com", true),
        ("https://example.com:8443/", true),
        ("http://localhost:8080/", true),
        ("http://[::1]:1", true),
        ("https://example.com/path", false),
        ("https://example.com/?q", false),
        ("https://me@example.com", false),
        ("ftp://example.com", false),
        ("file:///etc", false),
        ("127.0.0.1", false),
        ("", false),
    ] {
        assert_eq!(text.parse::<Origin>().is_ok(), right, "{text}");
    }
}

#[test]
fn reports_blocked_requests_of_frames_and_workers() {
    in_runtime(async || {
        let site = Site::open().await;
        // The browser treats this address as another site, whose frames have a separate process.
        let other = site.origin.replace("127.0.0.1", "localhost");
        let origins = [&site.origin, &other].map(|origin| origin.parse().unwrap());
        let profile = pool()
            .await
            .profile(&Reach::anywhere(origins))
            .await
            .unwrap();
        let page = profile.page().unwrap();
        page.goto(&site.at("pages/ids.html")).await.unwrap();
        let asking = |origin: &str, url: &str| {
            format!(
                "new Promise((done) => {{
                  addEventListener('message', () => done(1), {{ once: true }});
                  document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{origin}/pages/asking.html?for={url}' }}));
                }})"
            )
        };
        let script =
            "fetch('http://worker.example/').catch(() => 0).then(() => postMessage('asked'))";
        let worker = format!(
            "new Promise((done) => {{ new Worker(URL.createObjectURL(new Blob([\"{script}\"]))).onmessage = () => done(1); }})"
        );
        let rows = [
            (
                asking(&site.origin, "http://same.example/"),
                "http://same.example/",
            ),
            (
                asking(&other, "http://other.example/"),
                "http://other.example/",
            ),
            (worker, "http://worker.example/"),
        ];
        for (script, address) in rows {
            page.evaluate(&script).await.unwrap();
            // Another process's request becomes known only when its event arrives.
            let mut refused = Vec::new();
            until("something is refused", || {
                refused = profile.drain_blocked_requests();
                !refused.is_empty()
            })
            .await;
            assert_eq!(refused, [address]);
        }
        profile.close().await;
    });
}

#[test]
fn reports_refused_requests_once() {
    on_page("pages/ids.html", async |world, page| {
        assert_eq!(world.profile.drain_blocked_requests(), Vec::<String>::new());
        let script = "Promise.all(['http://a.example/x', 'https://b.example/y', '/pages/ids.html'].map((url) => fetch(url).catch(() => 0))).then(() => 1)";
        page.evaluate(script).await.unwrap();
        let mut refused = world.profile.drain_blocked_requests();
        refused.sort();
        assert_eq!(refused, ["http://a.example/x", "https://b.example/y"]);
        assert_eq!(world.profile.drain_blocked_requests(), Vec::<String>::new());
        world
    });
}

#[test]
fn profile_starts_with_cookies_storage_and_size() {
    in_runtime(async || {
        let site = Site::open().await;
        let origins = [site.origin.parse().unwrap()];
        let mut profile = pool()
            .await
            .profile(&Reach::anywhere(origins))
            .await
            .unwrap();
        profile.resize((800, 600)).await.unwrap();
        let cookies = [("a".to_owned(), "1".to_owned())];
        let address = site.at("pages/ids.html");
        profile.set_cookies(&address, &cookies).await.unwrap();
        let page = profile.page().unwrap();
        let script = "localStorage.setItem('b', '2')";
        page.goto_after(script, &address).await.unwrap();
        let found = "[document.cookie, localStorage.b, innerWidth, innerHeight].join()";
        assert_eq!(page.evaluate(found).await.unwrap(), "a=1,2,800,600");
        // The script ran only in the first document.
        page.evaluate("localStorage.b = 3; 0").await.unwrap();
        page.goto(&address).await.unwrap();
        assert_eq!(page.evaluate(found).await.unwrap(), "a=1,3,800,600");
        profile.close().await;
    });
}

#[test]
fn waits_for_end_of_tab_or_browser() {
    in_runtime(async || {
        let pool = Pool::open(settings()).await.unwrap();
        let profile = pool.profile(&Reach::default()).await.unwrap();
        let (one, other) = (profile.page().unwrap(), profile.new_page().await.unwrap());
        let (closed, ended) = futures::join!(one.closed(), one.close());
        assert_eq!((closed, ended), (Ok(()), Ok(())));
        let browser = Pid::from_raw(profile.process_id().try_into().unwrap()).unwrap();
        let kill = async { rustix::process::kill_process_group(browser, Signal::KILL).unwrap() };
        let (closed, ()) = futures::join!(other.closed(), kill);
        assert!(matches!(closed, Err(Error::BrowserEnded(_))), "{closed:?}");
    });
}

/// If the machine does not support Chromium's own sandbox, the error must say so.
#[test]
fn requires_chromium_sandbox_for_foreign_pages() {
    in_runtime(async || {
        let sandboxed = Settings {
            is_sandboxed: true,
            ..settings()
        };
        let pool = match Pool::open(sandboxed).await {
            Err(Error::NoSandbox { reason }) => return assert!(!reason.is_empty()),
            opened => opened.unwrap(),
        };
        let site = Site::open().await;
        let origins = [site.origin.parse().unwrap()];
        let profile = pool.profile(&Reach::anywhere(origins)).await.unwrap();
        let page = profile.page().unwrap();
        page.goto(&site.at("pages/ids.html")).await.unwrap();
        let processes = processes_of(profile.process_id());
        let renderers: Vec<_> = processes
            .iter()
            .filter(|(arguments, _)| arguments.contains("--type=renderer"))
            .collect();
        assert!(!renderers.is_empty(), "{processes:?}");
        for (arguments, status) in renderers {
            assert!(!arguments.contains("--no-sandbox"), "{arguments}");
            // Mode 2 means that a filter restricts the process's system calls.
            assert!(status.contains("Seccomp:\t2"), "{status}");
            assert!(!status.contains("Uid:\t0\t"), "{status}");
        }
        profile.close().await;
    });
}

/// With an open port, other users of the machine could control the browser. As root, the browser
/// could read every file.
#[test]
fn browser_opens_no_port_and_does_not_run_as_root() {
    on_page("pages/ids.html", async |world, page| {
        let group = world.profile.process_id();
        let processes = processes_of(group);
        assert!(!processes.is_empty());
        let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
        for (arguments, status) in processes {
            assert!(
                !arguments.contains("--remote-debugging-port"),
                "{arguments}"
            );
            assert!(!is_root || !status.contains("Uid:\t0\t"), "{status}");
        }
        let listening: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
            .iter()
            .filter_map(|table| std::fs::read_to_string(table).ok())
            .flat_map(|table| listening_inodes(&table))
            .map(|inode| format!("socket:[{inode}]"))
            .collect();
        // This test's own site listens on a port.
        assert!(!listening.is_empty());
        let held = links_of_group(group);
        assert!(!held.is_empty());
        let port = held.iter().find(|link| listening.contains(link));
        assert_eq!(port, None, "{listening:?}");
        assert!(page.is_open());
        world
    });
}

/// Returns the inodes of listening sockets (proc(5)): state `0A`, inode in column 10.
fn listening_inodes(table: &str) -> Vec<String> {
    let inode = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (fields.get(3) == Some(&"0A")).then(|| fields[9].to_owned())
    };
    table.lines().filter_map(inode).collect()
}

/// Returns the targets of all open descriptors in a process group.
fn links_of_group(group: u32) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap();
    processes
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| group_of(path) == Some(group))
        .filter_map(|path| std::fs::read_dir(path.join("fd")).ok())
        .flatten()
        .filter_map(|descriptor| std::fs::read_link(descriptor.ok()?.path()).ok())
        .map(|target| target.display().to_string())
        .collect()
}

/// No kind of navigation lets a page reach files or internal pages of the browser.
#[test]
fn blocks_files_and_internal_pages() {
    on_page("pages/ids.html", async |world, page| {
        let start = page.url().await.unwrap();
        for address in [
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "view-source:file:///etc/passwd",
            "chrome://version",
            "devtools://devtools/bundled/inspector.html",
        ] {
            for script in [
                "location.href = AIM",
                "location.replace(AIM)",
                "window.open(AIM)",
                "document.body.append(Object.assign(document.createElement('a'), { href: AIM, id: 'way' })); document.getElementById('way').click(); document.getElementById('way').remove()",
                "document.body.append(Object.assign(document.createElement('form'), { action: AIM, id: 'way' })); document.getElementById('way').submit(); document.getElementById('way').remove()",
                "document.body.append(Object.assign(document.createElement('iframe'), { src: AIM }))",
                "fetch(AIM).then((answer) => answer.text()).then((text) => { document.body.append(text) }).catch(() => 0)",
            ] {
                let script = script.replace("AIM", &format!("'{address}'"));
                page.evaluate(&format!("try {{ {script} }} catch {{}} 0"))
                    .await
                    .unwrap();
                assert_eq!(page.url().await.unwrap(), start, "{script}");
            }
        }
        // Once a later request is answered, the earlier navigations have finished.
        page.evaluate("fetch(location.href).then(() => 0)")
            .await
            .unwrap();
        for page in world.profile.pages() {
            let url = page.url().await.unwrap();
            assert!(url == start || url == "about:blank", "{url}");
        }
        let settings = DumpSettings {
            also: DumpExtensions {
                frames: true,
                ..DumpExtensions::default()
            },
            ..DumpSettings::default()
        };
        let dump = page.dump(&settings).await.unwrap();
        assert!(!dump.text.contains("root:"), "{}", dump.text);
        world
    });
}

/// Returns the arguments and the status (proc(5)) of each process in a process group.
fn processes_of(group: u32) -> Vec<(String, String)> {
    let processes = std::fs::read_dir("/proc").unwrap();
    let read = |path: &Path, name: &str| std::fs::read_to_string(path.join(name)).ok();
    processes
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| group_of(path) == Some(group))
        .filter_map(|path| Some((read(&path, "cmdline")?, read(&path, "status")?)))
        .collect()
}

fn group_of(process: &Path) -> Option<u32> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    fields.nth(2)?.parse().ok()
}

#[test]
fn starts_with_fresh_profile() {
    in_runtime(async || {
        let site = Site::open().await;
        let remembered =
            "[document.cookie, localStorage.length, sessionStorage.length, history.length].join()";
        for _ in 0..2 {
            let origins = [site.origin.parse().unwrap()];
            let profile = pool()
                .await
                .profile(&Reach::anywhere(origins))
                .await
                .unwrap();
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
fn hides_locale_and_time_zone_from_pages() {
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
fn explains_missing_or_broken_browser() {
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
        // Only the silent program may time out, so the others get more time than any machine needs.
        let (long, short) = (Duration::from_secs(120), Duration::from_secs(3));
        for (program, start_timeout, message) in [
            (
                &absent,
                long,
                format!(
                    "no Chromium found: tried {}; install the Debian package chromium, or put one of them on PATH",
                    absent.display()
                ),
            ),
            (
                &broken,
                long,
                format!(
                    "{} did not start: libnss3.so: cannot open; it may lack libraries: reinstall the Debian package chromium",
                    broken.display()
                ),
            ),
            (
                &silent,
                short,
                format!(
                    "{} did not start: no response within 3 s; it may lack libraries: reinstall the Debian package chromium",
                    silent.display()
                ),
            ),
        ] {
            let settings = Settings {
                program: Some(program.clone()),
                start_timeout,
                ..Settings::default()
            };
            let error = Pool::open(settings).await.unwrap_err();
            assert_eq!(error.to_string(), message);
            assert!(error.is_infrastructure());
        }
    });
}

#[test]
fn stops_endless_script_at_timeout() {
    in_runtime(async || {
        let limit = Duration::from_secs(3);
        let pool = Pool::open(Settings {
            browsers: 1,
            ..settings()
        })
        .await
        .unwrap();
        let world = World::open(&pool).await;
        let page = world.profile.page().unwrap();
        page.goto(&world.site.at("pages/ids.html")).await.unwrap();
        let hurried = world.profile.page().unwrap().with_command_timeout(limit);
        let endless = hurried.evaluate("for (;;);").await.unwrap_err();
        assert_eq!(
            endless,
            Error::TimedOut {
                what: "evaluating a script",
                limit
            }
        );
        assert!(matches!(hurried.text().await, Err(Error::TimedOut { .. })));
        // Opening an address stops the endless script.
        page.goto(&world.site.at("pages/actions.html"))
            .await
            .unwrap();
        assert!(page.text().await.unwrap().contains("Save"));
        world.profile.close().await;
        // The browser with the hanging page is not reused.
        let world = World::open(&pool).await;
        let page = world.profile.page().unwrap();
        page.goto(&world.site.at("pages/ids.html")).await.unwrap();
        world.profile.close().await;
    });
}

#[test]
fn ends_browser_over_memory_limit() {
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
fn crash_ends_only_its_profile() {
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
        // The pool replaces the dead browser with a healthy one.
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
fn dropped_pool_leaves_no_process_or_file() {
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
        // Temporary files of a killed browser are removed with its profile directory.
        let environment = std::fs::read(format!("{process}/environ")).unwrap();
        let environment = String::from_utf8(environment).unwrap();
        let temporary = format!("TMPDIR={files}");
        // In a folder with a long path, Chromium could not create its socket.
        let is_set = environment.split('\0').any(|one| one == temporary);
        assert!(is_set || files.len() > 51, "{environment}");
        drop((world, pool));
        until("process and files are gone", || {
            // A process that has ended but has not been reaped yet has an empty command line.
            let ended =
                std::fs::read(format!("{process}/cmdline")).is_ok_and(|left| left.is_empty());
            (ended || !Path::new(&process).exists()) && !Path::new(files).exists()
        })
        .await;
    });
}
