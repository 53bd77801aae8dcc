"""Expected errors: a code, a status, and a message that its data fill."""

from core.errors import AppError
from core.http_errors import method_not_allowed, server_busy


def test_an_error_fills_its_message_with_its_data() -> None:
    error = method_not_allowed(method="PUT", allowed="GET")
    assert (error.code, error.status, error.retry_after_s) == ("request.method", 405, None)
    assert str(error) == "This address does not answer PUT requests; use GET."
    assert error.translate(lambda _: "Utilisez {allowed}, non {method}.") == "Utilisez GET, non PUT."


def test_data_may_have_the_names_of_the_parameters() -> None:
    error = AppError("test.names", 409, "{code} {status} {message}", code=1, status=2, message=3)
    assert str(error) == "1 2 3"
    assert error.data == {"code": 1, "status": 2, "message": 3}


def test_when_to_try_again_is_no_part_of_the_data() -> None:
    assert (server_busy().retry_after_s, server_busy().data) == (5, {})
