"""Jobs wait in one of three queues, and those that failed for good say so."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("core", "0004_audit_log_is_chained")]

    operations = [
        migrations.RemoveIndex(model_name="job", name="job_due"),
        migrations.RemoveConstraint(model_name="job", name="job_state_known"),
        migrations.RenameField(model_name="job", old_name="priority", new_name="queue"),
        migrations.AlterField(
            model_name="job",
            name="queue",
            field=models.PositiveSmallIntegerField(
                choices=[(0, "interactive"), (1, "results"), (2, "bulk")], default=2
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="state",
            field=models.CharField(
                choices=[("queued", "Waiting"), ("running", "Running"), ("done", "Done"), ("failed", "Failed")],
                default="queued",
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "done", "failed"])), name="job_state_known"
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(fields=["state", "queue", "not_before", "created_at"], name="job_due"),
        ),
    ]
