"""House rules for tests: every combination, and hypothesis strategies of games."""

from itertools import product

from hypothesis import strategies as st

from service.rules.house_rules import CHOICES, OptionValue


def every_combination(players: int) -> list[dict[str, OptionValue]]:
    """Every combination of the house rules that `players` may play."""
    values: dict[str, list[OptionValue]] = {
        name: [choice.value for choice in choices] for name, choices in CHOICES.items()
    }
    values["pepper_alone"] = [False, True] if players == 4 else [False]
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def games() -> st.SearchStrategy[tuple[int, dict[str, OptionValue], int]]:
    """Number of players, house rules and a seed of the randomness."""

    def of(players: int) -> st.SearchStrategy[tuple[int, dict[str, OptionValue], int]]:
        rules = st.sampled_from(every_combination(players))
        targets = st.sampled_from([1, 3, 8])
        chosen = st.builds(lambda rule, target: {**rule, "target_score": target}, rules, targets)
        return st.tuples(st.just(players), chosen, st.integers(0, 2**32))

    return st.sampled_from([2, 3, 4]).flatmap(of)
