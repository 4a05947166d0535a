"""Every target by its name."""

from tests.fuzz import files, models, sources, surfaces
from tests.fuzz.target import Target

TARGETS: dict[str, Target] = {
    target.name: target for part in (surfaces, files, sources, models) for target in part.TARGETS
}
