"""Runs the tasks of Harbor on a fleet of Terrarium. "terrarium fleet harbor" prints this file.

    terrarium fleet harbor >terrarium_harbor.py
    export TERRARIUM_FLEET=tls://fleet.example:4222 NATS_CREDS=user.creds
    PYTHONPATH=. harbor run --environment-import-path terrarium_harbor:TerrariumEnvironment ...

It was not run with Harbor: tests run it with a stand-in for Harbor's package, written after its
interface as of 2026. It needs Python 3.12 (or 3.11.4), and terrarium in PATH.

Each environment is one session of a worker, and so one container where workers have an engine. The
image is the worker's, since nobody who asks chooses one. So that a task does not run in another
task's image, it goes to workers with the label task=NAME, unless labels say something else:

    terrarium fleet join --engine docker --image IMAGE --label task=NAME --slots 8 ...

What commands print is one stream: ExecResult.stdout has standard error too, and stderr is None.
"""
from __future__ import annotations

import asyncio
import base64
import collections
import json
import os
import pathlib
import shutil
import signal
import tarfile
import tempfile
import uuid

from harbor.environments.base import BaseEnvironment, ExecResult

MAX_LINE = 64 << 20  # bytes of one message from terrarium
MAX_OUTPUT = 8 << 20  # bytes that are kept of what a command prints: the last ones
MAX_DOWNLOAD = 16 << 30  # bytes of one file or directory that is downloaded
DOWN = 3 << 20  # bytes that one command reads of a file: 4 MiB in base64
UP = 96_000  # bytes in one argument, which has at most 128 KiB in base64
UP_ARGUMENTS = 8  # arguments of one command: a quarter of what Linux takes is left for variables
STOP_SECONDS = 60  # for how long a session may take to end
SESSION = "harbor"


class TerrariumError(RuntimeError):
    """A command could not be started, or a file not be copied."""


class SessionLost(TerrariumError):
    """A command has ended, and nobody knows how, so there is no return code.

    Mostly the session has ended with all that was in it: by its worker, its container, or the way
    there. Nothing was run twice.
    """


class CommandTimeout(TerrariumError):
    """A command took longer than its timeout, and was killed."""


