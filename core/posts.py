"""Views of forms that stand on another page: they answer POST, and lead a GET to that page."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect

View = Callable[..., HttpResponseBase]


def posted_from(page: str, *arguments: str) -> Callable[[View], View]:
    """Answer POST only; a GET, as after a reload or a change of language, leads to the page that has the form.

    `arguments` are those of the view's address that the page's address has as well.
    """

    def wrap(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            if request.method not in {"GET", "HEAD"}:
                return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
            led: HttpResponse = redirect(page, **{name: kwargs[name] for name in arguments})
            return led

        answer.page = page  # type: ignore[attr-defined]
        return answer

    return wrap
