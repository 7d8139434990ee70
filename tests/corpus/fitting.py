"""A logistic model of how often answers on the same grounds are right (src/diagnose/logs/confidence.h)."""

import math

from scoring import Row, is_right

PULL_TO_ZERO = 0.05  # keeps grounds that few answers have from claiming much
WRONG_COUNTS = 3  # a wrong answer that is sure of itself costs its reader more than a right one that doubts
ROUNDS = 4000
RATE = 0.5


def fitted(rows: list[Row]) -> dict:
    data = [(answer["grounds"], is_right(case, answer)) for case, answer in rows if answer]
    names = sorted({ground for grounds, _ in data for ground in grounds})
    weights, bias = dict.fromkeys(names, 0.0), 0.0
    for _ in range(ROUNDS):
        slope, bias_slope = dict.fromkeys(names, 0.0), 0.0
        for grounds, right in data:
            error = 1 / (1 + math.exp(-bias - sum(weights[ground] for ground in grounds))) - right
            error *= 1 if right else WRONG_COUNTS
            bias_slope += error
            for ground in grounds:
                slope[ground] += error
        bias -= RATE * bias_slope / len(data)
        for name in names:
            weights[name] -= RATE * (slope[name] + PULL_TO_ZERO * weights[name]) / len(data)
    return {
        "made_by": "tests/corpus/fit_confidence",
        "bias": round(bias, 2),
        "weights": {name: round(weight, 2) for name, weight in weights.items()},
    }


def with_confidence(rows: list[Row], model: dict) -> list[Row]:
    def confidence(answer: dict) -> float:
        total = model["bias"] + sum(model["weights"].get(ground, 0) for ground in answer["grounds"])
        return 1 / (1 + math.exp(-total))

    return [(case, {**answer, "confidence": confidence(answer)} if answer else {}) for case, answer in rows]


def fitted_on_the_other_half(rows: list[Row]) -> list[Row]:
    """Halves by pairs: places alternate between the parts that answers_without holds back."""
    halves = [[row for i, row in enumerate(rows) if (i // 2) % 2 == half] for half in (0, 1)]
    return with_confidence(halves[1], fitted(halves[0])) + with_confidence(halves[0], fitted(halves[1]))
