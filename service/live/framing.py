"""Frames as they go out: server-sent events or lines of JSON, and those in chunks of HTTP/1.1."""


def framed(kind: str, id_: int | str | None, body: bytes, *, is_sse: bool) -> bytes:
    """A frame's JSON as an event or as a line; with an id, clients can resume after it."""
    if not is_sse:
        return body + b"\n"
    id_line = b"" if id_ is None else f"id: {id_}\n".encode()
    return b"%sevent: %s\ndata: %s\n\n" % (id_line, kind.encode(), body)


def in_a_chunk(said: bytes) -> bytes:
    """What goes out, with the length before it (RFC 9112, 7.1)."""
    return b"%X\r\n%s\r\n" % (len(said), said)
