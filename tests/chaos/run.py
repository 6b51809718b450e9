"""One run: real processes, random clients, a fault a second; then every log is read."""

import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.error import URLError
from urllib.request import urlopen

from events.vocabulary import GameId
from service.settings import Settings
from tests.chaos.checker import Finding, findings, longest_wait_for_bot
from tests.chaos.client import Book, Client
from tests.chaos.faults import Faults
from tests.chaos.members import Fleet
from tests.chaos.persons import Table
from tests.chaos.survey import Survey
from tests.e2e.running import free_port

LONGEST_START, LONGEST_GAME, LONGEST_FOLLOWING = 30.0, 60.0, 20.0
WEBS, CUT_EACH = 3, 150
"""Web processes; and one in so many answers to scripts is lost on its way back."""


@dataclass
class Report:
    """What a run did, and what it found."""

    faults: Counter[str] = field(default_factory=Counter)
    games: int = 0
    packed: int = 0
    events: int = 0
    accepted: int = 0
    refused: int = 0
    retries: int = 0
    longest_wait: float = 0.0
    ending: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The figures, a line each."""
        kinds = Counter(finding.kind for finding in self.findings)
        figures = {
            "games": self.games,
            "  packed meanwhile": self.packed,
            "events in their logs": self.events,
            "faults": sum(self.faults.values()),
            **{f"  {kind}": number for kind, number in sorted(self.faults.items())},
            "actions acknowledged": self.accepted,
            "actions refused": self.refused,
            "requests sent again": self.retries,
            "lost": kinds["lost"],
            "doubled": kinds["doubled"],
            "out of order": kinds["reordered"],
            "games stuck": kinds["stuck"],
            "other findings": len(self.findings)
            - sum(kinds[kind] for kind in ("lost", "doubled", "reordered", "stuck")),
            "longest wait for a bot, outages included (s)": round(self.longest_wait, 2),
            "from the last fault to the end of the last game (s)": round(self.ending, 1),
        }
        found = [f"  {finding.kind}: {finding.what}" for finding in self.findings]
        return [f"{name:55} {figure:>8}" for name, figure in figures.items()] + found


def run(seconds: float, seed: int, tables: int, keep: Path | None = None) -> Report:
    """Faults for so many seconds, then the games' ends, then every log."""
    with tempfile.TemporaryDirectory(prefix="pp-") as folder:
        data = Path(folder)
        fleet = Fleet(data, [free_port() for _web in range(WEBS)], CUT_EACH, seed)
        try:
            _wait_until_ready(fleet)
            return _run(fleet, seconds, seed, tables)
        finally:
            fleet.close()
            if keep is not None:
                keep.write_bytes(fleet.output.read_bytes())


def _run(fleet: Fleet, seconds: float, seed: int, tables: int) -> Report:
    book, report = Book(), Report()
    playing = [Table(number, fleet.urls, book, str(seed)) for number in range(tables)]

    def games() -> list[str]:
        return [game for table in playing for game in table.games[-2:]]

    faults = Faults(fleet, Random(seed), games)
    faults.run(seconds)
    ended = time.monotonic()
    for table in playing:
        table.closing.set()
    for table in playing:
        table.join()
    survey = Survey(_settings(fleet))
    while survey.unfinished() and time.monotonic() < ended + LONGEST_GAME:
        time.sleep(0.2)
    report.ending = time.monotonic() - ended
    report.faults = faults.done
    report.faults["cut after a script ran, before its answer"] = fleet.cuts_made()
    _read(fleet, survey, book, report)
    return report


def _read(fleet: Fleet, survey: Survey, book: Book, report: Report) -> None:
    """Read every log, both ways."""
    report.findings += [Finding("stuck", game) for game in survey.unfinished()]
    report.findings += [Finding("failure", failure) for failure in book.failures]
    _check_games_made(survey, book, report)
    onlooker = Client(fleet.urls, Book(), Random(0))
    for made in book.games:
        if made.is_accepted:
            _check_game(survey, onlooker, made.game, book, report)
    report.retries = book.retries
    if not report.findings:
        _check_lists(survey, report)


def _check_game(survey: Survey, onlooker: Client, path: str, book: Book, report: Report) -> None:
    public, game = onlooker.get(f"{path}/replay"), GameId(path.rpartition("/")[2])
    asked = book.asked.get(path, [])
    report.findings += [
        finding._replace(what=f"{game}: {finding.what}") for finding in findings(public, asked)
    ]
    report.findings += survey.differences(game, public)
    report.games += 1
    report.packed += survey.is_packed(game)
    report.events += public["version"]
    report.accepted += sum(request.is_accepted for request in asked)
    report.refused += sum(request.status is not None and request.status >= 300 for request in asked)
    wait = longest_wait_for_bot(survey.times(game)) / 1000
    report.longest_wait = max(report.longest_wait, wait)


def _check_games_made(survey: Survey, book: Book, report: Report) -> None:
    """As many games as were asked for; one more for each request without an answer at most."""
    asked = Counter(made.player for made in book.games)
    accepted = Counter(made.player for made in book.games if made.is_accepted)
    for player, made in survey.creators().items():
        if made > asked[player]:
            report.findings.append(Finding("doubled", f"{made} games of {asked[player]} asked for"))
        if made < accepted[player]:
            report.findings.append(Finding("lost", f"{accepted[player] - made} games"))


def _check_lists(survey: Survey, report: Report) -> None:
    until = time.monotonic() + LONGEST_FOLLOWING
    while not survey.are_followers_done():
        if time.monotonic() > until:
            report.findings.append(Finding("projection", "the followers are behind"))
            return
        time.sleep(0.1)
    time.sleep(0.5)
    report.findings += survey.rebuilt_differently()


def _settings(fleet: Fleet) -> Settings:
    return Settings(
        fleet.data,
        "127.0.0.1",
        1,
        fleet.events_url,
        fleet.queue_url,
        embeds_events=False,
        embeds_queue=False,
        web_processes=1,
    )


def _wait_until_ready(fleet: Fleet) -> None:
    until = time.monotonic() + LONGEST_START
    for url in fleet.urls:
        while not _is_ready(url):
            assert time.monotonic() < until, fleet.output.read_text()
            time.sleep(0.05)


def _is_ready(url: str) -> bool:
    with suppress(URLError, OSError), urlopen(f"{url}/readyz", timeout=2) as answer:
        return bool(answer.status == 200)
    return False
