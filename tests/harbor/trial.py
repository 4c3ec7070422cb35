"""Does with an environment what Harbor does. Its argument is a directory that the worker has, too."""
import asyncio
import os
import pathlib
import random
import shutil
import sys
import tarfile
import types
import uuid

import terrarium_harbor
from terrarium_harbor import CommandTimeout, SessionLost, TerrariumEnvironment, TerrariumError, unpack

here = pathlib.Path(sys.argv[1])


def environment(name="hello", directory=here, workdir=None, **kwargs):
    task = types.SimpleNamespace(workdir=workdir)
    return TerrariumEnvironment(directory, name, "trial-1", None, task, **kwargs)


async def raises(kind, words, awaitable):
    try:
        got = await awaitable
    except kind as err:
        assert type(err) is kind and words in str(err), repr(err)
    else:
        raise AssertionError(f"got {got}, want {kind.__name__}")


def ended(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


async def until(is_so):
    for _ in range(6000):
        if is_so():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("never")


async def commands(env):
    for command, code, output in [
        ("echo out; echo err >&2", 0, "out\nerr\n"),
        ("exit 7", 7, ""),
        ("kill -9 $$", 137, ""),
        ("echo $GREETING $OTHER", 0, "hello 2\n"),
        ("no-such-command 2>/dev/null", 127, ""),
        ("cat", 0, ""),  # reads the end of the input
    ] + [("set -o pipefail; false | true", 1, "")] * bool(shutil.which("bash")):
        got = await env.exec(command, env={"OTHER": "2"})
        assert (got.return_code, got.stdout, got.stderr) == (code, output, None), (command, got)
    assert (await env.exec("pwd")).stdout == f"{here}\n"
    assert (await env.exec("pwd", cwd="/")).stdout == "/\n"
    assert (await env.exec("id -u", user=os.geteuid())).stdout == f"{os.geteuid()}\n"
    assert (await env.exec("true", user="no such user")).return_code != 0
    long = await env.exec("head -c 9000000 /dev/zero | tr '\\0' x; echo end")
    assert len(long.stdout) <= 8 << 20 and long.stdout.endswith("xend\n"), len(long.stdout)

    all_of = await asyncio.gather(*(env.exec(f"sleep 0.1; exit {n}") for n in range(8)))
    assert [r.return_code for r in all_of] == list(range(8)), all_of

    slow = here / "slow"  # is not there if the command was killed before it came to that
    await raises(CommandTimeout, "longer than 1 seconds", env.exec(f"echo $$ >{slow}; exec sleep 600", timeout_sec=1))
    await until(lambda: not slow.exists() or slow.read_text() and ended(int(slow.read_text())))
    task = asyncio.create_task(env.exec(f"echo $$ >{here}/given-up; exec sleep 600"))
    await until(lambda: (here / "given-up").exists() and (here / "given-up").read_text())
    task.cancel()
    await raises(asyncio.CancelledError, "", task)
    await until(lambda: ended(int((here / "given-up").read_text())))


async def files(env):
    made = []
    terrarium_harbor.uuid = types.SimpleNamespace(uuid4=lambda: made.append(uuid.uuid4().hex) or types.SimpleNamespace(hex=made[-1]))
    near, far = here / "near", here / "far"
    near.mkdir()
    (near / "deep" / "down").mkdir(parents=True)
    big = near / "deep" / "big with a blank"
    big.write_bytes(random.Random(1).randbytes(4_000_000))
    big.chmod(0o755)
    (near / "-empty").write_bytes(b"")
    for name in ("deep/big with a blank", "-empty"):
        await env.upload_file(near / name, f"{far}/new/{name}")
        assert (far / "new" / name).read_bytes() == (near / name).read_bytes()
        assert (far / "new" / name).stat().st_mode == (near / name).stat().st_mode
        await env.download_file(f"{far}/new/{name}", here / "back" / name)
        assert (here / "back" / name).read_bytes() == (near / name).read_bytes()
    await env.upload_dir(near, f"{far}/all")
    assert (far / "all/deep/big with a blank").read_bytes() == big.read_bytes()
    assert (far / "all/deep/down").is_dir()
    await env.download_dir(f"{far}/all", here / "all")
    assert (here / "all/deep/big with a blank").stat().st_mode == big.stat().st_mode

    await raises(TerrariumError, "none", env.download_file(f"{far}/none", here / "none"))
    await raises(TerrariumError, str(far), env.download_file(far, here / "none"))
    await raises(TerrariumError, "none", env.download_dir(f"{far}/none", here / "none-dir"))
    await raises(TerrariumError, str(far), env.upload_file(near / "-empty", f"{far}/new/-empty/x"))
    assert sorted(p.name for p in here.iterdir() if p.name.startswith("none")) == []
    for name in made:  # what was only for a while is gone
        assert not os.path.exists(f"/tmp/.terrarium-{name}.tar"), name
        assert [p for p in here.rglob("*") if name in p.name] == []

    with tarfile.open(here / "evil", "w") as tar:
        tar.addfile(tarfile.TarInfo("../evil-outside"))
    try:
        unpack(here / "evil", here / "unpacked")
    except tarfile.FilterError:
        pass
    else:
        raise AssertionError("an archive was unpacked outside of its directory")


async def refused():
    os.environ["TERRARIUM_FLEET"] = ""
    for kwargs, words in [({}, "TERRARIUM_FLEET"), ({"fleet": "nats://127.0.0.1:1", "directory": here / "compose"}, "docker-compose.yaml")]:
        (here / "compose").mkdir(exist_ok=True)
        (here / "compose" / "docker-compose.yaml").touch()
        try:
            environment(**kwargs)
        except ValueError as err:
            assert words in str(err), err
        else:
            raise AssertionError(f"{kwargs}: want that it is refused")
    await raises(TerrariumError, "no NATS server answers", environment(fleet="nats://127.0.0.1:1").start(False))


async def main():
    assert TerrariumEnvironment.type() == "terrarium"
    TerrariumEnvironment.preflight()
    await raises(TerrariumError, "no place within 100ms", environment("another", place_timeout="100ms").start(False))
    env = environment(workdir=str(here), persistent_env={"GREETING": "hello"})
    await raises(TerrariumError, "was not started", env.exec("true"))
    await env.start(False)
    await commands(env)
    await files(env)
    assert ended(int((here / "forgotten").read_text()))
    await env.stop(True)
    await raises(SessionLost, "has ended", env.exec("true"))
    await env.stop(True)

    env = environment()
    await env.start(False)
    print("kill the worker", flush=True)
    await raises(SessionLost, "worker one", env.exec(f"echo $$ >{here}/lost; exec sleep 600"))
    await raises(SessionLost, "worker one", env.exec("true"))
    await raises(SessionLost, "worker one", env.upload_file(here / "evil", "/tmp/never"))
    await env.stop(True)
    await refused()
    print("done", flush=True)


async def forgotten():
    """Ends without a stop, as after an error, and with a command that runs."""
    env = environment()
    await env.start(False)
    asyncio.create_task(env.exec(f"echo $$ >{here}/forgotten; exec sleep 600"))
    await until(lambda: (here / "forgotten").exists() and (here / "forgotten").read_text())
    return env._process.pid


assert ended(asyncio.run(forgotten()))
asyncio.run(main())
