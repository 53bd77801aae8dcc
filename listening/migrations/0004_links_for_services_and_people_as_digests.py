from django.conf import settings
from django.db import migrations, models
from django.utils.crypto import salted_hmac


def digest_people(apps, schema_editor):
    """Ids that were kept as they came are replaced by what listening/arrivals.py makes of them."""
    for row in apps.get_model("listening", "Recruitment").objects.all():
        salt = f"listening.{row.service}/{row.experiment_id}"
        row.person = salted_hmac(salt, row.person, secret=settings.SECRET_KEY, algorithm="sha256").hexdigest()
        row.browser = row.person if row.service == "browser" else ""
        row.save(update_fields=["person", "browser"])


class Migration(migrations.Migration):

    dependencies = [
        ('listening', '0003_panel_groups'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='recruitment',
            name='study',
        ),
        migrations.RemoveField(
            model_name='recruitment',
            name='submission',
        ),
        migrations.AddField(
            model_name='recruitment',
            name='browser',
            field=models.CharField(default='', max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='recruitment',
            name='address',
            field=models.CharField(blank=True, default='', max_length=64),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='invitation',
            name='service',
            field=models.CharField(blank=True, choices=[('prolific', 'Prolific')], default='', max_length=20),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('service', ''), models.Q(('many', True), ('service__in', ['prolific'])), _connector='OR'), name='invitation_service_known'),
        ),
        migrations.RunPython(digest_people, migrations.RunPython.noop),
    ]
