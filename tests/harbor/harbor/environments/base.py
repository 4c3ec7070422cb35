"""A stand-in for Harbor's package, with no more of its interface than our environment uses."""
import abc
import logging
from dataclasses import dataclass


@dataclass
class ExecResult:
    return_code: int
    stdout: str | None = None
    stderr: str | None = None


class BaseEnvironment(abc.ABC):
    def __init__(self, environment_dir, environment_name, session_id, trial_paths, task_env_config, logger=None, persistent_env=None, **kwargs):
        if kwargs:
            raise TypeError(f"what is not known: {sorted(kwargs)}")
        self.environment_dir, self.environment_name, self.session_id = environment_dir, environment_name, session_id
        self.trial_paths, self.task_env_config = trial_paths, task_env_config
        self.logger = logger or logging.getLogger("stand-in")
        self.default_user = None
        self._persistent_env = persistent_env or {}
        self._validate_definition()

    def _merge_env(self, env):
        return {**self._persistent_env, **(env or {})} or None

    @staticmethod
    @abc.abstractmethod
    def type(): ...

    @abc.abstractmethod
    def _validate_definition(self): ...

    @abc.abstractmethod
    async def start(self, force_build): ...

    @abc.abstractmethod
    async def stop(self, delete): ...

    @abc.abstractmethod
    async def upload_file(self, source_path, target_path): ...

    @abc.abstractmethod
    async def upload_dir(self, source_dir, target_dir): ...

    @abc.abstractmethod
    async def download_file(self, source_path, target_path): ...

    @abc.abstractmethod
    async def download_dir(self, source_dir, target_dir): ...

    @abc.abstractmethod
    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None): ...
