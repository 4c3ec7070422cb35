"""Python in Terrarium's sandbox: the current directory, a script's path, a user, and HTTP.

WASI has no current directory: its C library begins at /, and takes what is relative from
where the host says. So the name of that directory, and all that is made of it, is wrong
until the library is told. PWD has it, if it is the same directory. All files there belong
to user 0, so that is who asks; pytest's tmp_path wants to know. There are no sockets:
terrarium_http has those who import them speak HTTP by the sandbox's host.
"""

import atexit
import os
import sys


def _begin():
    here = os.environ.get("PWD", "")
    try:
        if not os.path.samestat(os.stat("."), os.stat(here)):
            return
        os.chdir(here)
    except OSError:
        return
    script = sys.argv[0] if sys.argv else ""
    if script == "-m":
        sys.meta_path.insert(0, _FirstImport(".", os.getcwd()))
    elif os.path.isfile(script):  # of -c and of standard input there is none
        given, script = os.path.dirname(script), os.path.abspath(script)
        sys.modules["__main__"].__file__ = script
        sys.meta_path.insert(0, _FirstImport(given, os.path.dirname(script)))
    elif script not in ("", "-", "-c"):
        _open(script, here)


def _open(script, here):
    """Ends as CPython does where it can't open a script: its own words would have another directory."""
    try:
        open(script, "rb").close()
    except IsADirectoryError:  # of which CPython runs __main__.py
        return
    except OSError as error:
        name = os.path.join(here, script)
        sys.stderr.write(f"{sys.orig_argv[0]}: can't open file {name!r}: [Errno {error.errno}] {error.strerror}\n")
        sys.stderr.flush()
        os._exit(2)


class _FirstImport:
    """Makes the script's directory in sys.path absolute: it is put there only after this runs.

    It is the first, unless the script has put others before it.
    """

    def __init__(self, given, directory):
        self.given, self.directory = given, directory

    def find_spec(self, name, path=None, target=None):
        sys.meta_path.remove(self)
        if self.given in sys.path:
            sys.path[sys.path.index(self.given)] = self.directory
        return None


class _SocketFinder:
    """Finds Python's own module `socket`, and hands it to terrarium_http when it is there."""

    def find_spec(self, name, path=None, target=None):
        if name != "socket":
            return None
        from importlib.machinery import PathFinder

        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _SocketLoader(spec.loader)
        return spec


class _SocketLoader:
    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        self.loader.exec_module(module)
        if hasattr(module, "_socket"):  # else it is a user's module of that name
            import terrarium_http

            terrarium_http.install(module)


# Packages that are called otherwise than what is imported of them.
_PACKAGES = {
    "attr": "attrs", "bs4": "beautifulsoup4", "dateutil": "python-dateutil", "dotenv": "python-dotenv", "yaml": "pyyaml",
}


def _hint(name):
    """Says on standard error what can be done where a module was not found."""
    if not name.isidentifier() or name[0] == "_" or name in sys.stdlib_module_names or sys.stderr is None:
        return
    sys.stderr.write(
        f"python: {name} is not in this sandbox; a package of Python alone can be added by its owner: "
        f"terrarium plugins pip add {_PACKAGES.get(name, name)}\n"
    )


class _Missing:
    """Comes last: nobody has found the module that `python -m` shall run."""

    def __init__(self, name):
        self.name = name

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            sys.meta_path.remove(self)
            atexit.register(_hint, name)  # after runpy's own words
        return None


def _excepthook(kind, error, trace):
    sys.__excepthook__(kind, error, trace)
    # Of a package that is there, a part may be missing.
    if isinstance(error, ModuleNotFoundError) and error.name and "." not in error.name:
        _hint(error.name)


def _advise():
    sys.excepthook = _excepthook
    options = sys.orig_argv[1:]
    if sys.argv[:1] == ["-m"] and "-m" in options[:-1]:
        module = options[options.index("-m") + 1]
        sys.meta_path.append(_Missing(module.partition(".")[0]))


for _name in ("getuid", "geteuid", "getgid", "getegid"):
    if not hasattr(os, _name):
        setattr(os, _name, lambda: 0)
if not sys.executable:  # WASI has no way to tell; python -m begins its messages with it
    sys.executable = "/bin/" + os.path.basename(sys.orig_argv[0])
_begin()
_advise()
sys.meta_path.insert(0, _SocketFinder())
del _advise, _begin, _name
