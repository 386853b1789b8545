"""screenshot.py PAGE IMAGE: a picture of a page of --html, as docs/report.md shows it, with a sample open."""

import sys

import browser

with browser.Browser(width=1280, height=1560, scale=0.7) as reader:
    reader.open(sys.argv[1])
    reader.wait_until("document.querySelector('#picture-size canvas')")
    reader.wait_until("document.querySelector('.treemap button')")
    reader.run("document.querySelectorAll('#table tbody tr:not(.spacer)')[1].click()")
    reader.screenshot(sys.argv[2])
if reader.complaints:
    sys.exit("\n".join(reader.complaints))
