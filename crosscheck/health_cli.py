"""`crosscheck health`: what the image's health check and an operator's script ask."""

import typer

from crosscheck import settings as config
from crosscheck.command_line import Json, out, print_json


def health(context: typer.Context, as_json: Json = False) -> None:
    """Ask the running service how it is; the exit code is 1 where none answers or jobs are stalled."""
    from crosscheck.errors import ServiceAnswered
    from crosscheck.owner import running
    from crosscheck.remote import Remote

    service = running(config.load(context.find_root().obj).data)
    if service is None:
        raise ServiceAnswered("The service is not running. Start it: `crosscheck serve`.")
    state = Remote(service).health()
    if as_json:
        print_json(state)
    elif state["ok"]:
        out.print("The service is well.")
    elif reason := state.get("reason"):
        out.print(reason)
    else:
        out.print(f"Stalled jobs: {', '.join(map(str, state['stalled']))}. See `crosscheck jobs`.")
    if not state["ok"]:
        raise typer.Exit(1)
