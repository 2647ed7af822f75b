"""Labels of events: of a step from one state to another, such as "fell".

A state that is reached with an event is a state of its own, which has the event among its propositions and
goes on as the place does: `36 · fell` is state 36, just after a fall. Paths may name the place alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from demospec.errors import WorldError
from demospec.tasks.propositions import letter_of, propositions_of
from demospec.worlds.world import State, World, show

MARK = " · "  # between a place and what happened on the way there

Row = tuple[State, str, dict[State, float]]
Event = tuple[State, str, State]  # a state, an action, and the state that it led to
Labels = str | Iterable[str]


def propositions(label: Labels) -> tuple[str, ...]:
    """Return the propositions that a label says: a letter, or several of them."""
    return propositions_of(label) if isinstance(label, str) else tuple(label)


def after(place: State, event: Labels) -> str:
    """Name the state that is reached with an event.

    >>> after("36", "fell"), after((3, 1), ["slipped", "fell"])
    ('36 · fell', '(3, 1) · fell&slipped')
    """
    return f"{place if isinstance(place, str) else show(place)}{MARK}{letter_of(propositions(event))}"


def place_of(name: State) -> str:
    """Return the place that a state's name tells, without the event.

    >>> place_of("36 · fell"), place_of((3, 1))
    ('36', '(3, 1)')
    """
    return name.partition(MARK)[0] if isinstance(name, str) else show(name)


def reached_with_event(world: World, outcomes: Iterable[int], place: State) -> int | None:
    """Return the only outcome at a place, where a path names the place and not what happened."""
    found = [state for state in outcomes if place_of(world.name(state)) == place_of(place)]
    return found[0] if len(found) == 1 else None


def with_events(
    rows: Iterable[Row],
    labels: Mapping[State, Labels],
    terminal: Iterable[State],
    events: Mapping[Event, Labels],
    begin: Iterable[State],
) -> tuple[list[Row], dict[State, Labels], list[State], set[State]]:
    """Return rows, labels and terminal states of a world in which events are states of their own.

    And the places that are reached with an event alone: they are no states any more.
    """
    rows, ends, told = list(rows), list(terminal), dict(labels)
    possible = {(state, action, target) for state, action, outcomes in rows for target in outcomes}
    for state, action, target in events:
        if (state, action, target) not in possible:
            raise WorldError(
                f'the event of action "{action}" from state {show(state)} to {show(target)} cannot happen: '
                "there is no such outcome"
            )
        if not events[state, action, target]:
            raise WorldError(
                f'the event of action "{action}" from state {show(state)} to {show(target)} has no label'
            )
    names = {event: after(event[2], label) for event, label in events.items()}
    copies = {names[event]: (event[2], label) for event, label in events.items()}
    changed = [(state, action, dict(renamed(state, action, row, names))) for state, action, row in rows]
    by_state: dict[State, list[tuple[str, dict[State, float]]]] = {}
    for state, action, outcomes in changed:
        by_state.setdefault(state, []).append((action, outcomes))
    for name, (place, label) in copies.items():
        own = propositions(labels[place]) if place in labels else ()
        told[name] = (*own, *propositions(label))
        if place in ends:
            ends.append(name)
        changed += [(name, action, dict(outcomes)) for action, outcomes in by_state.get(place, [])]
    met = {*begin, *(one for state, _, outcomes in changed for one in (state, *outcomes))}
    gone = {place for place, _ in copies.values()} - met  # reached with an event alone
    kept = {place: label for place, label in told.items() if place not in gone}
    return changed, kept, [place for place in ends if place not in gone], gone


def renamed(
    state: State, action: str, outcomes: Mapping[State, float], names: Mapping[Event, str]
) -> Iterator[tuple[State, float]]:
    """Yield the outcomes of a row, with events in the place of those that are one."""
    for target, chance in outcomes.items():
        yield names.get((state, action, target), target), chance
