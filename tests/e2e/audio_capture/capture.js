// Recorder inside the page: keeps what leaves every audio clock, frame by frame, and what is shown meanwhile.
// It runs before the page's own scripts and changes nothing of what they do.
(() => {
  const blocks = [];
  const shown = [];
  const starts = [];
  const inputs = new Map();
  let clockS = 0;
  let latencyS = 0;
  let touchedMs = 0;
  let paintedMs = 0;
  let recorders = 0;
  let watching = true;
  let stalls = 0;

  const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const clockOf = getter(BaseAudioContext, "currentTime");
  const outputLatencyOf = getter(AudioContext, "outputLatency");
  const latencyOf = (from) => outputLatencyOf.call(from) || from.baseLatency || 0;
  const { connect } = AudioNode.prototype;
  let context = null;

  // The clock runs on while a script runs, and the latency changes when the device is late: what is shown belongs to
  // what the page has read of both, not to what they are when it is shown.
  Object.defineProperty(BaseAudioContext.prototype, "currentTime", {
    configurable: true,
    get() {
      const now = clockOf.call(this);
      if (this === context) clockS = now;
      return now;
    },
  });

  Object.defineProperty(AudioContext.prototype, "outputLatency", {
    configurable: true,
    get() {
      if (this === context) latencyS = latencyOf(this);
      return outputLatencyOf.call(this);
    },
  });

  globalThis.AudioContext = class extends AudioContext {
    constructor(options) {
      super(options);
      context = this;
      const input = new GainNode(this);
      inputs.set(this, input);
      void this.audioWorklet.addModule("/static/capture_worklet.js").then(() => {
        const recorder = new AudioWorkletNode(this, "capture", { channelCount: 1, channelCountMode: "explicit" });
        recorder.port.onmessage = ({ data }) => blocks.push(data);
        connect.call(input, recorder);
        connect.call(recorder, this.destination);
        recorders += 1;
      });
    }
  };

  AudioNode.prototype.connect = function (to, ...rest) {
    if (to === this.context.destination) connect.call(this, inputs.get(this.context));
    return connect.call(this, to, ...rest);
  };

  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (when, ...rest) {
    starts.push(performance.now() + (when - clockOf.call(this.context) + latencyOf(this.context)) * 1000);
    return start.call(this, when, ...rest);
  };

  // The slider is given the exact sample, right after the figures, which have milliseconds only.
  const { set, ...slider } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  Object.defineProperty(HTMLInputElement.prototype, "value", {
    ...slider,
    set(value) {
      set.call(this, value);
      if (!watching || !context || !this.matches(".viewer__position")) return;
      const text = document.querySelector(".viewer__time").textContent;
      shown.push({ sample: Number(value), clock_s: clockS, latency_s: latencyS, text });
    },
  });

  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (...rest) {
    paintedMs = performance.now();
    return drawImage.apply(this, rest);
  };
  for (const type of ["keydown", "pointerup"])
    addEventListener(type, ({ timeStamp }) => (touchedMs = timeStamp), { capture: true });

  // A player that has to wait for a slice says so, if only for a moment, before it goes on at the very next sample.
  const countStalls = (records) => records.forEach(({ oldValue }) => (stalls += oldValue === "stalled"));
  const attribute = { attributes: true, subtree: true, attributeFilter: ["data-playing"], attributeOldValue: true };
  new MutationObserver(countStalls).observe(document, attribute);

  const packed = (samples) => {
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    let all = "";
    for (let at = 0; at < bytes.length; at += 32768) all += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(all);
  };

  globalThis.capture = {
    /** When every sound device that the page has opened runs and is recorded. */
    async opened() {
      for (let tries = 0; !recorders || recorders < inputs.size || context.state !== "running"; tries += 1) {
        if (tries > 500) throw new Error("The sound device did not open.");
        await new Promise((done) => setTimeout(done, 20));
      }
    },
    /** When the last key or click came, when the first sound after it was due and when something was painted last. */
    get times() {
      const sound = starts.find((at) => at > touchedMs) ?? null;
      return { touched_ms: touchedMs, sound_ms: sound, painted_ms: paintedMs };
    },
    /** The samples of a slice of the sound on this page, decoded in one go. */
    async decoded(start, count, rate) {
      const answer = await fetch(`slice/?start=${start}&count=${count}`);
      const lead = Number(answer.headers.get("Earmark-Lead"));
      const whole = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await answer.arrayBuffer());
      return packed(whole.getChannelData(0).subarray(lead, lead + count));
    },
    /** From here on what is shown is not noted, only what is heard. */
    lookAway() {
      watching = false;
    },
    forget() {
      watching = true;
      stalls = 0;
      blocks.length = shown.length = starts.length = 0;
    },
    /** Everything since it was told to forget; what was missed is silence. */
    take() {
      const heard = blocks.splice(0);
      const from = heard[0]?.frame ?? 0;
      const last = heard.at(-1);
      const whole = new Float32Array(last ? last.frame + last.samples.length - from : 0);
      for (const { frame, samples } of heard) whole.set(samples, frame - from);
      return { frame: from, samples: packed(whole), shown: shown.splice(0), stalls };
    },
  };
})();
