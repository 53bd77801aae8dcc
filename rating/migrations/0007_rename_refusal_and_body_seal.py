"""Refusal becomes RejectedVote, and Vote.body_seal becomes body_hmac."""

import django.db.models.deletion
from django.db import migrations, models

from core.append_only import append_only

guard = append_only("rating_refusal")


class Migration(migrations.Migration):
    dependencies = [("rating", "0006_votes_are_never_deleted")]

    operations = [
        migrations.RunPython(guard.reverse_code, guard.code),
        migrations.RenameModel("Refusal", "RejectedVote"),
        migrations.AlterField(
            "rejectedvote",
            "ballot",
            models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="rejected_votes", to="rating.ballot"
            ),
        ),
        migrations.RemoveConstraint("rejectedvote", "refusal_once"),
        migrations.AddConstraint(
            "rejectedvote", models.UniqueConstraint(fields=("event_id", "body_sha256"), name="rejected_vote_once")
        ),
        migrations.RenameField("vote", "body_seal", "body_hmac"),
        append_only("rating_rejectedvote"),
        append_only("rating_vote"),
    ]
