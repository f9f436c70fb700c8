"use strict";
// Herald in the page, as WebAssembly in a worker (the crate `browser`). It deepens until another position or the end is asked for.
//
//   const engine = new HeraldEngine(module, line => ..., fault => ...);   // module: ArrayBuffer
//   engine.analyse(fen);     // each line: JSON as pages/src/game_page.rs describes a PageLine; a fault is a text, and the end
//   engine.stop();
const HeraldEngine = (() => {
  // Runs in the worker, which shares nothing with the page. A search can't be interrupted: the page ends the worker.
  function work() {
    onmessage = async ({ data: { module, fen, depth } }) => {
      let memory = null, fault = null;
      const decoder = new TextDecoder();
      const page = {
        say: (at, length) => {
          const line = decoder.decode(new Uint8Array(memory.buffer, at, length));
          if (line.startsWith("{")) postMessage({ line: JSON.parse(line) });
          else if (line.startsWith("info string ")) fault = line.slice("info string ".length);
        },
        now: () => performance.now(),
      };
      try {
        const { exports } = await WebAssembly.instantiate(module, { page });
        memory = exports.memory;
        const options = ["setoption name UCI_Chess960 value true", "setoption name PageLines value true"];
        for (const line of [...options, `position fen ${fen}`, `go depth ${depth}`]) {
          const bytes = new TextEncoder().encode(line), at = exports.input(bytes.length);
          if (!at) throw new RangeError("the line is too long");
          new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
          exports.obey(bytes.length);
          if (fault) throw new Error(fault);
        }
      } catch (error) {
        postMessage({ fault: error.message });
      }
    };
  }

  class HeraldEngine {
    constructor(bytes, onLine, onFault) {
      Object.assign(this, { bytes, onLine, onFault, worker: null });
      this.source = URL.createObjectURL(new Blob([`(${work})()`], { type: "text/javascript" }));
    }

    /** Analyses a position, given as FEN, up to a depth in plies. */
    async analyse(fen, depth = 60) {
      this.stop();
      const worker = this.worker = new Worker(this.source);
      worker.onmessage = ({ data: { line, fault } }) => {
        if (this.worker !== worker) return;
        if (fault) this.onFault(fault);
        else this.onLine(line);
      };
      try {
        this.module ??= await WebAssembly.compile(this.bytes);
        worker.postMessage({ module: this.module, fen, depth });
      } catch (error) {
        this.onFault(error.message);
      }
    }

    stop() {
      this.worker?.terminate();
      this.worker = null;
    }
  }
  return HeraldEngine;
})();
