"""What gunicorn loads."""

from service.api.app import create_app
from service.settings import settings_from_environment
from service.wiring import services

app = create_app(services(settings_from_environment()))
