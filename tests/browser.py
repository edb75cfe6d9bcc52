"""A headless Chromium on the other end of two pipes: no driver, no port, no package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
TO_BROWSER, FROM_BROWSER = 3, 4  # the descriptors that --remote-debugging-pipe uses
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--remote-debugging-pipe"),
)


class Page:
    """A tab; every message of the browser that is no answer is kept in `events`."""

    def __init__(self, to_browser: Any, from_browser: Any):
        self._to, self._from = to_browser, from_browser
        self._session, self._number = {}, 0
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._session = {"sessionId": session}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a method of the DevTools protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params, **self._session}
        self._to.write(json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        message = bytearray()
        while (byte := self._from.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser went away")
            message += byte
        return json.loads(message)

    def open(self, url: str) -> None:
        """Go there and wait until it is loaded."""
        self.call("Page.navigate", url=url)
        while not self.seen("Page.loadEventFired"):
            self.events.append(self._read())

    def seen(self, method: str) -> list[dict[str, Any]]:
        """The parameters of every event of this kind."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def value(self, expression: str) -> Any:
        """What a JavaScript expression is, as JSON."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def resize(self, width: int) -> None:
        """A window, or below 500 pixels a phone, that is this wide."""
        sizes = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.call("Emulation.setDeviceMetricsOverride", **sizes)


@contextmanager
def chromium(url: str) -> Iterator[Page]:
    """A page in a browser of its own, which ends with the block; url: what it shows."""
    there, to_browser = os.pipe()
    from_browser, back = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}"]
        place = f'exec "$@" {TO_BROWSER}<&{there} {FROM_BROWSER}>&{back}'
        process = subprocess.Popen(
            ["bash", "-c", place, "-", *command], pass_fds=(there, back), stderr=subprocess.DEVNULL
        )
        os.close(there)
        os.close(back)
        try:
            with open(to_browser, "wb", buffering=0) as to, open(from_browser, "rb") as answers:
                page = Page(to, answers)
                page.open(url)
                yield page
        finally:
            process.terminate()
            process.wait(timeout=30)
