#!/usr/bin/env python3
"""Checks that every link in the built documentation leads to an existing page, and every anchor to
an element of that page.

linkinator (7.6) is not used because it checks only the first anchor that it finds for each page.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.update(value for name in ("id", "name") if (value := attributes.get(name)))
        self.links.extend(value for name in ("href", "src") if (value := attributes.get(name)) is not None)


def main(folder):
    # Not checked: print.html repeats all other pages, and 404.html is served at any address.
    files = [file for file in folder.rglob("*.html") if file.name not in ("print.html", "404.html")]
    pages = {file.resolve(): Page(file.read_text(encoding="utf-8")) for file in files}
    count, wrong = 0, []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            known = pages.get(target)
            if not target.is_file():
                wrong.append(f"{file.relative_to(folder.resolve())}: {link} does not exist")
            # `#/…` is a route inside a single-page app, as in the example sites.
            elif known and parts.fragment and not parts.fragment.startswith("/") and unquote(parts.fragment) not in known.ids:
                wrong.append(f"{file.relative_to(folder.resolve())}: anchor of {link} not found")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(pages)} pages, {count} links, {len(wrong)} broken", file=sys.stderr)
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
