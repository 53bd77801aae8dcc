"""Paces of people in seconds: what the durations are estimated with that participants read before they agree.

Each is a typical value for a person who does this for the first time. Protocols add them up in `page_s`; where an
experimenter has measured better, the session settings take a duration in minutes.
"""

# From the end of a clip to the start of the next: the voting time of ITU-T P.800 listening tests, Play included.
ANSWER_S = 5.0
FURTHER_MARK_S = 3.0  # one more number about the same sound: the sound is known, the scale is read
HEARD_AGAIN = 1.25  # hearings of a sound where it may be played again: about one in four is
# Silent reading: 238 words a minute (Brysbaert, Journal of Memory and Language 109, 2019).
WORD_S = 60 / 238
TYPED_WORD_S = 60 / 40  # 40 words a minute, as most people type

# What comes before the first page.
INTRODUCTION_S = 25.0  # instructions: about 80 words, and finding Start
EAR_CHECK_S = 20.0  # three rounds of a one-second sound, a press of Play and an answer each
LEVEL_CHECK_S = 30.0  # putting headphones on, and one clip repeated while the volume is set
HEADPHONE_SCREEN_S = 60.0  # six rounds of 3.6 s, with time to think; some do the second method, too
QUESTION_S = 10.0  # one question of the questionnaire, read and answered; most are a choice of one
