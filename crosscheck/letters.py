"""The letters that drawings can have: matplotlib draws with installed fonts alone, and warns of what they have not."""

from functools import cache

# After the one that is always there, fonts of the usual systems for letters that it has not.
_FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK JP",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "WenQuanYi Zen Hei",
    "Arial Unicode MS",
)


def families() -> tuple[str, ...]:
    """The installed ones of the fonts."""
    return tuple(_letters())


def drawable(text: str) -> str:
    """With a box for each letter that no installed font has."""
    return "".join(
        sign if sign == "\n" or any(ord(sign) in has for has in _letters().values()) else "□" for sign in text
    )


@cache
def _letters() -> dict[str, frozenset[int]]:
    """The letters of each."""
    from matplotlib.font_manager import findfont, fontManager, get_font

    there = [name for name in _FONTS if name in fontManager.get_font_names()]
    return {name: frozenset(get_font(findfont(name)).get_charmap()) for name in there}
