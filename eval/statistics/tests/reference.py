"""Writes reference.json: figures by SciPy and statsmodels that the Rust tests compare with.

    python3 -m venv venv && venv/bin/pip install scipy==1.17.1 statsmodels==0.15.0
    venv/bin/python eval/statistics/tests/reference.py

Every input is in the file beside its figures, and nothing random is left open: the file comes out the same.
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
from scipy.special import betaln
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

random = np.random.default_rng(20261121)


def clustered(values, clusters):
    """Mean and cluster-robust standard error: a regression on a constant."""
    return sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster",
        cov_kwds={"groups": np.asarray(clusters), "use_correction": True, "df_correction": True},
        use_t=True,
    )


def weights_of(clusters):
    """The share of the values that each cluster has, in the order of their keys."""
    sizes = np.unique(np.asarray(clusters), return_counts=True)[1].astype(float)
    return sizes / sizes.sum(), sizes


def fitted_variance(sums, sizes, binary, p):
    """The variance of the mean over p(1 - p) that makes the clusters likeliest if p is the true mean."""
    weights, means = sizes / sizes.sum(), sums / sizes
    resolution = 0.0005
    inside = (means >= resolution) & (means <= 1 - resolution)

    def minus_likelihood(logit):
        scale = math.exp(-logit)
        a, b = p * scale, (1 - p) * scale
        if binary:
            return -stats.betabinom.logpmf(sums, sizes, a, b).sum()
        ends = [
            (means < resolution).sum() * (a * math.log(resolution) - math.log(a)),
            (means > 1 - resolution).sum() * (b * math.log(resolution) - math.log(b)),
            -(~inside).sum() * betaln(a, b),
        ]
        return -stats.beta.logpdf(means[inside], a, b).sum() - sum(ends)

    places = np.linspace(-9, 9, 181)
    best = places[np.argmin([minus_likelihood(place) for place in places])]
    found = minimize_scalar(
        minus_likelihood, bounds=(max(best - 0.2, -9), min(best + 0.2, 9)), method="bounded", options={"xatol": 1e-6}
    )
    correlation = 1 / (1 + math.exp(-found.x))
    if binary:
        return (weights**2 * (correlation + (1 - correlation) / sizes)).sum()
    return correlation * (weights**2).sum()


def draws_of(sizes):
    """How many clusters of one size these are worth."""
    return 1 / ((sizes / sizes.sum()) ** 2).sum()


def unseen(draws):
    """The upper end of the exact interval of no hit."""
    return 1 - 0.025 ** (1 / draws)


def wilson_of(share, k):
    """Wilson's interval of a share, of which k is z^2/n."""
    z = stats.norm.ppf(0.975)
    return [float(end) for end in proportion_confint(share * z**2 / k, z**2 / k, method="wilson")]


def two_kinds(sums, sizes):
    """As though only the share of the clusters above the middle were unknown."""
    means = sums / sizes
    above = means > (means.min() + means.max()) / 2
    if not above.any() or above.all():
        return [sums.sum() / sizes.sum()] * 2
    high, low = sums[above].sum() / sizes[above].sum(), sums[~above].sum() / sizes[~above].sum()
    z = stats.norm.ppf(0.975)
    return [low + (high - low) * end for end in wilson_of(sizes[above].sum() / sizes.sum(), z**2 / draws_of(sizes))]


def by_spread(sums, sizes, binary):
    """The interval of `by_spread` in `score_interval.rs`, its degrees of freedom by matrices and its ends by SciPy's root finder."""
    count, n = len(sums), sizes.sum()
    weights, mean = sizes / n, sums.sum() / n
    z = stats.norm.ppf(0.975)
    if count < 10:
        return None
    if mean == 0:
        return [0.0, unseen(draws_of(sizes))]
    if mean == 1:
        return [1 - unseen(draws_of(sizes)), 1.0]
    residuals = np.eye(count) - np.outer(np.ones(count), weights)
    form = residuals.T @ np.diag(weights**2) @ residuals
    degrees = np.trace(form) ** 2 / np.trace(form @ form)
    means = sums / sizes
    variance = means @ form @ means * (weights**2).sum() / np.trace(form)
    if variance < 1e-26 and not binary:
        return None
    t = stats.t.ppf(0.975, degrees)
    steady = stats.t.ppf(0.975, count - 1) ** 2 * means.var(ddof=1) * (weights**2).sum()
    least = min(max(t**2 * variance, steady) / (mean * (1 - mean)), t**2 * (weights**2).sum())
    if binary:
        least = max(least, z**2 / n)
    c2 = (degrees + 1) * t**2 / (degrees + t**2)

    def outside(p):
        return (mean - p) ** 2 - p * (1 - p) * max(c2 * fitted_variance(sums, sizes, binary, p), least)

    low, high = wilson_of(mean, least)
    if outside(low) < -1e-12:
        low = brentq(outside, 1e-9, low)
    if outside(high) < -1e-12:
        high = brentq(outside, high, 1 - 1e-9)
    kinds = two_kinds(sums, sizes)
    return [float(min(low, kinds[0])), float(max(high, kinds[1]))]


