//! Families of tasks. Each generates a site's data, the values for the query's placeholders, and
//! the expected form.

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::words::{all, names, number, pairs, shuffle, shuffled};

/// A kind of task with its own pages: its name in ids and file names, and its generator.
pub(super) type Family = (&'static str, fn(&mut ChaCha8Rng) -> GeneratedTask);

pub(super) struct GeneratedTask {
    /// Data that the pages read.
    pub(super) data: Value,
    /// Values of the placeholders in the family's query.
    pub(super) words: Vec<(&'static str, String)>,
    /// Name in the address that receives the expected form: `/do/NAME`.
    pub(super) action: &'static str,
    /// Fields of the expected form.
    pub(super) fields: Vec<(&'static str, String)>,
}

/// All families, in the order of the samples.
pub(super) const FAMILIES: &[Family] = &[
    ("find", find),
    ("compare", compare),
    ("form", form),
    ("paginate", paginate),
    ("filter", filter),
    ("fold", fold),
    ("tabs", tabs),
    ("dialog", dialog),
    ("details", details),
    ("autocomplete", autocomplete),
    ("changing", changing),
    ("branches", branches),
];

fn find(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let departments = shuffled("departments", rng);
    let people: Vec<(String, &str, String)> = names(24, rng)
        .into_iter()
        .enumerate()
        .map(|(at, name)| (name, departments[at % departments.len()], room(rng)))
        .collect();
    let wanted = people[number(0, people.len() - 1, rng)].clone();
    let rows: Vec<Value> = people
        .iter()
        .map(|(name, department, room)| {
            json!({ "name": name, "department": department, "room": room, "extension": number(1_000, 9_999, rng).to_string() })
        })
        .collect();
    GeneratedTask {
        data: json!({ "departments": departments, "people": rows }),
        words: vec![("name", wanted.0)],
        action: "report",
        fields: vec![("room", wanted.2)],
    }
}

fn room(rng: &mut ChaCha8Rng) -> String {
    let wing = ["A", "B", "C", "D"][number(0, 3, rng)];
    format!("{wing}{}", number(100, 999, rng))
}

fn compare(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let mut companies = shuffled("companies", rng);
    companies.truncate(6);
    // The offer with the lowest total has neither the lowest price nor the lowest shipping cost.
    let low = number(60, 90, rng);
    let mut offers = vec![(low, 12), (low - 15, 40), (low + 30, 3)];
    while offers.len() < companies.len() {
        offers.push((low + number(1, 40, rng), 12 + number(1, 20, rng)));
    }
    let mut suppliers: Vec<Value> = companies
        .iter()
        .zip(&offers)
        .map(|(name, (price, shipping))| {
            json!({ "name": name, "price": price, "shipping": shipping, "days": number(1, 9, rng) })
        })
        .collect();
    shuffle(&mut suppliers, rng);
    GeneratedTask {
        data: json!({ "suppliers": suppliers }),
        words: Vec::new(),
        action: "order",
        fields: vec![("supplier", companies[0].to_owned())],
    }
}

fn form(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let name = names(1, rng).remove(0);
    let email = format!("{}@example.org", name.to_lowercase().replace(' ', "."));
    let arrival = format!("2027-{:02}-{:02}", number(1, 12, rng), number(1, 28, rng));
    let country = shuffled("countries", rng)[0].to_owned();
    let (size, letter) = [("Small", "S"), ("Medium", "M"), ("Large", "L")][number(0, 2, rng)];
    let dines = number(0, 1, rng) == 1;
    let mut fields = vec![
        ("name", name.clone()),
        ("email", email.clone()),
        ("arrival", arrival.clone()),
        ("country", country.clone()),
        ("size", letter.to_owned()),
        ("note", String::new()),
    ];
    if dines {
        fields.push(("dinner", "yes".to_owned()));
    }
    GeneratedTask {
        data: json!({ "countries": all("countries") }),
        words: vec![
            ("name", name),
            ("email", email),
            ("arrival", arrival),
            ("country", country),
            ("size", size.to_owned()),
            (
                "dinner",
                if dines {
                    "take part in"
                } else {
                    "do not take part in"
                }
                .to_owned(),
            ),
        ],
        action: "register",
        fields,
    }
}

fn paginate(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let authors = names(40, rng);
    // Each title occurs twice, with different authors.
    let titles = pairs("adjectives", "nouns", 20, rng);
    let mut books: Vec<(String, String, String)> = titles
        .iter()
        .chain(&titles)
        .zip(authors)
        .enumerate()
        .map(|(at, (title, author))| (title.clone(), author, format!("S{}", 100 + at * 7)))
        .collect();
    shuffle(&mut books, rng);
    // The result is not on the first page.
    let (title, author, shelf) = books[number(12, books.len() - 1, rng)].clone();
    let rows: Vec<Value> = books
        .iter()
        .map(|(title, author, shelf)| json!({ "title": title, "author": author, "shelf": shelf }))
        .collect();
    GeneratedTask {
        data: json!({ "books": rows }),
        words: vec![("title", title), ("author", author)],
        action: "reserve",
        fields: vec![("shelf", shelf)],
    }
}

fn filter(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let (cities, statuses) = (all("cities"), all("statuses"));
    let mut orders = Vec::new();
    for city in &cities {
        for status in &statuses {
            // One large and two smaller orders for each city and status.
            orders.push((*city, *status, number(500, 900, rng)));
            for _ in 0..2 {
                orders.push((*city, *status, number(20, 400, rng)));
            }
        }
    }
    shuffle(&mut orders, rng);
    let rows: Vec<Value> = orders
        .iter()
        .enumerate()
        .map(|(at, (city, status, amount))| {
            json!({ "id": format!("{}", 4_001 + at), "city": city, "status": status, "amount": amount })
        })
        .collect();
    let large: Vec<usize> = (10..orders.len())
        .filter(|at| orders[*at].2 >= 500)
        .collect();
    let at = large[number(0, large.len() - 1, rng)];
    let (city, status, _) = orders[at];
    GeneratedTask {
        data: json!({ "orders": rows }),
        words: vec![
            ("city", city.to_owned()),
            ("status", status.to_owned()),
            ("least", "450".to_owned()),
        ],
        action: "flag",
        fields: vec![("order", format!("{}", 4_001 + at))],
    }
}

fn fold(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let titles = all("clauses");
    let binding = number(2, titles.len() - 1, rng);
    let start = number(3, 30, rng);
    let last = titles.len() - 1;
    let clauses: Vec<Value> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| {
            let text = if at == last {
                format!(
                    "Of all these clauses, the one that binds you is \"{}\".",
                    titles[binding - 1]
                )
            } else {
                format!(
                    "This clause is about {}. It says what is usual.",
                    title.to_lowercase()
                )
            };
            json!({ "number": (start + at).to_string(), "title": title, "text": text })
        })
        .collect();
    GeneratedTask {
        data: json!({ "clauses": clauses }),
        words: Vec::new(),
        action: "accept",
        fields: vec![("clause", (start + binding - 1).to_string())],
    }
}

fn tabs(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let device = pairs("adjectives", "nouns", 1, rng).remove(0);
    let prefix = format!("{}-{}", room(rng), number(10, 99, rng));
    let months = (number(2, 9, rng) * 6).to_string();
    let tab = |title: &str, text: String| json!({ "title": title, "text": text });
    let mut tabs = vec![
        tab(
            "Delivery",
            format!("It is delivered within {} days.", number(2, 9, rng)),
        ),
        tab(
            "Returns",
            format!("It can be returned within {} days.", number(10, 40, rng)),
        ),
        tab(
            "Warranty",
            format!("The warranty lasts {months} months from the day of purchase."),
        ),
    ];
    shuffle(&mut tabs, rng);
    tabs.insert(
        0,
        tab("Overview", format!("The {device} does what its name says.")),
    );
    GeneratedTask {
        data: json!({
            "device": device,
            "tabs": tabs,
            "sheet": [["Model", device], ["Part number", room(rng)], ["Serial prefix", prefix], ["Weight", "1.2 kg"]],
        }),
        words: Vec::new(),
        action: "claim",
        fields: vec![("prefix", prefix), ("months", months)],
    }
}

fn dialog(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let owners = names(7, rng);
    // Each owner has two records, so that the owner alone does not identify a record.
    let mut records: Vec<(String, String)> = owners
        .iter()
        .chain(&owners)
        .enumerate()
        .map(|(at, owner)| {
            (
                format!("R{}", 300 + at * 13 + number(0, 9, rng)),
                owner.clone(),
            )
        })
        .collect();
    shuffle(&mut records, rng);
    let (record, owner) = records[number(0, records.len() - 1, rng)].clone();
    let reason = shuffled("reasons", rng)[0].to_owned();
    let rows: Vec<Value> = records
        .iter()
        .map(|(id, owner)| json!({ "id": id, "owner": owner }))
        .collect();
    GeneratedTask {
        data: json!({ "records": rows }),
        words: vec![
            ("owner", owner),
            ("record", record.clone()),
            ("reason", reason.clone()),
        ],
        action: "delete",
        fields: vec![("record", record), ("reason", reason)],
    }
}

fn details(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let topics = shuffled("topics", rng);
    let codes: Vec<String> = topics
        .iter()
        .enumerate()
        .map(|(at, _)| format!("{}{at:02}", room(rng)))
        .collect();
    let at = number(0, topics.len() - 1, rng);
    let questions: Vec<Value> = topics
        .iter()
        .zip(&codes)
        .map(|(topic, code)| {
            json!({ "question": format!("What about {topic}?"), "answer": format!("All about {topic} is under the code {code}.") })
        })
        .collect();
    GeneratedTask {
        data: json!({ "questions": questions }),
        words: vec![("topic", topics[at].to_owned())],
        action: "redeem",
        fields: vec![("code", codes[at].clone())],
    }
}

fn autocomplete(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let stations = shuffled("stations", rng);
    let (from, to) = (stations[0].to_owned(), stations[1].to_owned());
    GeneratedTask {
        data: json!({ "stations": all("stations") }),
        words: vec![("from", from.clone()), ("to", to.clone())],
        action: "book",
        fields: vec![("from", from), ("to", to)],
    }
}

fn changing(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let lots = pairs("adjectives", "nouns", 7, rng);
    let prices: Vec<usize> = lots.iter().map(|_| number(20, 400, rng)).collect();
    let at = number(1, lots.len() - 1, rng);
    let amount = (prices[at] + number(1, 60, rng)).to_string();
    let rows: Vec<Value> = lots
        .iter()
        .zip(&prices)
        .map(|(lot, price)| json!({ "lot": lot, "price": price }))
        .collect();
    GeneratedTask {
        data: json!({ "lots": rows }),
        words: vec![("lot", lots[at].clone()), ("amount", amount.clone())],
        action: "bid",
        fields: vec![("lot", lots[at].clone()), ("amount", amount)],
    }
}

fn branches(rng: &mut ChaCha8Rng) -> GeneratedTask {
    let months = all("months");
    let at = number(0, months.len() - 1, rng);
    let mut total = 0;
    let mut sales = BTreeSet::new();
    let branches: Vec<Value> = shuffled("cities", rng)
        .iter()
        .map(|city| {
            let rows: Vec<Value> = months
                .iter()
                .enumerate()
                .map(|(month, name)| {
                    // Sales are unique, so that any single wrong summand changes the total.
                    let mut sold = number(100, 9_999, rng);
                    while !sales.insert(sold) {
                        sold = number(100, 9_999, rng);
                    }
                    if month == at {
                        total += sold;
                    }
                    json!({ "month": name, "visitors": number(100, 9_999, rng), "sales": sold })
                })
                .collect();
            json!({ "city": city, "months": rows })
        })
        .collect();
    GeneratedTask {
        data: json!({ "branches": branches }),
        words: vec![("month", months[at].to_owned())],
        action: "total",
        fields: vec![("total", total.to_string())],
    }
}
