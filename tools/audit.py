"""Check the locked dependencies against published advisories, where their service is reachable."""

import json
import subprocess
import sys
from typing import Any

SERVICE_TIMEOUT = "10"
UNREACHED = ("ConnectionError", "ProxyError", "SSLError", "Timeout", "HTTPError", "ServiceError")


def main() -> None:
    """Fail on a known vulnerability; say so clearly when nobody could be asked."""
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--format", "json"]
    asked = subprocess.run(
        [*command, "-r", "requirements.lock", "--timeout", SERVICE_TIMEOUT],
        capture_output=True, text=True,
    )  # fmt: skip
    if not asked.stdout.strip():
        reason = (asked.stderr.strip().splitlines() or ["no answer"])[-1]
        if not any(word in reason for word in UNREACHED):
            sys.exit(f"audit: failed: {reason}")
        print(f"audit: NOT RUN, the advisory service is unreachable: {reason[:200]}")
        return
    packages: list[dict[str, Any]] = json.loads(asked.stdout)["dependencies"]
    answered = [package for package in packages if "vulns" in package]
    if not answered:
        print("audit: NOT RUN, the advisory service is unreachable or knows none of the packages")
        return
    bad = [package for package in answered if package["vulns"]]
    for package in bad:
        ids = ", ".join(found["id"] for found in package["vulns"])
        print(f"{package['name']} {package['version']}: {ids}")
    print(f"audit: {len(answered)} of {len(packages)} packages checked, {len(bad)} vulnerable")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
