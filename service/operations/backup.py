"""`pepper backup`: everything that cannot be made anew, in one file, while the service runs."""

import sys
from pathlib import Path

from service.operations import archive
from service.operations.keys import PASSES, kept, keys_of_pass
from service.operations.progress import shown
from service.wiring import Services


def backup(parts: Services, path: Path) -> int:
    """Write a file that is there when it is whole; how many keys it has."""
    client, total = parts.client, None
    if sys.stderr.isatty():
        total = sum(1 for number in range(len(PASSES)) for _key in keys_of_pass(client, number))
    return archive.write(path, parts.store.now(), shown(kept(client), "Keys", total))
