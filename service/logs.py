"""What a process says: a JSON object a line, without tokens, cards, bodies or faults' messages."""

import logging
import os
import re
import sys
import threading
import traceback
from types import TracebackType

import orjson
import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

_FOREIGN_REQUEST = re.compile(
    r"(Invalid request|Error handling request|Exception on)\b.*", re.DOTALL
)
"""How lines of gunicorn and Flask begin that go on with a raw address or a header."""

_SECRET = re.compile(r"pepper_[\w-]{8,}")

# Silent until a process says who it is: tests and the terminal have no log.
structlog.configure(processors=[], logger_factory=structlog.ReturnLoggerFactory())
request_log = structlog.get_logger()


def configure_logs(process: str) -> None:
    """Let what this process logs, warns of or dies of come out as JSON on stderr."""
    named = [_name(process), structlog.contextvars.merge_contextvars]
    structlog.configure(
        processors=[*named, structlog.stdlib.add_log_level, _stamp(), _json_bytes],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.BytesLoggerFactory(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(named))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("service").setLevel(logging.INFO)
    logging.captureWarnings(capture=True)
    sys.excepthook = _say_death
    threading.excepthook = lambda died: _say_death(
        died.exc_type, died.exc_value, died.exc_traceback
    )


def _formatter(named: list[Processor]) -> ProcessorFormatter:
    return ProcessorFormatter(
        foreign_pre_chain=[
            *named,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            _stamp(),
        ],
        processors=[
            ProcessorFormatter.remove_processors_meta,
            _faults_without_messages,
            _without_secrets,
            _json,
        ],
    )


def _name(process: str) -> Processor:
    def name(_logger: WrappedLogger, _level: str, line: EventDict) -> EventDict:
        line["process"], line["pid"] = process, os.getpid()
        return line

    return name


def _stamp() -> Processor:
    return structlog.processors.TimeStamper(fmt="iso", utc=True, key="at")


def _faults_without_messages(_logger: WrappedLogger, _level: str, line: EventDict) -> EventDict:
    """Say of each fault what it is and where: its message could name cards."""
    exc_info = line.pop("exc_info", None)
    fault = exc_info[1] if exc_info else None
    faults = []
    while fault is not None:
        frames = traceback.extract_tb(fault.__traceback__)
        at = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        faults.append({"type": type(fault).__name__, "at": at})
        fault = fault.__cause__ or fault.__context__
    if faults:
        line["faults"] = faults
    return line


def _without_secrets(_logger: WrappedLogger, _level: str, line: EventDict) -> EventDict:
    line["event"] = _SECRET.sub("pepper_…", _FOREIGN_REQUEST.sub(r"\1", line["event"]))
    return line


def _json(_logger: WrappedLogger, _level: str, line: EventDict) -> str:
    return orjson.dumps(line).decode()


def _json_bytes(_logger: WrappedLogger, _level: str, line: EventDict) -> bytes:
    return orjson.dumps(line)


def _say_death(
    kind: type[BaseException], fault: BaseException | None, where: TracebackType | None
) -> None:
    if fault is not None and not issubclass(kind, KeyboardInterrupt | SystemExit):
        logging.getLogger(__name__).critical("died", exc_info=(kind, fault, where))
