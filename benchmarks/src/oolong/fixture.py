"""OOLONG-synth, one window of trec_coarse and one of spam: rows of the real schema with
invented texts. Run by `tests/make_fixtures.py`.
"""

TREC = [
    ("Jan 06, 2023", 101, "Who wrote the Ode to Joy ?", "human being"),
    ("Jan 07, 2023", 101, "Where is the Eiffel Tower ?", "location"),
    ("Feb 02, 2023", 202, "How many moons does Mars have ?", "numeric value"),
    ("Mar 14, 2023", 202, "Who || what is a || in C ?", "entity"),
    ("Mar 16, 2023", 303, "What does TNT stand for ?", "abbreviation"),
    ("Apr 11, 2023", 303, "Where do naïve ☃ snowmen live ?", "location"),
    ("May 21, 2023", 404, "What is photosynthesis ?", "description and abstract concept"),
    ("May 22, 2023", 404, "Who painted Guernica ?", "human being"),
]
SPAM = [
    ("Jan 01, 2024", 7, "You have WON a prize, call now", "spam"),
    ("Jan 02, 2024", 8, "See you at 5?", "ham"),
    ("Jan 02, 2024", 7, "Lunch?", "ham"),
]


def window(instances, labels):
    head = f"The following lines contain {len(instances)} instances, one per line.\n\n"
    lines = [
        f"Date: {day} || User: {user} || Instance: {text}" + (f" || Label: {label}" if labels else "")
        for day, user, text, label in instances
    ]
    return head + "\n".join(lines) + "\n"


def oolong():
    form = "Give your final answer in the form"
    asked = [
        ("trec_coarse", 1024, 3, TREC, "counting", "MOST_FREQ",
         f"In the above data, which of the labels is the most common? {form} 'Label: answer'.", "['location']", "LABEL"),
        ("trec_coarse", 1024, 3, TREC, "counting", "NUMERIC_ONE_CLASS",
         f"In the above data, how many data points should be classified as label 'human being'? {form} 'Answer: number'.", "[2]", "NUMERIC"),
        ("trec_coarse", 1024, 3, TREC, "counting", "RELATIVE_FREQ",
         f"In the above data, is label 'entity' more common, less common, or the same frequency as label 'location'? {form} 'Answer: entity is [X] location', where [X] is 'more common than', 'less common than', or 'same frequency as'.",
         "['less common than']", "COMPARISON"),
        ("trec_coarse", 1024, 3, TREC, "timeline", "MOST_FREQ_DATE",
         f"In the above data, which date is the first? {form} 'Date: answer'.", "[datetime.date(2023, 1, 6)]", "DATE"),
        ("trec_coarse", 1024, 3, TREC, "user", "MOST_FREQ_USER",
         f"In the above data, which user has the most instances with the label human being? {form} 'User: answer'.", "[101]", "USER"),
        ("spam", 2048, 4, SPAM, "counting", "MOST_FREQ",
         f"In the above data, which of the labels is the most common? {form} 'Label: answer'.", "[\"ham\"]", "LABEL"),
    ]
    for number, (dataset, length, id, instances, group, task, question, answer, kind) in enumerate(asked):
        yield {
            "id": 17000 + number,
            "context_len": length,
            "dataset": dataset,
            "context_window_text": window(instances, False),
            "context_window_text_with_labels": window(instances, True),
            "question": question,
            "task_group": group,
            "task": f"TASK_TYPE.{task}",
            "answer": answer,
            "answer_type": f"ANSWER_TYPE.{kind}",
            "input_subset": "all",
            "num_labels": 6 if dataset == "trec_coarse" else 2,
            "context_window_id": id,
        }


rows = list(oolong())
trec = [row for row in rows if row["dataset"] == "trec_coarse"]
spam = [row for row in rows if row["dataset"] == "spam"]
jsonl("fixture/data/validation.jsonl", trec)
jsonl("fixture/data/test.jsonl", spam, "\r\n")
parquet("fixture-parquet/data/validation-00000-of-00001.parquet", trec)
parquet("fixture-parquet/data/test-00000-of-00001.parquet", spam)
