"""Words and signs of measure, English and German. Factors lead to seconds, bytes, metres, grams and litres."""

from collections.abc import Mapping

from review.text import word_set

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_YEAR = 365.25 * _DAY


def _table(dimension: str, units: Mapping[str, float]) -> dict[str, tuple[str, float]]:
    return {word: (dimension, factor) for words, factor in units.items() for word in words.split()}


UNITS: Mapping[str, tuple[str, float]] = {
    **_table(
        "time",
        {
            "ms millisecond milliseconds millisekunde millisekunden": 0.001,
            "s sec secs second seconds sekunde sekunden": 1.0,
            "min mins minute minutes minuten": _MINUTE,
            "h hr hrs hour hours stunde stunden": _HOUR,
            "d day days tag tage tagen": _DAY,
            "week weeks woche wochen": 7 * _DAY,
            "fortnight fortnights": 14 * _DAY,
            "month months monat monate monaten": _YEAR / 12,
            "quarter quarters quartal quartale quartalen": _YEAR / 4,
            "year years jahr jahre jahren": _YEAR,
        },
    ),
    **_table(
        "working time", {"workday workdays werktag werktage werktagen arbeitstag arbeitstage arbeitstagen": _DAY}
    ),
    **_table(
        "size",
        {
            "byte bytes": 1.0,
            "kb kilobyte kilobytes": 1e3,
            "kib kibibyte kibibytes": 2.0**10,
            "mb megabyte megabytes": 1e6,
            "mib mebibyte mebibytes": 2.0**20,
            "gb gigabyte gigabytes": 1e9,
            "gib gibibyte gibibytes": 2.0**30,
            "tb terabyte terabytes": 1e12,
        },
    ),
    **_table("percent", {"% percent prozent": 1.0}),
    **_table(
        "length",
        {
            "mm millimetre millimetres millimeter millimeters": 0.001,
            "cm centimetre centimetres centimeter centimeters zentimeter": 0.01,
            "m metre metres meter meters metern": 1.0,
            "km kilometre kilometres kilometer kilometers kilometern": 1000.0,
            "inch inches": 0.0254,
            "foot feet": 0.3048,
            "mile miles": 1609.344,
        },
    ),
    **_table(
        "mass",
        {
            "mg milligram milligrams milligramm": 0.001,
            "g gram grams gramm": 1.0,
            "kg kilo kilos kilogram kilograms kilogramm": 1000.0,
            "t tonne tonnes tonnen": 1e6,
            "lb lbs": 453.59237,
        },
    ),
    **_table("volume", {"ml millilitre millilitres milliliter milliliters": 0.001, "l litre litres liter liters": 1.0}),
    **_table("temperature", {"°c celsius": 1.0}),
}  # fmt: skip
"""Unit in lower case -> dimension and factor (a month is a twelfth of 365.25 days)."""

SIGNS: Mapping[str, str] = {"€": "eur", "$": "usd", "£": "gbp", "¥": "jpy", "₹": "inr"}
CURRENCIES: Mapping[str, str] = {
    "eur": "eur", "euro": "eur", "euros": "eur", "usd": "usd", "dollar": "usd", "dollars": "usd", "gbp": "gbp",
    "chf": "chf", "francs": "chf", "franken": "chf", "yen": "jpy", "jpy": "jpy", "sek": "sek", "nok": "nok",
    "dkk": "dkk", "pln": "pln", "inr": "inr", "rupees": "inr", "aud": "aud", "cad": "cad",
}  # fmt: skip

NUMBER_WORDS: Mapping[str, float] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "a": 1, "an": 1, "half": 0.5,
    "ein": 1, "eine": 1, "einen": 1, "einem": 1, "einer": 1, "eines": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5,
    "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14,
    "fünfzehn": 15, "sechzehn": 16, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60,
    "siebzig": 70, "achtzig": 80, "neunzig": 90, "hundert": 100, "halbe": 0.5, "halben": 0.5, "halbes": 0.5,
}  # fmt: skip
MAGNITUDES: Mapping[str, float] = {
    "k": 1e3, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "tausend": 1e3, "mio": 1e6,
    "millionen": 1e6, "mrd": 1e9,
}  # fmt: skip

QUALIFIERS: Mapping[str, bool] = {
    "full": False, "calendar": False, "consecutive": False, "whole": False, "more": False, "volle": False,
    "vollen": False, "aufeinanderfolgende": False, "working": True, "business": True, "bank": True,
}  # fmt: skip
"""What may stand between a number and its unit, and whether it makes a day a working day."""

RATE_WORDS = word_set("per a an each every pro je /")
LABELS = word_set(
    """v version step steps section page pages chapter article paragraph phase sprint figure fig table line row level
    release part item question appendix number no nr room gate terminal track grade class group team build pr issue
    ticket error code status http port rfc iso schritt abschnitt seite kapitel artikel absatz phase abbildung tabelle
    zeile stufe teil raum klasse gruppe fehler punkt §"""
)
"""Words after which a number is a name."""

ARTICLES = word_set("one a an ein eine einen einem einer eines")
"""Number words that count only before a unit: `one month`, but not `one thing`."""
DURATION_BEFORE = word_set(
    "within after for than least most about exactly every lasts is to until innerhalb binnen nach für als"
)
"""Words between which and a unit an article is a number: `within a week`, but not `once a week`."""
AHEAD = word_set("before prior ahead earlier beforehand vor vorher zuvor")
"""Words after a duration that make it a distance from a later event."""
RANGE_WORDS = frozenset({"between", "zwischen"})
YEAR_BEFORE = word_set("in since until from of year by before after seit ab im jahr bis")
MONTHS = (
    "jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    "|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?"
)
"""A pattern."""
PLURALS = word_set("people children men women teeth mice dice staff personnel data")

# Words such as `over` and `less than` name a threshold, which is one value, and bound nothing.
UPPER_BOUND = (
    "max", "maximum", "at most", "no more than", "not more than", "never more than", "must not exceed",
    "may not exceed", "not exceed",
    "not longer than", "no longer than", "no later than", "not later than",
    "höchstens", "maximal", "nicht mehr als", "nicht länger als", "spätestens",
)  # fmt: skip
LIMIT = ("up to", "bis zu")
LOWER_BOUND = (
    "at least", "no less than", "not less than", "no fewer than", "not fewer than", "minimum of", "a minimum",
    "minimum", "min", "not before", "not earlier than", "mindestens", "wenigstens", "nicht weniger als", "frühestens",
)  # fmt: skip
