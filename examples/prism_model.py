"""Learn what five runs in a PRISM model were after: `pip install "demospec[storm]"`.

python examples/prism_model.py
"""

from pathlib import Path

import demospec

MODEL = Path(__file__).parent / "models" / "grid.prism"


def main() -> demospec.Result:
    """Build the model with Storm, draw five runs of an agent with a task, and learn the task from them."""
    world = demospec.from_prism(MODEL, episode=demospec.Episode(horizon=12), labels=["goal", "dock", "wet"])
    print(world.origin)
    agent = demospec.Fixed(100)
    truth = demospec.load_task("reach goal; never wet", world.letters)
    runs = demospec.sample(demospec.Problem.of(world, agent=agent), truth, count=5, seed=0)
    result = demospec.learn(demospec.Problem.of(world, runs, agent=agent, code="words"), seed=0)
    print(f"found: {result.best.task}; shown: {truth}")
    return result


if __name__ == "__main__":
    main()
