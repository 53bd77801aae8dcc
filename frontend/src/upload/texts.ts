// The sentences of the page that sends files; stimuli/upload_texts.py holds and translates them.

export interface Texts {
  state_waiting: string;
  state_sending: string;
  state_retrying: string;
  state_paused: string;
  state_done: string;
  state_absent: string;
  state_failed: string;
  and_more: string;
  pause: string;
  resume: string;
  remove: string;
  announcing: string;
  reading: string;
  ignored: string;
  total: string;
  speed: string;
  left: string;
  seconds: string;
  minutes: string;
  hours: string;
  said_progress: string;
  said_arrived: string;
  said_paused: string;
  said_resumed: string;
  trouble_network: string;
  trouble_session: string;
  trouble_disk: string;
  trouble_gone: string;
  trouble_absent: string;
  trouble_unreadable: string;
  trouble_changed: string;
  trouble_nothing: string;
  trouble_unknown: string;
}
