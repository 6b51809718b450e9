"""Run all benchmarks, or those named: `python -m bench engine memory`."""

import platform
import sys

from bench import (
    actions,
    boardgame_io,
    bot_latency,
    engine,
    fan_out,
    idempotency,
    limits,
    load,
    memory,
    packing,
)

PARTS = {
    "engine": engine.run,
    "load": load.run,
    "memory": memory.run,
    "packing": packing.run,
    "actions": actions.run,
    "limits": limits.run,
    "idempotency": idempotency.run,
    "fan_out": fan_out.run,
    "boardgame_io": boardgame_io.run,
    "bot_latency": bot_latency.run,
}


def main() -> None:
    """Run the parts that the command line names, or all."""
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}")
    for name in sys.argv[1:] or PARTS:
        print(f"\n== {name}")
        PARTS[name]()


if __name__ == "__main__":
    main()
