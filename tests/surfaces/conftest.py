import pytest

from sandbox.server import Sandbox
from tests.surfaces.adapters import surfaces
from tests.surfaces.bench import Bench, copied
from tests.surfaces.company import company
from tests.surfaces.program import Moved, Talking
from tests.surfaces.receiver import Receiver


@pytest.fixture(scope="package", params=surfaces(), ids=lambda surface: surface.name)
def stage(request, tmp_path_factory):
    """A surface of a company, and a data folder with an empty database."""
    receiver = Receiver()
    try:
        with Sandbox.start(company()) as box:
            surface = request.param(box, receiver)
            template = tmp_path_factory.mktemp("template") / "data"
            program = Talking(surface.settings(template), surface.secrets(), Moved())
            _ = program.database
            program.close()
            yield surface, template
    finally:
        receiver.close()


@pytest.fixture
def surface(stage):
    surface, _ = stage
    yield surface
    surface.calm()


@pytest.fixture
def bench(stage, surface, tmp_path):
    made = Bench(surface, copied(stage[1], tmp_path / "data"))
    yield made
    made.close()


@pytest.fixture
def new_bench(stage, tmp_path):
    """Further ones, each over a data folder of its own."""
    made = []

    def make():
        made.append(Bench(stage[0], copied(stage[1], tmp_path / f"data-{len(made)}")))
        return made[-1]

    yield make
    for one in made:
        one.close()
