// What the server says is to be checked before the first clip.

export interface ScreeningStep {
  step: "ears" | "headphones";
  screening: string;
  choices: string[];
  sounds: string[];
  duration_s: number;
  again: boolean;
}

export interface LevelStep {
  step: "level";
  clips: { url: string; duration_s: number }[];
  level_db: number;
}

export type SetupStep = ScreeningStep | LevelStep;

export interface SetupState {
  steps: SetupStep[];
  /** The level that this visit was locked at last. */
  level_db: number | null;
  /** Whether the check that was just told of was passed. */
  passed?: boolean;
}

/** What is told to the server of one check. */
export type Outcome =
  | { step: "level"; level_db: number; plays: number[]; sample_rate_hz: number; output_latency_s: number }
  | { step: "ears" | "headphones"; screening: string; answers: string[] };
