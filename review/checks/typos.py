"""Words that differ by a slip of the hand."""


def is_typo(old: str, new: str) -> bool:
    """Whether two words differ by a letter or two. Numbers, short words and other beginnings (`encrypted`,
    `unencrypted`) are never typos.
    """
    if not (old.isalpha() and new.isalpha()) or old[0] != new[0] or min(len(old), len(new)) < 4:
        return False
    allowed = 1 if min(len(old), len(new)) < 8 else 2
    return abs(len(old) - len(new)) <= allowed and len(old) < 40 and _distance(old, new) <= allowed


def _distance(one: str, other: str) -> int:
    """Edits of one letter, swaps of neighbours included (optimal string alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
