"""Procedure becomes SessionSettings, Seat.turn becomes occupancy, and a seat that was left is abandoned."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

STATES = [("open", "Open"), ("taken", "Taken"), ("finished", "Finished"), ("abandoned", "Abandoned")]


def rename_state(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("listening", "Seat").objects.filter(state="left").update(state="abandoned")


class Migration(migrations.Migration):
    dependencies = [("listening", "0004_links_for_services_and_people_as_digests"), ("rating", "0007_rename_refusal_and_body_seal")]

    operations = [
        migrations.RemoveConstraint("procedure", "procedure_headphone_screen_known"),
        migrations.RemoveConstraint("procedure", "procedure_rest_bounded"),
        migrations.RemoveConstraint("procedure", "procedure_lease_positive"),
        migrations.RenameModel("Procedure", "SessionSettings"),
        migrations.AlterField(
            "sessionsettings",
            "experiment",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="session_settings", to="rating.experiment"
            ),
        ),
        migrations.AddConstraint(
            "sessionsettings",
            models.CheckConstraint(
                condition=models.Q(headphone_screen__in=["off", "flag"]), name="session_settings_screen_known"
            ),
        ),
        migrations.AddConstraint(
            "sessionsettings",
            models.CheckConstraint(condition=models.Q(rest_s__lte=600), name="session_settings_rest_bounded"),
        ),
        migrations.AddConstraint(
            "sessionsettings",
            models.CheckConstraint(condition=models.Q(lease_hours__gte=1), name="session_settings_lease_positive"),
        ),
        migrations.RemoveConstraint("seat", "seat_turn_once"),
        migrations.RemoveConstraint("seat", "seat_state_known"),
        migrations.RenameField("seat", "turn", "occupancy"),
        migrations.AlterModelOptions("seat", options={"ordering": ["panel__number", "number", "occupancy"]}),
        migrations.AlterField("seat", "state", models.CharField(choices=STATES, default="open", max_length=10)),
        migrations.RunPython(rename_state, migrations.RunPython.noop),
        migrations.AddConstraint(
            "seat", models.UniqueConstraint(fields=("panel", "number", "occupancy"), name="seat_occupancy_once")
        ),
        migrations.AddConstraint(
            "seat",
            models.CheckConstraint(
                condition=models.Q(state__in=["open", "taken", "finished", "abandoned"]), name="seat_state_known"
            ),
        ),
    ]
