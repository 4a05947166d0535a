"""The files of a multipart request."""

from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import File, create_form_parser

from sandbox.wire import LARGEST_BODY, Call


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    content: bytes = field(repr=False)


def uploads(call: Call, part: str) -> list[Upload]:
    """The files that came in the parts of this name, in their order. Raises ValueError when the body is no form."""
    found: list[File] = []
    headers = {"Content-Type": call.headers.get("content-type", "").encode("latin-1")}
    try:
        parser = create_form_parser(headers, None, found.append, config={"MAX_MEMORY_FILE_SIZE": LARGEST_BODY})
        parser.write(call.body)
        parser.finalize()
    except FormParserError as e:
        raise ValueError("not a form") from e
    return [_upload(file) for file in found if file.field_name == part.encode()]


def _upload(file: File) -> Upload:
    file.file_object.seek(0)
    content = file.file_object.read()
    file.close()
    return Upload((file.file_name or b"file").decode("utf-8", "replace"), content)
