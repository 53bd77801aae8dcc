"""The database itself refuses to alter a vote or a refusal."""

from django.db import migrations

from core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("rating", "0001_initial")]
    operations = [append_only("rating_vote"), append_only("rating_refusal")]