def score_interval(sums, sizes, binary):
    if binary and len(sums) == sizes.sum():
        if len(sums) < 2:
            return None
        return [float(end) for end in proportion_confint(round(sums.sum()), len(sums), method="beta")]
    found = by_spread(sums, sizes, binary)
    more = unseen(draws_of(sizes))
    return found and [min(found[0], 1 - more), max(found[1], more)]


def sums_of(values, clusters):
    clusters, values = np.asarray(clusters), np.asarray(values, dtype=float)
    return np.array([values[clusters == key].sum() for key in sorted(set(clusters.tolist()))])


def mean_case(name, values, clusters):
    values = np.asarray(values, dtype=float)
    count = len(set(clusters))
    return {
        "name": name,
        "values": values.tolist(),
        "clusters": list(clusters),
        "mean": float(values.mean()),
        "standard_error": float(clustered(values, clusters).bse[0]) if count > 1 else None,
        "interval": score_interval(sums_of(values, clusters), weights_of(clusters)[1], set(values) <= {0.0, 1.0}),
    }


def correlation(a, b, sizes):
    """Of two figures of the same clusters, given as sums; none where one does not vary."""
    e, f = (sums - sizes * sums.sum() / sizes.sum() for sums in (a, b))
    scale = math.sqrt((e @ e) * (f @ f))
    return e @ f / scale if scale > 0 else None


def difference_interval(first, second, clusters, binary):
    """Of wins and losses where McNemar's test fits, else as `difference_interval.rs` tells."""
    differences = second - first
    sums, sizes = sums_of(differences, clusters), weights_of(clusters)[1]
    if binary:
        return put_together(sums, sizes, True)
    if len(sums) < 10:
        return None
    if (np.abs(sums) <= 1e-12).sum() * 2 >= len(sums):
        ends = put_together(sums, sizes, False)
    else:
        found = score_interval((sums + sizes) / 2, sizes, False)
        ends = found and [2 * end - 1 for end in found]
    if ends is None:
        return None
    mean, more = sums.sum() / sizes.sum(), unseen(draws_of(sizes))
    others = [mean - more * (1 + mean), mean + more * (1 - mean)]
    runs = [sums_of(run, clusters) for run in (first, second)]
    answers = set(first) | set(second) <= {0.0, 1.0}
    rooms = []
    for run in runs:
        found = (score_interval if answers else by_spread)(run, sizes, False)
        of_run = run.sum() / sizes.sum()
        rooms.append((of_run - found[0], found[1] - of_run) if found else (1, 1))
    alike = correlation(*runs, sizes)
    if not answers and alike is not None and alike <= stats.norm.ppf(0.975) / math.sqrt(len(sums)):
        return ends
    least = max(others[0], mean - math.hypot(rooms[1][0], rooms[0][1]))
    most = min(others[1], mean + math.hypot(rooms[1][1], rooms[0][0]))
    return [float(min(ends[0], least)), float(max(ends[1], most))]


def put_together(sums, sizes, binary):
    """What clusters win and what they lose, by Zou and Donner's formulas."""
    won, lost = np.maximum(sums, 0), np.maximum(-sums, 0)
    parts = [score_interval(part, sizes, binary) for part in (won, lost)]
    if None in parts:
        return None
    (l1, u1), (l2, u2) = parts
    a, b = won.sum() / sizes.sum(), lost.sum() / sizes.sum()
    r = correlation(won, lost, sizes)
    r = -1 if r is None else r
    low = a - b - math.sqrt(max((a - l1) ** 2 + (u2 - b) ** 2 - 2 * r * (a - l1) * (u2 - b), 0))
    high = a - b + math.sqrt(max((u1 - a) ** 2 + (b - l2) ** 2 - 2 * r * (u1 - a) * (b - l2), 0))
    return [max(low, -1.0), min(high, 1.0)]


