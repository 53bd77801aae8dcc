// The sentences a visit's page shows; listening/texts.py holds and translates them.

export interface Texts {
  saved: string;
  saved_at: string;
  saving: string;
  kept: string;
  not_saved: string;
  trouble_kept: string;
  trouble_session: string;
  trouble_storage: string;
  trouble_refused: string;
  trouble_rejected: string;
  copied: string;
  where: string;
  play: string;
  play_again: string;
  loading: string;
  loading_again: string;
  press_play: string;
  playing: string;
  opens_later: string;
  rate_now: string;
  stopped: string;
  voided: string;
  no_sound: string;
  blocking: string;
  conflict: string;
  moved_on: string;
  refused: string;
  waiting_for_network: string;
  refused_page: string;
}
