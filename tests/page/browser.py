"""A headless Chromium that a test drives by the DevTools protocol, through a pipe: it needs nothing but Python."""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def _high(descriptor):
    """The same file by a number that the browser's own, 3 and 4, cannot be."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Browser:
    """One page in a browser of its own. `complaints` are the errors of its console, exceptions and refusals of its policy."""

    def __init__(self, width=1400, height=1000, scale=1):
        self.folder = tempfile.TemporaryDirectory(prefix="opbench-page-", ignore_cleanup_errors=True)
        commands, self.commands = map(_high, os.pipe())
        self.replies, replies = map(_high, os.pipe())

        def connect():
            os.dup2(commands, 3)
            os.dup2(replies, 4)

        # The pages are ours, in a browser without a network; as root, as containers run it, Chromium has no sandbox.
        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder.name}", f"--window-size={width},{height}", "--hide-scrollbars", "--force-device-scale-factor=1",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--no-proxy-server", "about:blank"],
            preexec_fn=connect, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(replies)
        self.buffer, self.number, self.session, self.events, self.complaints = b"", 0, None, [], []
        page = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.prefer("light")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.replies)
        self.folder.cleanup()

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.replies], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.replies, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        self._note(message)
        return message

    def _note(self, message):
        method, given = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.complaints.append(given["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(given["args"]))
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append("dialog: " + given["message"])
        if method:
            self.events.append(method)

    def call(self, method, timeout=60, **given):
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + timeout
        while True:
            reply = self._receive(deadline)
            if reply.get("id") == self.number:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return reply["result"]

    def prefer(self, scheme):
        """Has the system prefer `light` or `dark`."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Opens a file; returns after its load event, and the seconds until then."""
        self.events.clear()
        start = time.monotonic()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait_for_load()
        return time.monotonic() - start

    def wait_for_load(self, timeout=60):
        deadline = time.monotonic() + timeout
        while "Page.loadEventFired" not in self.events:
            self._receive(deadline)
        self.events.clear()

    def run(self, script):
        """The value of an expression in the page; promises are waited for."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_until(self, script, timeout=20):
        deadline = time.monotonic() + timeout
        while not self.run(f"Boolean({script})"):
            if time.monotonic() > deadline:
                raise AssertionError(f"never true: {script}")
            time.sleep(0.02)

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(each => each.textContent)")

    def click(self, selector):
        """A press of the mouse in the middle of an element, which is scrolled into sight."""
        place = self.run(f"""(() => {{
            const made = document.querySelector({json.dumps(selector)});
            made.scrollIntoView({{block: 'center'}});
            const box = made.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        self.click_at(*place)

    def click_at(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)

    def press(self, key, text=None):
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "End": 35, "Home": 36, "PageDown": 34}
        given = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key, 0)}
        if text:
            given["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **given)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{name: value for name, value in given.items() if name != "text"})

    def type(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(image))
