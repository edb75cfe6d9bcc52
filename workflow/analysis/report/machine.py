"""What was measured with, as tables: the cards of the machines, canaries around the sessions."""

from statistics import median

from analysis.caveats.drift import measured_on
from analysis.formats.text import NA, count, listed, ms, percent
from analysis.results.canaries import Canary
from analysis.results.machine_card import MachineCard
from analysis.results.results import Results
from analysis.results.sessions import by_node, canaries_of
from analysis.statistics.intervals import MARGIN
from analysis.writing.grid import Grid

MOST_CARDS = 8  # different ones that a report shows


def machine_card(results: Results) -> list[Grid]:
    """A table per section of each card; nodes with equal cards share one."""
    several = len(results.machine_cards) > 1
    return [
        Grid(
            f"{section.title}, {_nodes(nodes)}" if several else section.title,
            ("Fact", "Value"),
            tuple((fact.name, NA if fact.value is None else fact.value) for fact in section.facts),
        )
        for nodes, card in _different(results)[:MOST_CARDS]
        for section in card.sections
    ]


def _different(results: Results) -> list[tuple[list[str], MachineCard]]:
    """The different cards, each with the nodes that have it."""
    found: dict[tuple, tuple[list[str], MachineCard]] = {}
    for node, card in results.machine_cards.items():
        if card:
            found.setdefault(card.sections, ([], card))[0].append(node)
    return list(found.values())


def _nodes(nodes: list[str]) -> str:
    """Nodes in words: 'node 1a2b3c4d', 'nodes 1a2b3c4d and 2 more'."""
    if len(nodes) <= 3:
        return f"{'node' if len(nodes) == 1 else 'nodes'} {listed(nodes)}"
    return f"nodes {nodes[0]} and {len(nodes) - 1} more"


def card_note(results: Results) -> str:
    """Where the cards come from, or why there is none."""
    if not results.machine_cards:
        return "Not collected: no session says on which machine anything was measured."
    missing = [node for node, card in results.machine_cards.items() if card is None]
    notes = []
    if missing:
        paths = [results.plan.machine_card(node) for node in missing[:MOST_CARDS]]
        more = f" (and of {len(missing) - MOST_CARDS} more)" if len(missing) > MOST_CARDS else ""
        notes.append(f"Not collected: there is no {listed(paths)}{more}.")
    cards = results.cards
    if cards:
        first = min(card.collected_at for card in cards)
        when = first[:16].replace("T", " ")
        of = f" of {count(len(cards), 'node')}, the first" if len(cards) > 1 else ""
        notes.append(f"Collected{of} {when}. {NA}: not reported by the machine.")
        ids = {found for card in cards for found in card.ids.values()}
        others = sorted({record.machine.id for record in results.records} - ids)
        if others:
            notes.append(
                f"The card is of {listed(sorted(ids))}; records are from {listed(others)} too."
            )
    different = len(_different(results))
    if different > MOST_CARDS:
        notes.append(f"Shown are {MOST_CARDS} of {different} different cards.")
    return " ".join(notes)


def canaries(results: Results) -> list[Grid]:
    """For each accelerator a table of nodes."""
    kinds = sorted({kind for session in results.sessions for kind in session.canaries})
    return [_by_node(kind, results) for kind in kinds]


def _by_node(accelerator: str, results: Results) -> Grid:
    """A table of all canaries of each node."""
    every = canaries_of(results.sessions, accelerator)
    names = list(dict.fromkeys(name for canary in every if canary.ok for name in canary.durations))
    sessions_on, _ = measured_on(results, accelerator)
    drifted = {found.session.id: bool(found.drifted) for found in sessions_on if not found.useless}
    lines = []
    for node, sessions in by_node(results.sessions).items():
        found = canaries_of(sessions, accelerator)
        ok = [canary for canary in found if canary.ok]
        told = [drifted[session.id] for session in sessions if session.id in drifted]
        number = f"{sum(told)}" if told else NA
        numbers = (f"{len(sessions)}", number, f"{len(ok)} of {len(found)}")
        lines.append((node, *numbers, *(_readings(ok, name) for name in names)))
    caption = (
        f"The same fixed work on {accelerator} before and after each session, in ms (memory copy: "
        "GiB/s): median, lowest and highest of each node."
    )
    header = ("Node", "Sessions", f"Drifted beyond {percent(MARGIN)}", "Canaries ok", *names)
    return Grid(caption, header, tuple(lines))


def _readings(canaries: list[Canary], name: str) -> str:
    found = [found[name] for canary in canaries if name in (found := canary.durations)]
    shown = sorted(1 / time if name == "memory copy" else time for time in found)
    if not shown:
        return NA
    middle, low, high = (
        f"{value:.2f}" if name == "memory copy" else ms(value)
        for value in (median(shown), shown[0], shown[-1])
    )
    return f"{middle} ({low} to {high})"
