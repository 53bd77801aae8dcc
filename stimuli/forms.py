"""What an experimenter fills in about a collection."""

from django import forms
from django.utils.translation import gettext_lazy as _

from core.forms import RefusingForm
from stimuli.services import levels
from stimuli.sound.targets import PRESETS


class CollectionForm(RefusingForm):
    title = forms.CharField(label=_("Title"), max_length=200, help_text=_("Only you and your colleagues see it."))
    slug = forms.SlugField(
        label=_("Short name"), max_length=50, help_text=_("For addresses: letters, digits, hyphens.")
    )


class LevelForm(RefusingForm):
    target_lufs = forms.FloatField(
        label=_("Loudness in LUFS"),
        min_value=levels.LOWEST_LUFS,
        max_value=levels.HIGHEST_LUFS,
        help_text=_("-30 as in CHiME-7 UDASE, -26 as usual for speech tests, -23 as in EBU R 128."),
        widget=forms.NumberInput(attrs={"step": "0.1", "list": "level-presets"}),
    )
    title = forms.CharField(label=_("Title of the copy"), max_length=200)
    slug = forms.SlugField(label=_("Short name of the copy"), max_length=50)

    @staticmethod
    def proposal(slug: str, title: str) -> dict[str, object]:
        """The first preset, and names that say so."""
        target = PRESETS[0].target_lufs
        return {
            "target_lufs": target,
            "title": f"{title} ({target:g} LUFS)",
            "slug": f"{slug[:40]}-{abs(target):g}lufs",
        }
