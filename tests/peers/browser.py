"""Chromium, driven over chromium-driver's WebDriver interface in plain HTTP: no library is needed."""

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"End": "\ue010", "Home": "\ue011", "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015"}


class Browser:
    """A headless Chromium with one window."""

    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        self.port = next(int(line.rstrip(".\n").split()[-1]) for line in self.driver.stdout if "successfully on port" in line)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.base = f"http://127.0.0.1:{self.port}/session"
        self.base += "/" + self.call("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self.look(1280, 900)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:1000]) from None

    def chromium(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def look(self, width, height, dark=False):
        """Sets size and colours."""
        self.chromium("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.chromium("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": arguments})

    def run_async(self, script):
        return self.call("POST", "/execute/async", {"script": script, "args": []})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def drag(self, start, end):
        """Drags the mouse from the middle of one element to that of another."""
        move = lambda selector: {"type": "pointerMove", "duration": 60, "origin": {ELEMENT: self.find(selector)}, "x": 0, "y": 0}
        steps = [move(start), {"type": "pointerDown", "button": 0}, move(end), {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def press(self, *keys):
        """Presses keys, wherever the focus is."""
        steps = []
        for key in keys:
            value = KEYS.get(key, key)
            steps += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def wait(self, what, script, *arguments, patience=60):
        """Waits until a script returns something true, and returns it."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            found = self.run(script, *arguments)
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(f"not seen: {what}; the status is `{self.text('#status')}`")

    def picture(self, path):
        """Saves a picture of the whole page, at most 3000 pixels of it."""
        height = min(3000, self.run("return document.documentElement.scrollHeight"))
        clip = {"x": 0, "y": 0, "scale": 1, "width": self.run("return innerWidth"), "height": height}
        shot = self.chromium("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def complaints(self):
        """What the browser has complained about: errors of scripts, resources that were refused."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def close(self):
        try:
            self.call("DELETE", "")
        except (AssertionError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait()
