"""E-mail through Django's mail settings: whether messages leave this server, and why a message was refused."""

from smtplib import SMTPDataError, SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import EmailMessage

LONGEST_REASON = 200


def sends_mail() -> bool:
    """Whether messages leave this server: the console backend only writes them to the log."""
    return not str(settings.EMAIL_BACKEND).endswith("console.EmailBackend")


def send_message(message: EmailMessage) -> str:
    """Send a message; returns what the mail server says where it refuses the message for good, which no retry mends."""
    try:
        message.send()
    except (SMTPRecipientsRefused, SMTPDataError) as refused:
        return str(refused)[:LONGEST_REASON]
    return ""
