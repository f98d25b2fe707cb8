#!/usr/bin/python3
"""Fetches a page and prints the URLs of its links, one on each line."""

import html.parser
import sys
import urllib.request


class Links(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a":
            print(dict(attributes)["href"])


with urllib.request.urlopen(sys.argv[1], timeout=10) as page:
    Links().feed(page.read().decode())
