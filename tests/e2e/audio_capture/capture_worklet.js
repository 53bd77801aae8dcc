// Hands on everything that reaches it, with the number of its first frame on the audio clock.
const BLOCK = 2048;

registerProcessor(
  "capture",
  class extends AudioWorkletProcessor {
    #frame = 0;
    #block = new Float32Array(BLOCK);
    #filled = 0;

    process([input]) {
      // Chromium leaves currentFrame as it was while the page changes the graph: it may lag behind, never run ahead.
      if (currentFrame > this.#frame + this.#filled) {
        this.#send();
        this.#frame = currentFrame;
      }
      if (input[0]) this.#block.set(input[0], this.#filled);
      this.#filled += 128;
      if (this.#filled === BLOCK) this.#send();
      return true;
    }

    #send() {
      if (this.#filled) this.port.postMessage({ frame: this.#frame, samples: this.#block.subarray(0, this.#filled) });
      this.#frame += this.#filled;
      this.#block = new Float32Array(BLOCK);
      this.#filled = 0;
    }
  },
);
