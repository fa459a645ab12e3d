"""Writes reference.json: figures computed by SciPy and statsmodels for the Rust tests to
compare with.

    python3 -m venv venv && venv/bin/pip install scipy==1.17.1 statsmodels==0.15.0
    venv/bin/python eval/statistics/tests/reference.py

The file contains every input next to its figures. The random seed is fixed, so every run writes
the same file.
"""

import itertools
import json
import math
import pathlib
import warnings

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

random = np.random.default_rng(20261121)


def clustered(values, clusters):
    """Returns the mean, Bell and McCaffrey's standard error, and its degrees of freedom.
    Assumes equal variance of the clusters' means.
    """
    sums, sizes = sums_of(values, clusters), sizes_of(clusters)
    count, weights, means = len(sums), sizes / sizes.sum(), sums / sizes
    residuals = np.eye(count) - np.outer(np.ones(count), weights)
    form = residuals.T @ np.diag(weights**2) @ residuals
    if count < 2:
        return sums.sum() / sizes.sum(), None, None
    variance = (weights**2 * (residuals @ means) ** 2).sum() * (weights**2).sum() / np.trace(form)
    error = math.sqrt(variance) if variance > 1e-28 else 0.0
    if error and len(set(sizes)) == 1:
        # With clusters of equal size, a regression on a constant gives this error up to a factor.
        fit = sm.OLS(values, np.ones(len(values))).fit(
            cov_type="cluster",
            cov_kwds={"groups": np.asarray(clusters), "use_correction": False, "df_correction": True},
        )
        assert math.isclose(error, fit.bse[0] * math.sqrt(count / (count - 1)), abs_tol=1e-9)
    return weights @ means, error, np.trace(form) ** 2 / np.trace(form @ form)


def sizes_of(clusters):
    """Returns the number of values in each cluster, in the order of the keys."""
    return np.unique(np.asarray(clusters), return_counts=True)[1].astype(float)


def effective(sizes):
    """Returns the number of equally sized clusters that would carry as much information."""
    return 1 / ((sizes / sizes.sum()) ** 2).sum()


def wilson_of(share, k):
    """Returns Wilson's interval of a share, where k is z^2/n."""
    z = stats.norm.ppf(0.975)
    return [float(end) for end in proportion_confint(share * z**2 / k, z**2 / k, method="wilson")]


def score_interval(values, clusters):
    sizes = sizes_of(clusters)
    if len(sizes) < 3:
        return None
    z2 = stats.norm.ppf(0.975) ** 2
    mean, error, degrees = clustered(values, clusters)
    if len(sizes) == len(values) and set(values) <= {0.0, 1.0}:
        return wilson_of(mean, z2 / len(values))
    if error == 0:
        return wilson_of(mean, z2 / effective(sizes))
    t2 = stats.t.ppf(0.975, degrees) ** 2
    return wilson_of(mean, t2 * min(error**2 / (mean * (1 - mean)), 1 / effective(sizes)))


def tango_score(wins, losses, n, difference):
    """Returns the score statistic of a difference, with the maximum-likelihood probabilities
    under it.
    """

    def minus_likelihood(lost):
        chances = [lost + difference, lost, 1 - difference - 2 * lost]
        counts = [wins, losses, n - wins - losses]
        return -sum(c * math.log(max(p, 1e-300)) for c, p in zip(counts, chances) if c > 0)

    least, most = max(0.0, -difference), (1 - difference) / 2
    lost = minimize_scalar(minus_likelihood, bounds=(least, most), method="bounded", options={"xatol": 1e-13}).x
    lost = min([lost, least, most], key=minus_likelihood)
    variance = n * (2 * lost + difference - difference**2)
    distance = wins - losses - n * difference
    return 0.0 if distance == 0 else distance / math.sqrt(max(variance, 1e-300))


