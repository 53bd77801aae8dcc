"""Each entry of the audit log carries a keyed hash over all before it; on SQLite no entry can be deleted either."""

import django.utils.timezone
from django.db import migrations, models

from core.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("core", "0003_jobs_have_priorities")]
    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seal", models.CharField(blank=True, max_length=64)),
            ],
        ),
        migrations.AddField("auditentry", "seal", models.CharField(default="", max_length=64), preserve_default=False),
        migrations.AlterField("auditentry", "at", models.DateTimeField(default=django.utils.timezone.now)),
        append_only("core_auditentry"),  # the table was rebuilt on SQLite, without its trigger
    ]
