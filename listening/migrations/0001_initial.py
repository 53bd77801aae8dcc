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
            name='Design',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('preset', models.SlugField()),
                ('seed', models.CharField(max_length=64)),
                ('settings', models.JSONField(default=dict)),
                ('subsets', models.JSONField(default=list)),
                ('report', models.JSONField(default=dict)),
                ('sha256', models.CharField(max_length=64)),
                ('experiment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='design', to='rating.experiment')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Panel',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('group', models.CharField(blank=True, max_length=20)),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='panels', to='rating.experiment')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [
                    models.UniqueConstraint(fields=('experiment', 'number'), name='panel_number_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('number', models.PositiveIntegerField()),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='rating.experiment')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [
                    models.UniqueConstraint(fields=('experiment', 'number'), name='participant_number_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Recruitment',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('service', models.SlugField()),
                ('person', models.CharField(max_length=64)),
                ('browser', models.CharField(max_length=64)),
                ('address', models.CharField(blank=True, max_length=64)),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recruitments', to='rating.experiment')),
                ('participant', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='recruitment', to='listening.participant')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('experiment', 'service', 'person'), name='recruited_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('occupancy', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('open', 'Open'), ('taken', 'Taken'), ('finished', 'Finished'), ('abandoned', 'Abandoned')], default='open', max_length=10)),
                ('taken_at', models.DateTimeField(null=True)),
                ('leased_until', models.DateTimeField(null=True)),
                ('ballot', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='seat', to='rating.ballot')),
                ('panel', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='listening.panel')),
                ('participant', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='seat', to='listening.participant')),
            ],
            options={
                'ordering': ['panel__number', 'number', 'occupancy'],
                'constraints': [
                    models.UniqueConstraint(fields=('panel', 'number', 'occupancy'), name='seat_occupancy_once'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['open', 'taken', 'finished', 'abandoned'])), name='seat_state_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'open'), _negated=True), ('participant__isnull', True), _connector='OR'), name='seat_open_is_empty'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('many', models.BooleanField(default=False)),
                ('service', models.CharField(blank=True, choices=[('prolific', 'Prolific')], max_length=20)),
                ('token_sha256', models.CharField(max_length=64, unique=True)),
                ('expires_at', models.DateTimeField()),
                ('panel', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='listening.panel')),
                ('seat', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitation', to='listening.seat')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('expires_at__gt', models.F('created_at'))), name='invitation_expires_later'),
                    models.CheckConstraint(condition=models.Q(('many', False), ('seat__isnull', True), _connector='OR'), name='invitation_for_many_has_no_seat'),
                    models.CheckConstraint(condition=models.Q(('service', ''), models.Q(('many', True), ('service__in', ['prolific'])), _connector='OR'), name='invitation_service_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Completion',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('code', models.CharField(max_length=20, unique=True)),
                ('vote_count', models.PositiveIntegerField()),
                ('chain', models.CharField(max_length=64)),
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='completion', to='listening.seat')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SessionSettings',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ear_check', models.BooleanField(default=True)),
                ('level_check', models.BooleanField(default=True)),
                ('headphone_screen', models.CharField(choices=[('off', 'Off'), ('flag', 'Note the outcome, let everybody in')], default='off', max_length=10)),
                ('rest_s', models.PositiveSmallIntegerField(default=300)),
                ('lease_hours', models.PositiveSmallIntegerField(default=168)),
                ('stated_minutes', models.PositiveSmallIntegerField(null=True)),
                ('completion_url', models.URLField(blank=True)),
                ('experiment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='session_settings', to='rating.experiment')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('headphone_screen__in', ['off', 'flag'])), name='session_settings_screen_known'),
                    models.CheckConstraint(condition=models.Q(('rest_s__lte', 600)), name='session_settings_rest_bounded'),
                    models.CheckConstraint(condition=models.Q(('lease_hours__gte', 1)), name='session_settings_lease_positive'),
                    models.CheckConstraint(condition=models.Q(('stated_minutes__range', (1, 1440))), name='session_settings_minutes_bounded'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Visit',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_seen_at', models.DateTimeField(auto_now_add=True)),
                ('device', models.JSONField(default=dict)),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='visits', to='listening.seat')),
            ],
            options={
                'ordering': ['created_at'],
            },
        ),
        migrations.CreateModel(
            name='SetupStep',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('step', models.CharField(choices=[('ears', 'Left and right'), ('level', 'Level'), ('headphones', 'Headphones')], max_length=12)),
                ('outcome', models.JSONField()),
                ('passed', models.BooleanField()),
                ('visit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='setup_steps', to='listening.visit')),
            ],
            options={
                'ordering': ['created_at'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('step__in', ['ears', 'level', 'headphones'])), name='setup_step_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ClientReport',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('event_id', models.UUIDField(unique=True)),
                ('kind', models.CharField(choices=[('clip', 'Something went wrong with a clip'), ('device', 'The sound device changed'), ('hidden', 'The page was hidden while a clip played'), ('stall', 'The sound stalled'), ('error', 'A script failed'), ('pause', 'Paused')], max_length=10)),
                ('detail', models.JSONField(default=dict)),
                ('trial', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='rating.trial')),
                ('visit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='listening.visit')),
            ],
            options={
                'ordering': ['created_at'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('kind__in', ['clip', 'device', 'hidden', 'stall', 'error', 'pause'])), name='client_report_kind_known'),
                ],
            },
        ),
    ]
