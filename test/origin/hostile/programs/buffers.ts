import { fails, native, program, returns, runsOut, throws, timesOut } from '../program.ts'

/**
 * QuickJS does not clear memory when a growable shared buffer grows: it shows freed memory of the same sandbox. Earlier
 * runs filled their memory with the letters searched for here.
 */
const UNCLEARED = `if (typeof SharedArrayBuffer === 'undefined') return false
  const shared = new SharedArrayBuffer(8, { maxByteLength: 3e7 }); shared.grow(3e7)
  const words = new Uint32Array(shared); let at = words.length
  while (at-- > 0) if (words[at] === 0x5a5a5a5a && words[at - 1] === 0x5a5a5a5a) return true
  return false`

/** Raw memory: detached, resized, shared, and read out of bounds. */
export const buffers = [
  returns(
    'memory that is filled for the next run to find',
    'const a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(1e6).fill(0x5a)); return 1',
    1,
  ),
  returns('memory that the run before has filled', UNCLEARED, false),
  returns(
    'what a new buffer holds',
    'const a = new Uint32Array(new ArrayBuffer(3e7)); return a.every((x) => x === 0)',
    true,
  ),
  returns(
    'what new buffers of every size hold',
    'for (let n = 1; n < 2e5; n = n * 3 + 1) for (let i = 0; i < 9; i++) if (new Uint8Array(n).some(Boolean)) return n; return 0',
    0,
  ),
  returns(
    'what a resized buffer holds',
    'if (!ArrayBuffer.prototype.resize) return 0; const b = new ArrayBuffer(8, { maxByteLength: 1e6 }); b.resize(1e6); return new Uint8Array(b).some(Boolean) ? 1 : 0',
    0,
  ),
  returns(
    'a transfer to a larger size',
    'if (!ArrayBuffer.prototype.transfer) return 0; return new Uint8Array(new ArrayBuffer(8).transfer(1e6)).some(Boolean) ? 1 : 0',
    0,
  ),
  throws(
    'a view of a detached buffer',
    'const b = new ArrayBuffer(8); const a = new Uint8Array(b); if (!b.transfer) throw new TypeError("detached"); b.transfer(); a.set([1]); new Uint8Array(b)',
    /detached|out.of.bound|TypeError/i,
  ),
  returns(
    'random bytes into a detached buffer',
    'const b = new ArrayBuffer(8); const a = new Uint8Array(b); b.transfer?.(); try { crypto.getRandomValues(a) } catch {} return a.length === (b.transfer ? 0 : 8)',
    true,
  ),
  returns(
    'random bytes into a buffer that shrank',
    'if (!ArrayBuffer.prototype.resize) return 0; const b = new ArrayBuffer(64, { maxByteLength: 64 }); const a = new Uint8Array(b, 32); b.resize(8); try { crypto.getRandomValues(a) } catch {} return a.length',
    0,
  ),
  throws(
    'a view beyond its buffer',
    'new Uint32Array(new ArrayBuffer(8), 4, 2)',
    /length|range|bound|invalid/i,
  ),
  throws(
    'an offset that is not aligned',
    'new Uint32Array(new ArrayBuffer(8), 1)',
    /offset|align|invalid/i,
  ),
  throws('a length of -1', 'new Uint8Array(-1)', /length|invalid/i),
  throws('a length of 2 ** 53', 'new ArrayBuffer(2 ** 53)', /length|invalid|memory/i),
  returns(
    'writes beyond an array',
    'const a = new Uint8Array(4); a[2 ** 31] = 1; a[-1] = 1; a[4] = 1; a["1.5"] = 1; return [...a]',
    [0, 0, 0, 0],
  ),
  throws(
    'a DataView beyond its end',
    'new DataView(new ArrayBuffer(4)).getUint32(1)',
    /range|bound|offset|access/i,
  ),
  throws(
    'a DataView at 2 ** 53 - 1',
    'new DataView(new ArrayBuffer(4)).setUint8(2 ** 53 - 1, 1)',
    /range|bound|offset|access/i,
  ),
  returns(
    'a fill whose value detaches',
    'const b = new ArrayBuffer(1e5); const a = new Uint8Array(b); try { a.fill({ valueOf() { b.transfer?.(); return 7 } }) } catch {} return 1',
    1,
  ),
  returns(
    'a sort whose comparator detaches',
    'const b = new ArrayBuffer(1e4); const a = new Uint8Array(b).map((_, i) => i); try { a.sort(() => { a.buffer.transfer?.(); return 1 }) } catch {} return 1',
    1,
  ),
  returns(
    'a slice whose species is smaller',
    'const a = new Uint8Array(1000); a.constructor = { [Symbol.species]: function () { return new Uint8Array(1) } }; try { a.slice(0) } catch (e) { return e.name } return 1',
    'TypeError',
  ),
  returns(
    'a slice whose species is another buffer of the same',
    'const a = new Uint8Array([1, 2, 3, 4]); a.constructor = { [Symbol.species]: function () { return new Uint8Array(a.buffer, 1) } }; try { return [...a.slice(0, 3)].length } catch { return 3 }',
    3,
  ),
  returns(
    'a set whose source shrinks',
    'const a = new Uint8Array(8); try { a.set({ get length() { return 8 }, get 0() { a.buffer.transfer?.(); return 1 } }) } catch {} return 1',
    1,
  ),
  returns(
    'subarray of a view that changes',
    'const a = new Uint8Array(8); try { a.subarray({ valueOf() { a.buffer.transfer?.(); return 1 } }) } catch {} return 1',
    1,
  ),
  returns(
    'a shared buffer of another run',
    'return typeof SharedArrayBuffer === "undefined" || new Uint8Array(new SharedArrayBuffer(1e6)).every((x) => x === 0)',
    true,
  ),
  program(
    'Atomics.wait',
    'function main() { const a = new Int32Array(new SharedArrayBuffer(4)); return Atomics.wait(a, 0, 0) }',
    [{ fails: 'action_threw' }, { fails: 'action_timeout' }],
    { native: true },
  ),
  program(
    'Atomics.wait with a time',
    'function main() { const a = new Int32Array(new SharedArrayBuffer(4)); return Atomics.wait(a, 0, 0, 1e9) }',
    [{ fails: 'action_threw' }, { fails: 'action_timeout' }],
    { native: true },
  ),
  program(
    'Atomics.notify',
    'function main() { return Atomics.notify(new Int32Array(new SharedArrayBuffer(4)), 0, 1) }',
    [{ returns: 0 }, { fails: 'action_threw' }],
  ),
  timesOut(
    'a lock that nobody opens',
    'const a = new Int32Array(new ArrayBuffer(4)); while (a[0] === 0);',
  ),
  throws(
    'Atomics, which this engine has not',
    'Atomics.store(new Int32Array(4), 4, 1)',
    /range|bound|index|not defined/i,
  ),
  returns('a shared buffer that grows, which this engine does not clear', UNCLEARED, false),
  runsOut(
    'a resizable buffer that takes all',
    'const a = []; for (;;) { const b = new ArrayBuffer(1, { maxByteLength: 1e6 }); b.resize?.(1e6); a.push(b, new ArrayBuffer(1e6)) }',
  ),
  native(
    'a random fill without end',
    'const a = new Uint8Array(65536); for (;;) crypto.getRandomValues(a)',
  ),
  fails('a view as value', 'return { a: 1n, b: new Uint8Array(2) }', 'result_not_json', /BigInt/),
]
