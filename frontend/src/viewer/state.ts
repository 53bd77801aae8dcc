// State of a viewer and its change events. Nothing here touches the page.
import type { Scope } from "../lib/scope.ts";
import type { PlayState } from "../player/slicePlayer.ts";
import { type Levels, USUAL_LEVELS } from "./colours.ts";
import { type Bounds, boundsOf, clampSample, clampView, sameView, type View, wholeView } from "./geometry.ts";
import type { Manifest, Range, Statistic } from "./remote.ts";

export interface Look extends Levels {
  readonly statistic: Statistic;
  /** How often the waveform is magnified. */
  readonly waveScale: number;
}

export interface Marker {
  readonly id: string;
  readonly at: number;
  readonly label: string;
  /** What it is called aloud, where the label is only a number. */
  readonly name?: string;
  readonly movable?: boolean;
  /** It has been listened to, and looks so. */
  readonly heard?: boolean;
  /** It is the one that keys and buttons of the page are about. */
  readonly chosen?: boolean;
  /** How many samples an arrow key moves it, ten times as many with Shift; unless said, what the view suggests. */
  readonly step?: number;
  /** Row of the label, from 0: labels of markers close together stand in different rows. */
  readonly lane?: number;
  /** Its label stands to the left of the line, where it does not fit to the right. */
  readonly flipped?: boolean;
  /** Only a line in the picture: it cannot be chosen, and a screen reader does not say it. */
  readonly line?: boolean;
}

export interface Region extends Range {
  readonly id: string;
  readonly label: string;
}

/** Where the pointer is over the pictures: CSS pixels from the left, and the height in the spectrogram if it is there. */
interface Pointer {
  readonly x: number;
  readonly height: number | null;
}

export type Topic =
  | "data"
  | "view"
  | "position"
  | "selection"
  | "look"
  | "options"
  | "pointer"
  | "marks"
  | "heard"
  | "playing";

export class ViewerState {
  manifest: Manifest;
  bounds: Bounds;
  view: View;
  position = 0;
  selection: Range | null = null;
  look: Look = { ...USUAL_LEVELS, statistic: "max", waveScale: 1 };
  loop = false;
  /** Whether time in the file is shown beside the clock; where there is no clock it is shown in any case. */
  fileTime = true;
  follow = true;
  pointer: Pointer | null = null;
  playing: PlayState = "idle";
  markers: readonly Marker[] = [];
  regions: readonly Region[] = [];
  /** What has been listened to, in order and without overlaps. */
  heard: readonly Range[] = [];
  readonly #listeners = new Map<Topic, Set<() => void>>();

  constructor(manifest: Manifest, width: number) {
    this.manifest = manifest;
    this.bounds = boundsOf(manifest.length_samples, manifest.sample_rate_hz);
    this.view = wholeView(width, this.bounds);
  }

  get length(): number {
    return this.manifest.length_samples;
  }

  get rate(): number {
    return this.manifest.sample_rate_hz;
  }

  get showsFileTime(): boolean {
    return this.fileTime || this.manifest.clock.length === 0;
  }

  /** How many hear of a topic, for tests that look for leaks. */
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }

  on(scope: Scope, topics: readonly Topic[], listener: () => void): void {
    for (const topic of topics) {
      const listeners = this.#listeners.get(topic) ?? new Set();
      this.#listeners.set(topic, listeners);
      // The same function may follow several viewers' topics; each subscription is its own.
      const own = () => listener();
      listeners.add(own);
      scope.own(() => listeners.delete(own));
    }
  }

  setManifest(manifest: Manifest): void {
    this.manifest = manifest;
    this.bounds = boundsOf(manifest.length_samples, manifest.sample_rate_hz);
    this.setView(clampView(this.view, this.bounds));
    this.#tell("data");
  }

  setView(view: View): void {
    if (sameView(view, this.view)) return;
    this.view = view;
    this.#tell("view");
  }

  setPosition(sample: number): void {
    const position = clampSample(sample, this.length);
    if (position === this.position) return;
    this.position = position;
    this.#tell("position");
  }

  /** Empty selections are no selection; the ends may come in any order. */
  select(one: number, other: number): void {
    const ends = [clampSample(one, this.length), clampSample(other, this.length)];
    const range = { start: Math.min(...ends), stop: Math.max(...ends) };
    const selection = range.stop > range.start ? range : null;
    if (selection?.start === this.selection?.start && selection?.stop === this.selection?.stop) return;
    this.selection = selection;
    this.#tell("selection");
  }

  setLook(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    this.#tell("look");
  }

  setOptions(change: { loop?: boolean; follow?: boolean }): void {
    this.loop = change.loop ?? this.loop;
    this.follow = change.follow ?? this.follow;
    this.#tell("options");
  }

  setPointer(pointer: Pointer | null): void {
    this.pointer = pointer;
    this.#tell("pointer");
  }

  setPlaying(playing: PlayState): void {
    if (playing === this.playing) return;
    this.playing = playing;
    this.#tell("playing");
  }

  setMarks(marks: { markers?: readonly Marker[]; regions?: readonly Region[] }): void {
    this.markers = marks.markers ?? this.markers;
    this.regions = marks.regions ?? this.regions;
    this.#tell("marks");
  }

  setHeard(heard: readonly Range[]): void {
    this.heard = heard;
    this.#tell("heard");
  }

  #tell(topic: Topic): void {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) listener();
  }
}
