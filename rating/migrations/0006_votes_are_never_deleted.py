"""The database itself refuses to delete a vote or a refusal, on SQLite too."""

from django.db import migrations

from core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("rating", "0005_sound_fetches_and_bytes")]
    operations = [append_only("rating_vote"), append_only("rating_refusal")]
