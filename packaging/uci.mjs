// Lets herald.wasm obey lines of UCI, and prints what it says: node packaging/uci.mjs herald.wasm "position startpos" "go depth 10"
import { readFileSync } from "node:fs";

const [module, ...lines] = process.argv.slice(2);
const decoder = new TextDecoder(), encoder = new TextEncoder();
let memory = null;
const page = {
  say: (at, length) => console.log(decoder.decode(new Uint8Array(memory.buffer, at, length))),
  now: () => performance.now(),
};
const { exports } = (await WebAssembly.instantiate(readFileSync(module), { page })).instance;
memory = exports.memory;
for (const line of lines) {
  const bytes = encoder.encode(line), at = exports.input(bytes.length);
  if (!at) throw new RangeError("the line is too long");
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  exports.obey(bytes.length);
}
