from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('stimuli', '0001_initial'),
    ]

    operations = [
        migrations.RenameField(
            model_name='recording',
            old_name='refusal',
            new_name='error',
        ),
    ]
