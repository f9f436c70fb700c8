"""A virtual screen for the scripts that run a real XBoard."""

import os
import subprocess


class VirtualScreen:
    """Xvfb on a display that nobody uses. `environment` is what programs on it need; games are in Debian's PATH for games."""

    def __init__(self, size: str = "1280x900x24"):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-noreset", "-screen", "0", size], pass_fds=[write], stderr=subprocess.DEVNULL
        )
        os.close(write)
        with os.fdopen(read) as told:
            self.display = ":" + told.readline().strip()
        path = os.environ["PATH"] + os.pathsep + "/usr/games"
        self.environment = dict(os.environ, DISPLAY=self.display, PATH=path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()