def tango_interval(wins, losses, n):
    z = stats.norm.ppf(0.975)
    middle = (wins - losses) / n

    def end(to):
        outside = lambda difference: abs(tango_score(wins, losses, n, difference)) - z
        near = to * (1 - 1e-9)
        return to if outside(near) <= 0 else brentq(outside, middle, near, xtol=1e-12)

    return [float(end(-1.0)), float(end(1.0))]


def tango_case(source, wins, losses, n):
    p = 2 * stats.norm.sf(abs(tango_score(wins, losses, n, 0.0)))
    if wins + losses:
        # McNemar's test without continuity correction.
        assert math.isclose(p, mcnemar([[0, wins], [losses, 0]], exact=False, correction=False).pvalue, rel_tol=1e-6)
    return {"source": source, "wins": wins, "losses": losses, "samples": n, "interval": tango_interval(wins, losses, n), "p": float(p)}


def sums_of(values, clusters):
    clusters, values = np.asarray(clusters), np.asarray(values, dtype=float)
    return np.array([values[clusters == key].sum() for key in sorted(set(clusters.tolist()))])


def mean_case(name, values, clusters):
    values = np.asarray(values, dtype=float)
    mean, error, _ = clustered(values, clusters)
    return {
        "name": name,
        "values": values.tolist(),
        "clusters": list(clusters),
        "mean": float(mean),
        "standard_error": error if error is None else float(error),
        "interval": score_interval(values, clusters),
    }


def power_case(samples, differing, level):
    """Returns a case with the smallest difference that the score test finds with a probability of
    80 %, summed over all outcomes.
    """
    wins, losses = np.meshgrid(np.arange(samples + 1), np.arange(samples + 1))
    possible = wins + losses <= samples
    wins, losses = wins[possible], losses[possible]
    p = 2 * stats.norm.sf(np.abs(wins - losses) / np.sqrt(np.maximum(wins + losses, 1)))
    outcomes = np.column_stack([wins, losses, samples - wins - losses])[p <= level]

    def power(size):
        rate = max(differing / samples, size)
        chances = [(rate + size) / 2, (rate - size) / 2, 1 - rate]
        return np.exp(stats.multinomial.logpmf(outcomes, samples, chances)).sum()

    found = power(1.0) >= 0.8
    return {
        "samples": samples,
        "differing": differing,
        "level": level,
        "detectable": float(brentq(lambda size: power(size) - 0.8, 1e-6, 1 - 1e-9)) if found else None,
    }


def without_spread(difference, count):
    """Returns the interval and p value of clusters that all have the same difference."""
    if difference == 0:
        return tango_interval(0, 0, count), 1.0
    low, size = tango_interval(count, 0, count)[0], abs(difference)
    ends = [size * low, min(size * (2 - low), 1.0)]
    p = 2 * stats.norm.sf(abs(tango_score(count, 0, count, 0.0)))
    return (ends if difference > 0 else [-ends[1], -ends[0]]), float(p)


def paired_case(name, first, second, clusters):
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    difference = second - first
    mean, error, degrees = clustered(difference, clusters)
    sizes = sizes_of(clusters)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    binary = len(sizes) == len(difference) and set(first) | set(second) <= {0.0, 1.0}
    interval = p = None
    if len(sizes) < 3:
        pass
    elif binary:
        case = tango_case("", wins, losses, len(difference))
        interval, p = case["interval"], case["p"]
    elif error == 0:
        interval, p = without_spread(mean, effective(sizes))
    else:
        reach = stats.t.ppf(0.975, degrees) * error
        interval = [float(max(mean - reach, -1)), float(min(mean + reach, 1))]
        p = float(2 * stats.t.sf(abs(mean / error), degrees))
        if len(sizes) == len(difference):
            # With one sample per cluster, this equals the textbook's paired t test.
            assert math.isclose(stats.ttest_rel(second, first).pvalue, p, rel_tol=1e-9)
    exact = None
    if binary:
        table = [[int(((first == a) & (second == b)).sum()) for b in (0, 1)] for a in (0, 1)]
        exact = float(mcnemar(table, exact=True).pvalue)
    return {
        "name": name,
        "first": first.tolist(),
        "second": second.tolist(),
        "clusters": list(clusters),
        "difference": float(mean),
        "standard_error": error if error is None else float(error),
        "interval": interval,
        "p": p,
        "wins": wins,
        "losses": losses,
        "ties": int((difference == 0).sum()),
        "mcnemar_p": exact,
    }