class TerrariumEnvironment(BaseEnvironment):
    """A session of a fleet.

    fleet is its URL, by default TERRARIUM_FLEET. labels are those that a worker has to have, as
    "NAME=VALUE,NAME=VALUE", by default TERRARIUM_LABELS, or "task=" and the environment's name.
    workdir is where commands run that do not say, by default the task's or "/". place_timeout is how
    long a free slot is waited for. The credentials are the file that NATS_CREDS names.
    """

    def __init__(self, *args, fleet=None, labels=None, workdir=None, place_timeout="1h", **kwargs):
        self._fleet = fleet or os.environ.get("TERRARIUM_FLEET", "")
        self._labels = labels or os.environ.get("TERRARIUM_LABELS")
        self._workdir = workdir
        self._place_timeout = place_timeout
        self._process = None
        self._tasks = []
        self._answers = {}  # futures of requests, by their ids
        self._last_id = 0
        self._lost = None  # why there is no session any more
        self._said = collections.deque(maxlen=20)  # terrarium's last lines on standard error
        self._shell = "sh"
        super().__init__(*args, **kwargs)

    @staticmethod
    def type():
        return "terrarium"

    @classmethod
    def preflight(cls):
        if shutil.which("terrarium") is None:
            raise SystemExit("terrarium is not in PATH")

    def _validate_definition(self):
        if not self._fleet:
            raise ValueError("no fleet: set TERRARIUM_FLEET to its URL, such as tls://fleet.example:4222")
        for name in ("docker-compose.yaml", "docker-compose.yml"):
            if (pathlib.Path(self.environment_dir) / name).exists():
                raise ValueError(f"{name}: a session of Terrarium is one container")

    async def start(self, force_build):
        """Waits for a place. force_build means nothing here: the image is the worker's."""
        if self._process is not None:
            raise TerrariumError("it was started already")
        labels = self._labels or f"task={self.environment_name}"
        args = ["serve", "--stdio", "--on", f"fleet:{self._fleet}", "--cwd", "/", "--place-timeout", self._place_timeout]
        for label in labels.split(","):
            args += ["--label", label]
        self._process = await asyncio.create_subprocess_exec(
            "terrarium", *args, limit=MAX_LINE,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._hear())]
        try:
            code, _ = await self._run(["sh", "-c", "command -v bash"], "/")
            if code == 0:
                self._shell = "bash"
            upload = getattr(self, "_upload_environment_dir_after_start", None)
            if upload is not None:  # for tasks of a ready image
                await upload()
        except SessionLost as err:
            await self.stop(True)
            raise TerrariumError(str(err)) from None
        except BaseException:
            await self.stop(True)
            raise

    async def stop(self, delete):
        """Ends the session, and with it its container. It is never kept, whatever delete says."""
        if self._process is None:
            return
        await self._end()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        merge = getattr(self, "_merge_env", None)
        if merge is not None:
            env = merge(env)
        if user is None:
            user = getattr(self, "default_user", None)
        argv = [self._shell, "-c", command]
        if user is not None:
            argv = ["sh", "-c", AS_USER, "sh", str(user), *argv]
        code, output = await self._run(argv, cwd, env, timeout_sec)
        return ExecResult(stdout=output, stderr=None, return_code=code)

    async def upload_file(self, source_path, target_path):
        """Copies a file and its permissions. The target appears when it is whole."""
        source, part = pathlib.Path(source_path), f"{target_path}.{uuid.uuid4().hex}"
        await self._do('mkdir -p -- "$(dirname -- "$1")" && : >"$2"', target_path, part)
        try:
            with source.open("rb") as file:
                while piece := await asyncio.to_thread(file.read, UP * UP_ARGUMENTS):
                    text = [base64.b64encode(piece[i:i + UP]).decode() for i in range(0, len(piece), UP)]
                    await self._do('to=$1; shift; for p; do printf %s "$p" | base64 -d >>"$to" || exit; done', part, *text)
            mode = f"{source.stat().st_mode & 0o777:o}"
            await self._do('chmod "$3" "$2" && mv -f -- "$2" "$1"', target_path, part, mode)
        except (TerrariumError, OSError):
            if self._lost is None:
                await self._run(["rm", "-f", "--", part], "/")
            raise

    async def upload_dir(self, source_dir, target_dir):
        """Copies what is in a directory into another one, by way of an archive in /tmp."""
        far = f"/tmp/.terrarium-{uuid.uuid4().hex}.tar"
        with tempfile.TemporaryDirectory() as here:
            archive = pathlib.Path(here) / "archive"
            await asyncio.to_thread(pack, source_dir, archive)
            await self.upload_file(archive, far)
        try:
            await self._do('mkdir -p -- "$1" && tar -x -o -f "$2" -C "$1"', target_dir, far)
        finally:
            if self._lost is None:
                await self._run(["rm", "-f", "--", far], "/")

    async def download_file(self, source_path, target_path):
        """Copies a file as long as it is now. The target appears when it is whole."""
        target = pathlib.Path(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.{uuid.uuid4().hex}")
        try:
            with part.open("xb") as file:
                size = int(await self._do('test -f "$1" && wc -c <"$1"', source_path))
                if size > MAX_DOWNLOAD:
                    raise TerrariumError(f"{source_path}: {size} bytes, want at most {MAX_DOWNLOAD}")
                for at in range(0, size, DOWN):
                    text = await self._do('dd if="$1" bs="$2" skip="$3" count=1 2>/dev/null | base64', source_path, DOWN, at // DOWN)
                    piece = base64.b64decode("".join(text.split()), validate=True)[:size - at]
                    if len(piece) != min(DOWN, size - at):
                        raise TerrariumError(f"{source_path}: it was cut off meanwhile, or can't be read")
                    await asyncio.to_thread(file.write, piece)
            os.replace(part, target)
        except ValueError as err:
            raise TerrariumError(f"{source_path}: what came is no base64, or no number") from err
        finally:
            part.unlink(missing_ok=True)

    async def download_dir(self, source_dir, target_dir):
        """Copies what is in a directory into another one, by way of an archive in /tmp."""
        far = f"/tmp/.terrarium-{uuid.uuid4().hex}.tar"
        try:
            await self._do(PACK, source_dir, far)
            with tempfile.TemporaryDirectory() as here:
                archive = pathlib.Path(here) / "archive"
                await self.download_file(far, archive)
                await asyncio.to_thread(unpack, archive, target_dir)
        finally:
            if self._lost is None:
                await self._run(["rm", "-f", "--", far], "/")

    def _cwd(self, cwd):
        return cwd or self._workdir or getattr(self.task_env_config, "workdir", None) or "/"

    async def _do(self, script, *args):
        """Runs a script of ours as the worker's user, and returns what it prints."""
        code, output = await self._run(["sh", "-c", script, "sh", *map(str, args)], "/")
        if code != 0:
            raise TerrariumError(f"{args[0]}: {output.strip()[-400:] or f'status {code}'}")
        return output

    async def _run(self, argv, cwd=None, env=None, timeout=None):
        """Runs a command, and returns its status as a shell has it, with what it has printed."""
        made = await self._call(
            "terminal/create", command=argv[0], args=argv[1:], cwd=self._cwd(cwd), outputByteLimit=MAX_OUTPUT,
            env=[{"name": name, "value": value} for name, value in (env or {}).items()],
        )
        terminal = made["terminalId"]
        try:
            try:
                exited = await asyncio.wait_for(self._call("terminal/wait_for_exit", terminalId=terminal), timeout)
            except asyncio.TimeoutError:
                raise CommandTimeout(f"the command took longer than {timeout} seconds") from None
            code = self._status(exited)
            output = await self._call("terminal/output", terminalId=terminal)
            self._status(output["exitStatus"])
            if output["truncated"]:
                self.logger.warning("of what a command has printed the last %d bytes are kept", MAX_OUTPUT)
            return code, output["output"]
        finally:
            if self._lost is None:  # kill what still runs; nobody waits for the answer
                self._ask("terminal/release", terminalId=terminal).add_done_callback(lambda f: f.cancelled() or f.exception())

    def _status(self, exited):
        """Returns an exit status as a number. That it is not known is none."""
        reason = ((exited.get("_meta") or {}).get("terrarium") or {}).get("reason")
        code, name = exited.get("exitCode"), exited.get("signal")
        if reason == "lost" or code is None and name is None:
            raise SessionLost(self._lost or "nobody knows how the command has ended")
        if code is not None:
            return code
        return 128 + signal.Signals.__members__.get(name, 0)

    async def _call(self, method, **params):
        """Asks terrarium for something, and returns the result."""
        answer = await self._ask(method, **params)
        if "error" not in answer:
            return answer["result"]
        if self._lost is not None:
            raise SessionLost(self._lost)
        raise TerrariumError(f"{method}: {answer['error'].get('message')}")

    def _ask(self, method, **params):
        """Sends a request, and returns the future of its answer."""
        answer = asyncio.get_running_loop().create_future()
        if self._process is None:
            raise TerrariumError("it was not started")
        if self._lost is not None:
            raise SessionLost(self._lost)
        self._last_id += 1
        self._answers[self._last_id] = answer
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": {"sessionId": SESSION, **params}}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        return answer

    async def _listen(self):
        """Takes terrarium's answers, until it has ended, or the loop ends without a stop."""
        why = None
        try:
            while line := await self._process.stdout.readline():
                message = json.loads(line)
                answer = self._answers.pop(message.get("id"), None)
                if answer is not None and not answer.done():
                    answer.set_result(message)
                if message.get("method") == "_terrarium/link" and message["params"]["state"] == "lost":
                    self._lose(message["params"].get("reason") or "it is gone")
        except (ValueError, KeyError, TypeError, AttributeError) as err:
            why = f"terrarium speaks another protocol: {err!r}"
            self._process.kill()
        finally:
            await self._end()
            await asyncio.wait(self._tasks[1:])  # what it has said last
            self._lose(why or " ".join(["terrarium has ended:", *self._said]))

    async def _end(self):
        """Has terrarium end, and waits for that."""
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
        except asyncio.TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _hear(self):
        """Keeps terrarium's last words, such as that it waits for a place."""
        try:
            while line := await self._process.stderr.readline():
                self._said.append(line.decode(errors="replace").strip())
                self.logger.info("%s", self._said[-1])
        except ValueError:  # a line over MAX_LINE
            self._process.kill()

    def _lose(self, why):
        """Fails all that is asked, now and later."""
        if self._lost is None:
            self._lost = why
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(SessionLost(self._lost))
        self._answers.clear()


# AS_USER runs $2 and what follows as the user $1, a name or a number.
AS_USER = """
user=$1
shift
case $user in "$(id -un)" | "$(id -u)") exec "$@" ;; esac
user=$(id -un "$user") || exit
exec su -s /bin/sh "$user" -c 'exec "$@"' sh "$@"
"""

# PACK packs what is in $1 into $2. Status 1 of GNU tar is that a file has changed meanwhile.
PACK = """
tar -cf "$2" -C "$1" . && exit
test $? = 1 && tar --version 2>/dev/null | grep -q GNU
"""


def pack(source, archive):
    """Writes an archive of what is in a directory."""
    with tarfile.open(archive, "w") as tar:
        tar.add(source, arcname=".")


def unpack(archive, target):
    """Unpacks an archive that somebody hostile may have made: nothing gets outside of target."""
    pathlib.Path(target).mkdir(parents=True, exist_ok=True)
    total = 0
    with tarfile.open(archive, "r:") as tar:
        for member in tar:
            total += member.size
            if total > MAX_DOWNLOAD:
                raise TerrariumError(f"an archive of more than {MAX_DOWNLOAD} bytes")
            tar.extract(member, target, filter="data")
