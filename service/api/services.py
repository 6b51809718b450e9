"""The process's parts, as the views reach them."""

from typing import cast

from flask import Flask, current_app

from service.wiring import Services

_KEY = "pepper"


def attach(app: Flask, services: Services) -> None:
    """Give an app its parts."""
    app.extensions[_KEY] = services


def parts_of(app: Flask) -> Services:
    """The parts of an app, outside its requests."""
    return cast(Services, app.extensions[_KEY])


def current() -> Services:
    """The parts of the app that answers."""
    return cast(Services, current_app.extensions[_KEY])
