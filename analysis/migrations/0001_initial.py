import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('rating', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='MetricTable',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('after_unblinding', models.BooleanField()),
                ('file_name', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('by', models.CharField(choices=[('file', 'File'), ('condition', 'Condition')], max_length=10)),
                ('metrics', models.JSONField()),
                ('rows', models.JSONField()),
                ('experiment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='metric_table', to='rating.experiment')),
                ('uploaded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('by__in', ['file', 'condition'])), name='metric_table_by_known')],
            },
        ),
        migrations.CreateModel(
            name='ReportPdf',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('simulated', models.BooleanField(default=False)),
                ('language', models.CharField(max_length=10)),
                ('asked_at', models.DateTimeField()),
                ('content', models.BinaryField()),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_pdfs', to='rating.experiment')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('experiment', 'simulated', 'language'), name='report_pdf_once')],
            },
        ),
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
                ('further', models.JSONField(default=dict)),
                ('complete', models.BooleanField(default=True)),
                ('computed_at', models.DateTimeField(auto_now=True)),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='results', to='rating.experiment')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('experiment', 'method', 'simulated'), name='result_once')],
            },
        ),
    ]
