"""page.py OPBENCH FOLDER: what a reader of the page of --html sees and does, in a real browser. Writes into FOLDER.

Without Chromium there is nothing to test: status 77. Times are printed, not judged.
"""

import json
import pathlib
import re
import subprocess
import sys
import time
import unittest

import browser
import results

OPBENCH, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
DRAWN = "document.querySelector('#overview .card') !== null"


def opbench(*arguments):
    """What the program prints; it may find that a sample failed."""
    done = subprocess.run([OPBENCH, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode > 1:
        raise AssertionError(done.stderr)
    return done.stdout


def page_of(name, lines):
    written, page = results.write(FOLDER / f"{name}.jsonl", lines), FOLDER / f"{name}.html"
    opbench("convert", written, "--html", page)
    return page


def card(reader, title):
    return reader.run(f"""[...document.querySelectorAll('.card')].find(card => card.firstChild.textContent === {json.dumps(title)})
        ?.querySelector('.figure').textContent""")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.reader = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.reader.__exit__()

    def open(self, page):
        seconds = self.reader.open(page)
        self.reader.wait_until(DRAWN)
        return seconds

    def tearDown(self):
        complaints, self.reader.complaints = self.reader.complaints, []
        self.assertEqual(complaints, [])

    def filter(self, words):
        self.reader.click("#filter")
        self.reader.run("document.activeElement.select()")
        self.reader.type(words) if words else self.reader.press("Delete")

    def test_overview_says_what_the_terminal_says(self):
        lines = results.write(FOLDER / "overview.jsonl", results.many(60))
        page = FOLDER / "overview.html"
        printed = opbench("merge", lines, "--html", page)
        mean = re.search(r"(\d+\.\d+x)  geometric mean over eager, generated kernels: (\d+) samples", printed)
        self.open(page)
        self.assertEqual(card(self.reader, "generated kernels"), mean[1])
        self.assertIn(f"of {mean[2]} samples", self.reader.text(".card .note"))
        covered = re.search(r"coverage: (\d+) of \d+ samples, (\d+%) of their calls", printed)
        self.assertEqual(card(self.reader, "coverage"), covered[1])
        self.assertIn(f", {covered[2]} of their calls", " ".join(self.reader.texts(".note")))

    def test_statuses_are_counted(self):
        self.open(page_of("golden", results.golden()))
        self.assertEqual(card(self.reader, "wrong"), "1")
        self.assertEqual(self.reader.text("#count"), "7 of 7 samples")

    def test_words_filter(self):
        self.open(page_of("filter", results.golden()))
        self.filter("ADD wrong")
        self.assertEqual(self.reader.text("#count"), "1 of 7 samples")
        self.assertIn("aten.add.Tensor", self.reader.text("#table tbody"))
        self.reader.wait_until("document.querySelector('#picture-size p')?.textContent === 'No sample shown has these figures.'")
        self.reader.click("#reset")
        self.assertEqual(self.reader.text("#count"), "7 of 7 samples")

    def test_headings_sort_both_ways_and_what_has_no_figure_stands_last(self):
        self.open(page_of("sort", results.golden()))
        column = "#table tbody tr:not(.spacer) td:nth-child(6)"
        self.reader.click("#table th[data-name=speedup] button")
        self.assertEqual(self.reader.texts(column), ["1.25x", "1.00x", "1.00x", "0.80x", "–", "–", "–"])
        self.reader.click("#table th[data-name=speedup] button")
        self.assertEqual(self.reader.texts(column), ["0.80x", "1.00x", "1.00x", "1.25x", "–", "–", "–"])
        self.assertEqual(self.reader.run("document.querySelector('#table th[data-name=speedup]').ariaSort"), "ascending")

    def test_a_sample_opens_with_its_schedule_accuracy_and_command(self):
        page = page_of("detail", results.golden())
        self.open(page)
        self.reader.click("#table tbody tr:nth-child(3)")
        detail = self.reader.text("#detail")
        for expected in ("pointwise lanes 8 steps 2 block 256", "0.9999", "bitwise", f"opbench repro {FOLDER}/detail.jsonl:4"):
            self.assertIn(expected, detail)

    def test_the_keyboard_is_enough(self):
        self.open(page_of("keys", results.golden()))
        self.reader.press("/", "/")
        self.assertEqual(self.reader.run("document.activeElement.id"), "filter")
        self.reader.type("mul")
        self.reader.run("document.getElementById('table').focus()")
        for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
            self.reader.press(key)
        self.assertIn("sparse tensors are not supported", self.reader.text("#detail"))
        self.reader.press("Escape")
        self.assertTrue(self.reader.run("document.getElementById('detail').hidden"))
        self.assertEqual(self.reader.run("document.activeElement.id"), "table")

    def test_it_is_light_or_dark_as_the_system_is(self):
        self.open(page_of("schemes", results.golden()))
        papers = []
        for scheme in ("dark", "light"):
            self.reader.prefer(scheme)
            papers.append(self.reader.run("getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(papers, ["rgb(20, 23, 26)", "rgb(255, 255, 255)"])

    def test_a_click_on_an_operator_of_the_treemap_shows_it_alone(self):
        self.open(page_of("treemap", results.golden()))
        self.reader.run("document.getElementById('picture-operators').scrollIntoView()")
        self.reader.wait_until("document.querySelector('.treemap button')")
        self.reader.click(".treemap button")
        self.assertEqual(self.reader.run("document.getElementById('filter').value"), "aten.add.Tensor")

    def test_a_dot_says_its_sample_under_the_mouse_and_opens_it_by_a_click(self):
        self.open(page_of("dots", results.golden()))
        self.reader.wait_until("document.querySelector('#picture-size canvas')")
        place = """(() => {
            const canvas = document.querySelector('#picture-size canvas'), chart = Chart.getChart(canvas);
            canvas.scrollIntoView({block: 'center'});
            const box = canvas.getBoundingClientRect(), dot = chart.getDatasetMeta(0).data[0];
            return [box.x + dot.x, box.y + dot.y, chart.data.datasets[0].data[0].sample.op];
        })()"""
        shown = """Chart.getChart(document.querySelector('#picture-size canvas')).tooltip.opacity > 0
            && document.querySelector('#detail h2') !== null"""
        # A dot moves while its picture is drawn, and other pictures move that.
        for _ in range(100):
            x, y, name = self.reader.run(place)
            self.reader.click_at(x, y)
            time.sleep(0.1)
            if self.reader.run(f"Boolean({shown})"):
                break
        self.assertEqual(self.reader.run("Chart.getChart(document.querySelector('#picture-size canvas')).tooltip.title"), [name])
        self.assertEqual(self.reader.text("#detail h2"), name)

    def test_every_picture_is_drawn(self):
        self.open(page_of("pictures", [*results.many(200), *results.network(201, "resnet18"), *results.network(202, "gpt2")]))
        drawn = """(async id => {
            const figure = document.getElementById('picture-' + id);
            figure.scrollIntoView();
            for (let i = 0; i < 100 && !figure.querySelector('canvas, .treemap'); ++i) await new Promise(done => setTimeout(done, 20));
            const canvas = figure.querySelector('canvas');
            if (canvas === null) return figure.querySelectorAll('.treemap button').length > 1;
            const bits = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            return bits.some(bit => bit !== 0);
        })"""
        for picture in ("size", "distribution", "roofline", "operators", "phases", "memory", "percentiles"):
            self.assertTrue(self.reader.run(f"{drawn}('{picture}')"), picture)

    def test_twenty_thousand_samples(self):
        start = time.monotonic()
        page = page_of("many", results.many(20000))
        written = time.monotonic() - start
        opened = self.open(page)
        drawn = self.reader.run("performance.now()") / 1000
        answered = self.reader.run("""(async () => {
            const field = document.getElementById('filter'), start = performance.now();
            field.value = 'made_17';
            field.dispatchEvent(new Event('input'));
            await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - start;
        })()""")
        print(f"20,000 samples: {page.stat().st_size / 1e6:.1f} MB, written in {written:.1f} s, loaded in {opened:.2f} s, drawn after {drawn:.2f} s, "
              f"a filter answered in {answered:.0f} ms")
        self.reader.run("document.getElementById('table').scrollTop = 1e6")
        self.assertLess(self.reader.run("document.querySelectorAll('#table tr').length"), 200)
        self.assertLess(page.stat().st_size, 15e6)

    def test_hostile_text_is_shown_and_never_run(self):
        for page in (page_of("hostile", results.hostile()), self.hostile_comparison()):
            self.open(page)
            for i in range(1, 8):
                self.reader.run(f"document.querySelectorAll('#table tbody tr:not(.spacer)')[{i - 1}]?.click()")
                self.reader.run("document.querySelectorAll('details').forEach(each => each.open = true)")
            self.reader.run("document.querySelectorAll('figure').forEach(each => each.scrollIntoView())")
            self.assertIn(results.HOSTILE, self.reader.text("#detail"))
            self.assertIsNone(self.reader.run("window.hit ?? Object.prototype.polluted ?? null"))
            self.assertEqual(self.reader.run("document.querySelectorAll('img').length"), 0)
            self.assertEqual(self.reader.run("document.scripts.length"), 3)

    @staticmethod
    def hostile_comparison():
        files = [results.write(FOLDER / f"hostile-{name}.jsonl", results.hostile()) for name in ("base", "candidate")]
        opbench("compare", "--force", *files, "--html", FOLDER / "hostile-compare.html")
        return FOLDER / "hostile-compare.html"

    def test_the_policy_lets_nothing_else_run(self):
        self.open(page_of("policy", results.golden()))
        self.reader.run("""document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hit = 1'}));
            document.body.append(Object.assign(document.createElement('img'), {src: 'https://example.org/x.png'}))""")
        self.assertIsNone(self.reader.run("window.hit ?? null"))
        self.reader.run("new Promise(done => setTimeout(done, 100))")
        self.assertEqual(len([each for each in self.reader.complaints if "Content Security Policy" in each]), 2)
        self.reader.complaints.clear()

    def test_a_comparison_begins_with_what_moved(self):
        base, candidate = (results.write(FOLDER / f"{name}.jsonl", lines) for name, lines in
                           (("base", results.many(300)), ("candidate", results.many(300, slowdown=1.5))))
        page = FOLDER / "compare.html"
        printed = opbench("compare", base, candidate, "--html", page)
        self.open(page)
        slow = re.search(r"\n300 samples: (\d+) SLOW", printed)[1]
        self.assertEqual(card(self.reader, "SLOW"), slow)
        self.assertTrue(self.reader.text("#movers-list li").startswith("SLOW time +"))
        self.assertEqual(self.reader.text("#table tbody tr:not(.spacer) td"), "SLOW")
        self.reader.click("#movers-list button")
        self.assertIn(f"opbench repro {candidate}:", self.reader.text("#detail"))

    def test_an_open_page_follows_a_race_and_keeps_what_its_reader_has_chosen(self):
        samples, page = FOLDER / "live.txt", FOLDER / "live.html"
        samples.write_text("Operator: aten.add.Tensor\n" + "".join(f"cnt: 1, ((T([64, {n}], f32), T([64, {n}], f32)), {{}})\n" for n in range(100, 112)))
        page.unlink(missing_ok=True)
        race = subprocess.Popen([OPBENCH, "--inp-file", samples, "--op", "add", "--device", "cpu", "--threads", "1", "--in-process", "--max-samples", "0",
                                 "--max-time", "0.3", "--precision", "0.001", "--no-cache", "--dump", FOLDER / "live-stages", "--html", page],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not page.exists() and time.monotonic() < deadline and race.poll() is None:
            time.sleep(0.02)
        self.open(page)
        self.assertFalse(self.reader.run("document.getElementById('live').hidden"))
        self.filter("64,100")
        self.reader.click("#table tbody tr:nth-child(2)")
        versions = set()
        while race.poll() is None:
            text = page.read_text()
            self.assertTrue(text.endswith("</html>\n"))
            versions.add(len(text))
            time.sleep(0.05)
        self.assertEqual(race.returncode, 0, race.stderr.read())
        race.stderr.close()
        # The paragraph is hidden until the scripts have run, and a page that is parsed in parts shows it so in between.
        self.reader.wait_until("document.readyState === 'complete' && document.getElementById('live').hidden", timeout=30)
        self.assertGreater(len(versions), 1)
        self.assertEqual(self.reader.text("#count"), "1 of 12 samples")
        detail = self.reader.text("#detail")
        self.assertIn("aten.add.Tensor", detail)
        self.assertIn("20-loops.txt", detail)


if __name__ == "__main__":
    if browser.find() is None:
        print("skipped: there is no Chromium; ./dev setup test installs it")
        sys.exit(77)
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=["page.py", *sys.argv[3:]], verbosity=2)
