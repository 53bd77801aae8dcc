import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('rating', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Result',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('method', models.SlugField()),
                ('method_version', models.CharField(max_length=20)),
                ('simulated', models.BooleanField(default=False)),
                ('vote_count', models.PositiveIntegerField()),
                ('abandoned_count', models.PositiveIntegerField(default=0)),
                ('finished_count', models.PositiveIntegerField(default=0)),
                ('exclusion_count', models.PositiveIntegerField(default=0)),
                ('table', models.JSONField()),
                ('computed_at', models.DateTimeField(auto_now=True)),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='results', to='rating.experiment')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('experiment', 'method', 'simulated'), name='result_once')],
            },
        ),
    ]
