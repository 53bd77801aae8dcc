import django.db.models.deletion
import django.utils.timezone
import rating.models
import uuid
from django.conf import settings
from django.db import migrations, models

from core.append_only import append_only

# A vote may go when its experiment has been in the bin for 30 days (rating.services.disposal), and not before.
PAST_BIN = """
EXISTS (SELECT 1 FROM rating_ballot JOIN rating_experiment ON rating_experiment.id = rating_ballot.experiment_id
WHERE rating_ballot.id = OLD.ballot_id AND rating_experiment.deleted_at < {limit})
"""
DELETABLE = {
    "postgresql": PAST_BIN.format(limit="now() - interval '30 days'"),
    "sqlite": PAST_BIN.format(limit="datetime('now', '-30 days')"),
}


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('stimuli', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Collaborator',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('role', models.CharField(choices=[('editor', 'Editor'), ('viewer', 'Viewer')], max_length=10)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Experiment',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('slug', models.SlugField(unique=True)),
                ('title', models.CharField(max_length=200)),
                ('protocol', models.SlugField()),
                ('label_set', models.CharField(max_length=100)),
                ('language', models.CharField(default='en', max_length=10)),
                ('options', models.JSONField(default=dict)),
                ('checks', models.JSONField(default=dict)),
                ('consent_text', models.TextField()),
                ('instructions', models.TextField(blank=True)),
                ('debrief', models.TextField(blank=True)),
                ('contact', models.CharField(blank=True, max_length=200)),
                ('questions', models.JSONField(default=list)),
                ('seed', models.CharField(max_length=64)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('live', 'Live'), ('paused', 'Paused'), ('closed', 'Closed')], default='draft', max_length=10)),
                ('layout_sha256', models.CharField(blank=True, max_length=64)),
                ('design_sha256', models.CharField(blank=True, max_length=64)),
                ('analysis_plan', models.JSONField(default=dict)),
                ('unblinded_at', models.DateTimeField(null=True)),
                ('archived_at', models.DateTimeField(null=True)),
                ('deleted_at', models.DateTimeField(null=True)),
                ('origin', models.JSONField(default=dict)),
                ('unadapted_texts', models.JSONField(default=dict)),
                ('is_simulation', models.BooleanField(default=False)),
                ('collaborators', models.ManyToManyField(blank=True, related_name='shared_experiments', through='rating.Collaborator', to=settings.AUTH_USER_MODEL)),
                ('collection', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='experiments', to='stimuli.collection')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='experiments', to=settings.AUTH_USER_MODEL)),
                ('simulation_of', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='simulations', to='rating.experiment')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.AddField(
            model_name='collaborator',
            name='experiment',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shares', to='rating.experiment'),
        ),
        migrations.CreateModel(
            name='OwnLabelSet',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('protocol', models.SlugField()),
                ('name', models.CharField(max_length=100, unique=True)),
                ('language', models.CharField(max_length=10)),
                ('status', models.CharField(choices=[('draft', 'Draft'), ('reviewed', 'Approved')], default='draft', max_length=10)),
                ('based_on', models.CharField(max_length=100)),
                ('scales', models.JSONField()),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_label_sets', to='rating.experiment')),
            ],
            options={
                'ordering': ['created_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['draft', 'reviewed'])), name='own_label_set_status_known')],
            },
        ),
        migrations.CreateModel(
            name='Ballot',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('kind', models.CharField(choices=[('main', 'Main'), ('simulated', 'Simulated'), ('preview', 'Preview'), ('rehearsal', 'Rehearsal')], default='main', max_length=10)),
                ('seed', models.CharField(max_length=100)),
                ('plan_sha256', models.CharField(max_length=64)),
                ('salt', models.CharField(default=rating.models.new_salt, max_length=64)),
                ('chain', models.CharField(blank=True, max_length=64)),
                ('vote_count', models.PositiveIntegerField(default=0)),
                ('vote_bytes', models.PositiveBigIntegerField(default=0)),
                ('closed_at', models.DateTimeField(null=True)),
                ('abandoned_at', models.DateTimeField(null=True)),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ballots', to='rating.experiment')),
            ],
        ),
        migrations.CreateModel(
            name='RejectedVote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event_id', models.UUIDField()),
                ('body', models.JSONField()),
                ('body_sha256', models.CharField(max_length=64)),
                ('code', models.CharField(max_length=50)),
                ('sentence', models.TextField()),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('ballot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rejected_votes', to='rating.ballot')),
            ],
        ),
        migrations.CreateModel(
            name='Slot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=20)),
                ('media', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('stimulus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='stimuli.stimulus')),
            ],
            options={
                'ordering': ['key'],
            },
        ),
        migrations.CreateModel(
            name='SoundFetch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visit', models.UUIDField()),
                ('first_at', models.DateTimeField()),
                ('last_at', models.DateTimeField()),
                ('slot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fetches', to='rating.slot')),
            ],
        ),
        migrations.CreateModel(
            name='TextVersion',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('title', models.CharField(max_length=200)),
                ('consent_text', models.TextField()),
                ('instructions', models.TextField(blank=True)),
                ('debrief', models.TextField(blank=True)),
                ('contact', models.CharField(blank=True, max_length=200)),
                ('published_at', models.DateTimeField(null=True)),
                ('reason', models.TextField(blank=True)),
                ('design_sha256', models.CharField(blank=True, max_length=64)),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='text_versions', to='rating.experiment')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('text_sha256', models.CharField(max_length=64)),
                ('language', models.CharField(max_length=10)),
                ('ballot', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='consent', to='rating.ballot')),
                ('text_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='rating.textversion')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Trial',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('position', models.PositiveIntegerField()),
                ('session', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(max_length=10)),
                ('ask', models.JSONField()),
                ('detail', models.JSONField(default=dict)),
                ('planned_s', models.FloatField(default=0)),
                ('postponed', models.PositiveSmallIntegerField(default=0)),
                ('skipped_at', models.DateTimeField(null=True)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('answered', models.BooleanField(default=False)),
                ('ballot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trials', to='rating.ballot')),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.AddField(
            model_name='slot',
            name='trial',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='rating.trial'),
        ),
        migrations.CreateModel(
            name='Vote',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('event_id', models.UUIDField()),
                ('outcome', models.CharField(choices=[('accepted', 'Accepted'), ('conflict', 'Conflict')], max_length=10)),
                ('revision', models.PositiveIntegerField(null=True)),
                ('payload', models.JSONField()),
                ('heard', models.JSONField(default=dict)),
                ('client', models.JSONField(default=dict)),
                ('flags', models.JSONField(default=list)),
                ('body_hmac', models.CharField(max_length=64)),
                ('seal', models.CharField(max_length=64)),
                ('protocol', models.SlugField()),
                ('protocol_version', models.CharField(max_length=20)),
                ('label_set', models.CharField(max_length=100)),
                ('label_set_sha256', models.CharField(max_length=64)),
                ('chain', models.CharField(max_length=64)),
                ('received_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('ballot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='rating.ballot')),
                ('consent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='rating.consent')),
                ('trial', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='rating.trial')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddField(
            model_name='trial',
            name='current_vote',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='current_for', to='rating.vote'),
        ),
        migrations.CreateModel(
            name='Score',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scale', models.CharField(max_length=20)),
                ('value', models.FloatField()),
                ('slot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='rating.slot')),
                ('vote', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='rating.vote')),
            ],
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'live', 'paused', 'closed'])), name='experiment_state_known'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'draft'), models.Q(('design_sha256', ''), _negated=True), _connector='OR'), name='experiment_frozen'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('is_simulation', False), ('state', 'closed'), _connector='OR'), name='experiment_simulation_closed'),
        ),
        migrations.AddConstraint(
            model_name='collaborator',
            constraint=models.UniqueConstraint(fields=('experiment', 'user'), name='collaborator_once'),
        ),
        migrations.AddConstraint(
            model_name='collaborator',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['editor', 'viewer'])), name='collaborator_role_known'),
        ),
        migrations.AddConstraint(
            model_name='ballot',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['main', 'simulated', 'preview', 'rehearsal'])), name='ballot_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='rejectedvote',
            constraint=models.UniqueConstraint(fields=('event_id', 'body_sha256'), name='rejected_vote_once'),
        ),
        migrations.AddConstraint(
            model_name='soundfetch',
            constraint=models.UniqueConstraint(fields=('slot', 'visit'), name='sound_fetch_once'),
        ),
        migrations.AddConstraint(
            model_name='textversion',
            constraint=models.UniqueConstraint(fields=('experiment', 'number'), name='text_version_number_once'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.UniqueConstraint(fields=('trial', 'key'), name='slot_key_once'),
        ),
        migrations.AddConstraint(
            model_name='vote',
            constraint=models.UniqueConstraint(fields=('event_id',), name='vote_event_once'),
        ),
        migrations.AddConstraint(
            model_name='vote',
            constraint=models.UniqueConstraint(fields=('trial', 'revision'), name='vote_revision_once'),
        ),
        migrations.AddConstraint(
            model_name='vote',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'accepted'), ('revision__gte', 1)), models.Q(('outcome', 'conflict'), ('revision__isnull', True)), _connector='OR'), name='vote_accepted_has_revision'),
        ),
        migrations.AddConstraint(
            model_name='trial',
            constraint=models.UniqueConstraint(fields=('ballot', 'position'), name='trial_position_once'),
        ),
        migrations.AddConstraint(
            model_name='trial',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['practice', 'test', 'trap', 'gold', 'repeat'])), name='trial_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='trial',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('answered', False), ('current_vote__isnull', True), ('revision', 0)), models.Q(('current_vote__isnull', False), ('revision__gt', 0)), _connector='OR'), name='trial_answered_has_vote'),
        ),
        migrations.AddConstraint(
            model_name='score',
            constraint=models.UniqueConstraint(fields=('vote', 'slot', 'scale'), name='score_once'),
        ),
        append_only('rating_vote', deletable=DELETABLE),
        append_only('rating_rejectedvote', deletable=DELETABLE),
    ]
