"""Intake becomes Import, and its files point to their parent."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("stimuli", "0005_clock_of_a_stimulus"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.RemoveConstraint("intakefile", "intake_path_once"),
        migrations.RemoveConstraint("intakefile", "intake_file_within_length"),
        migrations.RemoveConstraint("intake", "intake_state_known"),
        migrations.RemoveConstraint("intake", "intake_version_once"),
        migrations.RenameModel("Intake", "Import"),
        migrations.RenameModel("IntakeFile", "ImportFile"),
        migrations.RenameField("importfile", "intake", "parent"),
        migrations.AlterField(
            "import",
            "collection",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="imports", to="stimuli.collection"
            ),
        ),
        migrations.AlterField(
            "import",
            "owner",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="imports", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddConstraint(
            "import",
            models.CheckConstraint(
                condition=models.Q(
                    state__in=["receiving", "checking", "proposed", "importing", "done", "refused", "cancelled"]
                ),
                name="import_state_known",
            ),
        ),
        migrations.AddConstraint(
            "import", models.UniqueConstraint(fields=("collection", "version"), name="import_version_once")
        ),
        migrations.AddConstraint(
            "importfile", models.UniqueConstraint(fields=("parent", "path"), name="import_path_once")
        ),
        migrations.AddConstraint(
            "importfile",
            models.CheckConstraint(
                condition=models.Q(received_bytes__lte=models.F("byte_count")), name="import_file_within_length"
            ),
        ),
    ]
