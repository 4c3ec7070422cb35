"""What `python -m pip` finds in Terrarium's sandbox, where nothing installs packages."""

import sys

if __name__ != "__main__":
    raise ModuleNotFoundError("No module named 'pip'", name="pip")
sys.exit("pip: packages are added by a person, outside of the sandbox: terrarium plugins pip add NAME")
