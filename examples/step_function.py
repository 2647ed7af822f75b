"""A world told by a function: a key in the cellar, and a street to bring it to."""

import demospec

State = tuple[str, bool]  # the room, and whether the key is held
START: State = ("hall", False)


def step(state: State, action: str) -> dict[State, float] | None:
    """Return where an action leads; nothing where it is not available."""
    match action, *state:
        case "grab", "cellar", False:
            return {("cellar", True): 0.8, ("cellar", False): 0.2}
        case "walk", "cellar" | "hall" as room, key:
            return {("hall" if room == "cellar" else "cellar", key): 1.0}
        case "leave", "hall", key:
            return {("street", key): 1.0}
    return None


world = demospec.from_function(
    step, START, actions=["walk", "grab", "leave"],
    labels=lambda state: (["key"] if state[1] else []) + (["out"] if state[0] == "street" else []),
    episode=demospec.Episode(horizon=8),
)  # fmt: skip
task = demospec.DFA.parse(">0: key&out→1 | *1:", world.letters)
agent = demospec.policy(demospec.Problem.of(world), task, rationality=100)
print(f"{world.origin}; brought out: {agent.satisfaction():.2f}")
