#!/usr/bin/python3
"""Fetches a page and writes the address of each of its links, one a line."""

import html.parser
import sys
import urllib.request


class Links(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a":
            print(dict(attributes)["href"])


with urllib.request.urlopen(sys.argv[1], timeout=10) as page:
    Links().feed(page.read().decode())
