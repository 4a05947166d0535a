"""What stands on the pages of the situations."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Written:
    """A page that is there, and indexed, before anything happens."""

    id: str
    title: str
    text: str
    parent: str | None = None
    groups: tuple[str, ...] = ()


FEE = "The fee for a bicycle is TBD."
BICYCLES = f"# Bicycles on board\n\nA bicycle is booked together with the ticket.\n\n{FEE}\n"
"""With one thing to settle."""
SETTLED = "# Bicycles on board\n\nA bicycle is booked together with the ticket.\n"

LOCKS = (
    "# Sign-in of crews\n\n"
    "An account is locked after 6 failed sign-in attempts in a row.\n\n"
    "The text of the message is TBD.\n"
)

CHILDREN = (
    Written("7810", "Kennels", "# Kennels\n\nA dog in a kennel is booked 12 hours before departure at the latest.\n"),
    Written(
        "7811",
        "Kennels: how it works",
        "# Kennels: how it works\n\nA dog in a kennel must be booked 24 hours before departure at the latest.\n",
        "7810",
    ),
    Written(
        "7812",
        "Kennels: what it earns",
        "# Kennels: what it earns\n\nThe Brackwater margin on a kennel is 31 euros.\n",
        "7810",
        groups=("leadership",),
    ),
)

SIX = "An account is locked after 6 failed sign-in attempts in a row."
NAMED = f"{SIX} BKG-142 builds it.\n"
NAMED_HIDDEN = "The tablet asks for the booking number, see GATE-66.\n"
"""A ticket that only the security team sees."""
LINKED = (
    "See [Kennels: how it works](page:7811). A dog in a kennel is booked 36 hours before departure at the latest.\n"
)
KEPT = "# Bicycles on board\n\nA bicycle is kept for at most 7 days. A tandem is kept for at most 3 days.\n"
_THINGS = ("bicycle", "tandem", "scooter", "kayak", "trailer", "pushchair", "surfboard", "ladder", "piano", "tent")
MANY = "\n\n".join(
    f"A {thing} is kept for at most {days} days {'& ' * 100}and its papers are stored for at least {days + 20} hours."
    for days, thing in enumerate(_THINGS, 3)
)
"""So many limits, in such long sentences, that the cases drafted from them do not fit into one comment."""
