"""Clips that were kept in the form in which they are heard go on being served so."""

from django.db import migrations


def serve(apps, schema_editor):
    Stimulus = apps.get_model("stimuli", "Stimulus")
    for stimulus in Stimulus.objects.filter(served="").select_related("recording"):
        Stimulus.objects.filter(pk=stimulus.pk).update(served=stimulus.recording.file.name)


class Migration(migrations.Migration):
    dependencies = [("stimuli", "0002_intakes_and_long_recordings")]
    operations = [migrations.RunPython(serve, migrations.RunPython.noop)]