def power_case(samples, differing, level):
    """The difference that McNemar's exact test finds in 80 % of draws: all outcomes one by one."""
    wins, losses = np.meshgrid(np.arange(samples + 1), np.arange(samples + 1))
    possible = wins + losses <= samples
    wins, losses = wins[possible], losses[possible]
    p = np.minimum(2 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5), 1)
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


def paired_case(name, first, second, clusters):
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    difference = second - first
    count = len(set(clusters))
    # Of fewer clusters there is no t test.
    enough = count >= 10
    varies = enough and len(set(difference.tolist())) > 1
    fit = clustered(difference, clusters) if count > 1 else None
    error = float(fit.bse[0]) if fit else None
    case = {
        "name": name,
        "first": first.tolist(),
        "second": second.tolist(),
        "clusters": list(clusters),
        "difference": float(difference.mean()),
        "standard_error": error,
        "interval": None,
        "t_p": 1.0 if enough and not difference.any() else None,
        "wins": int((difference > 0).sum()),
        "losses": int((difference < 0).sum()),
        "ties": int((difference == 0).sum()),
        "mcnemar_p": None,
    }
    if varies:
        case["t_p"] = float(fit.pvalues[0])
        if count == len(difference):
            # One sample a cluster: the same as the textbook's paired t test.
            t = stats.ttest_rel(second, first)
            assert math.isclose(t.pvalue, case["t_p"], rel_tol=1e-9)
    binary = count == len(difference) and set(first) | set(second) <= {0.0, 1.0}
    case["interval"] = difference_interval(first, second, clusters, binary)
    if binary:
        table = [[int(((first == a) & (second == b)).sum()) for b in (0, 1)] for a in (0, 1)]
        case["mcnemar_p"] = float(mcnemar(table, exact=True).pvalue)
    return case


def pass_case(n, right):
    """Both estimators for every k, by counting every choice of k attempts."""
    outcomes = [1] * right + [0] * (n - right)
    rows = []
    for k in range(1, n + 1):
        chosen = list(itertools.combinations(outcomes, k))
        some, all_ = sum(map(any, chosen)), sum(map(all, chosen))
        rows.append([some / len(chosen), all_ / len(chosen)])
    return {"n": n, "right": right, "pass": rows}


def uneven(count, largest):
    """Cluster numbers of uneven sizes."""
    return [c for c in range(count) for _ in range(random.integers(1, largest + 1))]


def eighths(count):
    """Scores that floats hold exactly, so that ties are ties."""
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


# Samples, of which so many differ, and the level.
POWERS = [(5, 2, 0.05), (20, 0, 0.05), (20, 4, 0.05), (20, 20, 0.05), (50, 15, 0.05), (50, 15, 0.05 / 3), (200, 10, 0.05), (200, 70, 0.05)]


def mcnemars():
    for wins, losses in [(0, 0), (1, 0), (0, 5), (6, 0), (6, 1), (10, 10), (13, 25), (300, 340), (4000, 4200)]:
        yield {"wins": wins, "losses": losses, "p": float(mcnemar([[0, wins], [losses, 0]], exact=True).pvalue)}


def holms():
    for values in [[0.03], [0.01, 0.04], [0.04, 0.01, 0.03], [0.5, 0.5, 0.001, 0.02], [0.2, 0.9, 1.0], [0.01] * 4]:
        yield {"values": values, "adjusted": multipletests(values, method="holm")[1].tolist()}


with warnings.catch_warnings():
    # The t test of differences that never vary, which the figures leave out.
    warnings.simplefilter("ignore")
    reference = {
        "made_by": f"reference.py with scipy {scipy.__version__}, statsmodels {statsmodels.__version__}",
        "means": list(means()),
        "pairs": list(pairs()),
        "mcnemar": list(mcnemars()),
        "holm": list(holms()),
        "powers": [power_case(*row) for row in POWERS],
        "pass": [pass_case(n, right) for n in (1, 2, 5, 8) for right in range(n + 1)],
    }


def write(value):
    return json.dumps(value, allow_nan=False)


# One case a line.
lines = [f'  "made_by": {write(reference.pop("made_by"))}']
for name, cases in reference.items():
    rows = ",\n".join(f"    {write(case)}" for case in cases)
    lines.append(f'  "{name}": [\n{rows}\n  ]')
path = pathlib.Path(__file__).with_name("reference.json")
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
