"use strict";
// Herald in the page, as WebAssembly in a worker (the crate `browser`). It deepens until another position or the end is asked for.
//
//   const engine = new HeraldEngine(module, line => ...);   // module: ArrayBuffer
//   engine.analyse(fen);     // each line: JSON as pages/src/game_page.rs describes a PageLine
//   engine.stop();
const HeraldEngine = (() => {
  // Runs in the worker, which shares nothing with the page. A search can't be interrupted: the page ends the worker.
  function work() {
    onmessage = async ({ data: { module, fen, depth } }) => {
      let memory = null;
      const decoder = new TextDecoder();
      const page = {
        say: (at, length) => {
          const line = decoder.decode(new Uint8Array(memory.buffer, at, length));
          if (line.startsWith("{")) postMessage(JSON.parse(line));
        },
        now: () => performance.now(),
      };
      const { exports } = await WebAssembly.instantiate(module, { page });
      memory = exports.memory;
      const obey = line => {
        const bytes = new TextEncoder().encode(line), at = exports.input(bytes.length);
        if (!at) throw new RangeError("the line is too long");
        new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
        exports.obey(bytes.length);
      };
      obey("setoption name UCI_Chess960 value true");
      obey("setoption name PageLines value true");
      obey(`position fen ${fen}`);
      obey(`go depth ${depth}`);
    };
  }

  class HeraldEngine {
    constructor(bytes, onLine) {
      Object.assign(this, { bytes, onLine, worker: null });
      this.source = URL.createObjectURL(new Blob([`(${work})()`], { type: "text/javascript" }));
    }

    /** Analyses a position, given as FEN, up to a depth in plies. */
    async analyse(fen, depth = 60) {
      this.stop();
      const worker = this.worker = new Worker(this.source);
      worker.onmessage = ({ data }) => { if (this.worker === worker) this.onLine(data); };
      this.module ??= await WebAssembly.compile(this.bytes);
      worker.postMessage({ module: this.module, fen, depth });
    }

    stop() {
      this.worker?.terminate();
      this.worker = null;
    }
  }
  return HeraldEngine;
})();