def pass_case(n, right):
    """Returns a case with pass@k and pass^k for every k, counted over all choices of k attempts."""
    outcomes = [1] * right + [0] * (n - right)
    rows = []
    for k in range(1, n + 1):
        chosen = list(itertools.combinations(outcomes, k))
        some, all_ = sum(map(any, chosen)), sum(map(all, chosen))
        rows.append([some / len(chosen), all_ / len(chosen)])
    return {"n": n, "right": right, "pass": rows}


def uneven(count, largest):
    """Returns the cluster of each value, for clusters of random sizes."""
    return [c for c in range(count) for _ in range(random.integers(1, largest + 1))]


def eighths(count):
    """Returns scores that floats represent exactly, so that ties are exact."""
    return (random.integers(0, 9, count) / 8).tolist()


def binary(count, p):
    return (random.random(count) < p).astype(float).tolist()


def means():
    for right, n in [(0, 1), (1, 1), (0, 10), (10, 10), (37, 40), (13, 20), (8, 20), (1, 1000)]:
        yield mean_case(f"{right} of {n}", [1.0] * right + [0.0] * (n - right), range(n))
    yield mean_case("fractions, one each", [0.25, 0.5, 1.0, 0.0, 0.75, 0.5], range(6))
    yield mean_case("fractions, two rounds", [0.25, 0.5, 1.0, 0.0, 0.75, 0.5] * 2, range(12))
    yield mean_case("fractions in clusters", [0.2, 0.4, 0.9, 1.0, 0.5, 0.5, 0.1], [0, 0, 1, 1, 1, 2, 3])
    yield mean_case("two attempts each", [1, 1, 1, 0, 0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    yield mean_case("attempts all alike", [1, 1, 1, 1, 0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    yield mean_case("attempts that differ on purpose", [1, 0, 1, 0, 1, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3])
    yield mean_case("all right", [1] * 10, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    yield mean_case("one cluster", [1, 1, 0, 1], [7, 7, 7, 7])
    yield mean_case("four samples", [1, 1, 0, 1], range(4))
    yield mean_case("eight samples, two attempts each", [1, 1, 0, 1] * 4, [g for g in range(8) for _ in range(2)])
    yield mean_case("all wrong, two attempts each", [0] * 24, [g for g in range(12) for _ in range(2)])
    yield mean_case("one far sample of 20", ([0] * 9 + [1]) * 19 + [1] * 6 + [0] * 4, [g for g in range(20) for _ in range(10)])
    yield mean_case("fractions all equal", [0.3] * 6, range(6))
    yield mean_case("two samples of 100", [1] * 50 + [0] * 50 + [1] * 51 + [0] * 49, [0] * 100 + [1] * 100)
    yield mean_case("few far clusters, of which none is drawn", ([0] * 20) * 8 + ([1] + [0] * 19) * 2, [g for g in range(10) for _ in range(20)])
    yield mean_case("skewed", [0.0] * 12 + [0.125, 0.125, 0.25, 0.5, 1.0], range(17))
    for count in (12, 150):
        groups = uneven(count, 5)
        yield mean_case(f"{count} uneven clusters of 0 and 1", binary(len(groups), 0.7), groups)
        yield mean_case(f"{count} uneven clusters of fractions", eighths(len(groups)), groups)


def pairs():
    yield paired_case("one sample", [0], [1], [0])
    yield paired_case("two samples", [0, 0.5], [1, 0.5], [0, 1])
    yield paired_case("never different", [0, 1, 1, 0, 1], [0, 1, 1, 0, 1], range(5))
    yield paired_case("always better", [0.0] * 8, [1.0] * 8, range(8))
    yield paired_case("always better by a half", [0.25] * 6, [0.75] * 6, range(6))
    yield paired_case("never different in pairs", [0, 1] * 12, [0, 1] * 12, [g for g in range(12) for _ in range(2)])
    yield paired_case("nearly always better by a half in pairs", [0] * 24, [0, 1] * 11 + [1, 1], [g for g in range(12) for _ in range(2)])
    yield paired_case("hard and easy fractions", [0.125] * 8 + [0.75] * 8, [0.25] * 5 + [0.125] * 3 + [1.0] * 6 + [0.75] * 2, range(16))
    yield paired_case("one cluster", [0, 0.5, 1], [0.5, 0.5, 1], [3, 3, 3])
    yield paired_case("wide", [0, 0, 1], [1, 1, 0], range(3))
    yield paired_case("20 tasks", [1] * 8 + [0] * 12, [1] * 6 + [0] * 2 + [1] * 7 + [0] * 5, range(20))
    yield paired_case("200 tasks", binary(200, 0.4), binary(200, 0.5), range(200))
    yield paired_case("fractions", eighths(40), eighths(40), range(40))
    groups = uneven(12, 6)
    yield paired_case("0 and 1 in clusters", binary(len(groups), 0.3), binary(len(groups), 0.6), groups)
    groups = uneven(30, 4)
    yield paired_case("fractions in clusters", eighths(len(groups)), eighths(len(groups)), groups)


def tangos():
    airway = "airway reactivity: M. W. Fagerland et al., Statistics in Medicine 33 (2014)"
    yield tango_case(airway, 1, 7, 21)
    lenses = "contact lenses: T. Tango, Statistics in Medicine 17 (1998)"
    yield tango_case(lenses, 0, 1, 44)
    for wins, losses, n in [(8, 0, 16), (5, 0, 20), (24, 0, 24), (0, 24, 24), (0, 0, 20), (3, 0, 3), (4, 0, 4), (1, 1, 5), (0, 3, 10), (12, 4, 50), (30, 70, 200), (400, 350, 2000)]:
        yield tango_case("computed", wins, losses, n)


# Number of samples, number of differing samples, and the level.
POWERS = [(5, 2, 0.05), (20, 0, 0.05), (20, 4, 0.05), (20, 20, 0.05), (50, 15, 0.05), (50, 15, 0.05 / 3), (200, 10, 0.05), (200, 70, 0.05)]


def mcnemars():
    for wins, losses in [(0, 0), (1, 0), (0, 5), (6, 0), (6, 1), (10, 10), (13, 25), (300, 340), (4000, 4200)]:
        yield {"wins": wins, "losses": losses, "p": float(mcnemar([[0, wins], [losses, 0]], exact=True).pvalue)}


def holms():
    for values in [[0.03], [0.01, 0.04], [0.04, 0.01, 0.03], [0.5, 0.5, 0.001, 0.02], [0.2, 0.9, 1.0], [0.01] * 4]:
        yield {"values": values, "adjusted": multipletests(values, method="holm")[1].tolist()}


with warnings.catch_warnings():
    # SciPy warns about t tests of constant differences, whose figures are not used.
    warnings.simplefilter("ignore")
    reference = {
        "made_by": f"reference.py with scipy {scipy.__version__}, statsmodels {statsmodels.__version__}",
        "means": list(means()),
        "pairs": list(pairs()),
        "tango": list(tangos()),
        "mcnemar": list(mcnemars()),
        "holm": list(holms()),
        "powers": [power_case(*row) for row in POWERS],
        "pass": [pass_case(n, right) for n in (1, 2, 5, 8) for right in range(n + 1)],
    }


def write(value):
    return json.dumps(value, allow_nan=False)


# One case per line.
lines = [f'  "made_by": {write(reference.pop("made_by"))}']
for name, cases in reference.items():
    rows = ",\n".join(f"    {write(case)}" for case in cases)
    lines.append(f'  "{name}": [\n{rows}\n  ]')
path = pathlib.Path(__file__).with_name("reference.json")
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
