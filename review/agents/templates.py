"""The prompts, which are files in `review/prompts/`. A name that a prompt uses and nobody gives is an error."""

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

# Autoescape stays off for .md: a prompt is no HTML, and quotes must be copied literally. The fence keeps data apart.
_TEMPLATES = Environment(
    loader=PackageLoader("review", "prompts"),
    undefined=StrictUndefined,
    autoescape=select_autoescape(),
    trim_blocks=True,
    lstrip_blocks=True,
)


def rendered(name: str, **values: object) -> str:
    """A prompt by its file's name without the ending."""
    return _TEMPLATES.get_template(f"{name}.md").render(**values)
