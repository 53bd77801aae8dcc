"""Configurations in the shape of webMUSHRA's published examples, with texts of our own."""

# One page of each kind, groups in random order, and a questionnaire at the end.
EVERY_KIND = """
testname: Every kind of page
testId: every_kind
bufferSize: 2048
stopOnErrors: true
showButtonPreviousPage: true
language: de
remoteService: service/write.php

pages:
 - type: generic
   id: welcome
   name: Welcome
   content: <p>Thank you for <b>coming</b>.</p><p>Please use headphones.</p>
   questionnaire:
     - type: likert
       name: experience
       label: How often do you listen?
       response:
         - {value: never, label: Never}
         - {value: often, label: Often}
 - type: volume
   id: vol
   name: Level
   content: Set the level.
   stimulus: sounds/speech_ref.wav
   defaultVolume: 0.5
 -
  - random
  - type: paired_comparison
    id: pair
    name: Pair
    unforced:
    content: Which one is the reference?
    showWaveform: true
    enableLooping: false
    reference: sounds/speech_ref.wav
    stimuli:
     C1: sounds/speech_c1.wav
     C2: sounds/speech_c2.wav
  - type: paired_comparison
    id: pair
    name: Pair with a third answer
    unforced: I cannot tell
    reference: sounds/music_ref.wav
    stimuli:
     C1: sounds/music_c1.wav
 - type: bs1116
   id: triple
   name: BS.1116
   reference: sounds/speech_ref.wav
   stimuli:
     C1: sounds/speech_c1.wav
 - type: mushra
   id: many
   name: MUSHRA
   reference: sounds/speech_ref.wav
   createAnchor35: true
   stimuli:
     C1: sounds/speech_c1.wav
 - type: generic
   id: later
   name: Nearly done
   content: One more page.
 - type: finish
   name: Thank you
   content: Thank you!
   popupContent: Goodbye.
   showResults: true
   writeResults: true
   questionnaire:
       - type: text
         label: eMail
         name: email
         optional: true
       - type: number
         label: Age
         name: age
         min: 0
         max: 100
       - {type: slider, label: How tired are you?, name: tired, min: 0, max: 6, left: fresh, right: exhausted}
       - {type: long_text, label: Remarks, name: remarks}
       - {type: likert, label: Side, name: side, response: [{value: left, label: Left}]}
       - {type: drawing, label: Draw it, name: drawing}
"""

# One clip a page, rated on the five words of absolute category rating.
OPINIONS = """
testname: How good is it?
testId: opinions
remoteService: service/write.php
pages:
  - type: generic
    id: first
    name: Instructions
    content: "Listen and rate.<ul><li>First listen</li><li>Then rate</li></ul>"
  -
    - random
    - type: likert_single_stimulus
      id: sentence1
      name: Sentence 1
      mustRate: true
      mustPlayback: ended
      stimuli:
        A: sounds/speech_c1.wav
        B: sounds/speech_c2.wav
      response: &none
        - {value: bad, label: Bad}
        - {value: poor, label: Poor}
        - {value: fair, label: Fair}
        - {value: good, label: Good}
        - {value: excellent, label: Excellent}
    - type: likert_single_stimulus
      id: stars
      name: Other words
      stimuli:
        A: sounds/speech_c1.wav
      response:
        - {value: not at all, label: Not at all, img: star_off.png}
        - {value: very much, label: Very much, img: star_on.png}
    - type: likert_multi_stimulus
      id: together
      name: All at once
      stimuli:
        A: sounds/speech_c1.wav
      response:
        - {value: bad, label: Bad}
  - type: finish
    name: End
    content: Done.
    writeResults: true
""".replace(" &none", "")

# What the program is named after, which Earmark has no protocol for.
MUSHRA_ONLY = """
testname: MUSHRA
testId: mushra
pages:
  - type: mushra
    id: trial1
    name: Trial
    content: Rate the basic audio quality.
    showWaveform: true
    enableLooping: true
    reference: sounds/speech_ref.wav
    createAnchor35: false
    createAnchor70: false
    stimuli:
        C1: sounds/speech_c1.wav
        C2: sounds/speech_c2.wav
  - type: finish
    name: End
    content: Done.
    writeResults: true
"""

# Paired comparisons alone, with the usual pages around them.
PAIRS_ONLY = """
testname: Which one is it?
testId: pairs
bufferSize: 2048
stopOnErrors: true
showButtonPreviousPage: true
remoteService: service/write.php

pages:
  - type: generic
    id: start
    name: Before you begin
    content: Two sounds are compared with a third one.
  - type: volume
    id: level
    name: Level
    content: Choose a level at which you hear everything.
    stimulus: sounds/speech_ref.wav
    defaultVolume: 1.0
  -
    - random
    - type: paired_comparison
      id: speech
      name: Speech
      unforced:
      content: Which of the two is the reference?
      showWaveform: false
      enableLooping: true
      reference: sounds/speech_ref.wav
      stimuli:
        low: sounds/speech_c1.wav
        high: sounds/speech_c2.wav
    - type: paired_comparison
      id: music
      name: Music
      unforced:
      content: Which of the two is the reference?
      showWaveform: false
      enableLooping: true
      reference: sounds/music_ref.wav
      stimuli:
        low: sounds/music_c1.wav
        high: sounds/music_c2.wav
  - type: finish
    name: The end
    content: That was all.
    showResults: false
    writeResults: true
"""
