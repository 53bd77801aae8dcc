import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Collection',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('slug', models.SlugField(unique=True)),
                ('title', models.CharField(max_length=200)),
                ('version', models.PositiveIntegerField(default=0)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='collections', to=settings.AUTH_USER_MODEL)),
                ('readers', models.ManyToManyField(blank=True, related_name='readable_collections', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['title'],
            },
        ),
        migrations.CreateModel(
            name='Condition',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('name', models.CharField(max_length=200)),
                ('role', models.CharField(choices=[('test', 'Test'), ('reference', 'Reference'), ('anchor', 'Anchor'), ('full-length', 'Full length'), ('trap', 'Trap'), ('gold', 'Gold')], default='test', max_length=20)),
                ('factors', models.JSONField(default=dict)),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='conditions', to='stimuli.collection')),
            ],
            options={
                'ordering': ['name'],
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'name'), name='condition_once'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['test', 'reference', 'anchor', 'full-length', 'trap', 'gold'])), name='condition_role_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Import',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('state', models.CharField(choices=[('receiving', 'Receiving files'), ('checking', 'Checking files'), ('errors', 'Errors found'), ('proposed', 'Waiting for confirmation'), ('importing', 'Importing'), ('done', 'Imported'), ('cancelled', 'Cancelled')], default='receiving', max_length=20)),
                ('layout', models.CharField(default='auto', max_length=40)),
                ('plan', models.JSONField(default=dict)),
                ('report', models.JSONField(default=dict)),
                ('corrections', models.JSONField(default=list)),
                ('copy_lufs', models.FloatField(null=True)),
                ('version', models.PositiveIntegerField(null=True)),
                ('expires_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(null=True)),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='stimuli.collection')),
                ('copy_into', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='copied_by', to='stimuli.collection')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='imports', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['receiving', 'checking', 'errors', 'proposed', 'importing', 'done', 'cancelled'])), name='import_state_known'),
                    models.UniqueConstraint(fields=('collection', 'version'), name='import_version_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ImportFile',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('path', models.CharField(max_length=500)),
                ('byte_count', models.PositiveBigIntegerField()),
                ('received_bytes', models.PositiveBigIntegerField(default=0)),
                ('claimed_sha256', models.CharField(blank=True, max_length=64)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('parent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='stimuli.import')),
            ],
            options={
                'ordering': ['path'],
                'constraints': [
                    models.UniqueConstraint(fields=('parent', 'path'), name='import_path_once'),
                    models.CheckConstraint(condition=models.Q(('received_bytes__lte', models.F('byte_count'))), name='import_file_within_length'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('name', models.CharField(max_length=200)),
                ('factors', models.JSONField(default=dict)),
                ('excluded_at', models.DateTimeField(null=True)),
                ('excluded_reason', models.CharField(blank=True, max_length=500)),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='stimuli.collection')),
            ],
            options={
                'ordering': ['name'],
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'name'), name='item_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Recording',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('file', models.FileField(max_length=200, upload_to='recordings')),
                ('byte_count', models.PositiveBigIntegerField()),
                ('format', models.CharField(default='wav', max_length=20)),
                ('sample_rate_hz', models.PositiveIntegerField()),
                ('channels', models.PositiveSmallIntegerField()),
                ('length_samples', models.PositiveBigIntegerField()),
                ('bits', models.PositiveSmallIntegerField(default=16)),
                ('state', models.CharField(choices=[('ingesting', 'Being prepared'), ('ready', 'Ready'), ('refused', 'Refused')], default='ready', max_length=20)),
                ('measures', models.JSONField(default=dict)),
                ('outline', models.CharField(blank=True, max_length=64)),
                ('clock', models.JSONField(default=list)),
                ('error', models.TextField(blank=True)),
                ('gain_db', models.FloatField(null=True)),
                ('made_from', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='copies', to='stimuli.recording')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('length_samples__gt', 0)), name='recording_not_empty'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['ingesting', 'ready', 'refused'])), name='recording_state_known'),
                    models.CheckConstraint(condition=models.Q(('made_from__isnull', True), ('gain_db__isnull', False), _connector='OR'), name='recording_copy_has_gain'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Chunk',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('number', models.PositiveIntegerField()),
                ('recording', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='stimuli.recording')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [
                    models.UniqueConstraint(fields=('recording', 'number'), name='chunk_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Stimulus',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('text', models.JSONField(null=True)),
                ('served', models.FileField(blank=True, max_length=200, upload_to='served')),
                ('starts_at_s', models.FloatField(null=True)),
                ('clock', models.JSONField(null=True)),
                ('condition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stimuli', to='stimuli.condition')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stimuli', to='stimuli.item')),
                ('recording', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='stimuli', to='stimuli.recording')),
            ],
            options={
                'verbose_name_plural': 'stimuli',
                'ordering': ['item__name', 'condition__name'],
                'constraints': [
                    models.UniqueConstraint(fields=('item', 'condition'), name='stimulus_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('recording__isnull', False), ('text__isnull', True)), models.Q(('recording__isnull', True), ('text__isnull', False)), _connector='OR'), name='stimulus_is_sound_or_text'),
                ],
            },
        ),
        migrations.CreateModel(
            name='FormerRecording',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('version', models.PositiveIntegerField()),
                ('recording', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='stimuli.recording')),
                ('replaced_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('stimulus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='former_recordings', to='stimuli.stimulus')),
            ],
            options={
                'ordering': ['-version'],
                'constraints': [
                    models.UniqueConstraint(fields=('stimulus', 'version'), name='former_recording_once'),
                ],
            },
        ),
        migrations.AddField(
            model_name='import',
            name='stimulus',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='imports', to='stimuli.stimulus'),
        ),
    ]
