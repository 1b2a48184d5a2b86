import { fails, program, returns, throws, timesOut } from '../program.ts'

/** Thousands of timers, endless timers, and timers with unexpected arguments. */
export const timers = [
  timesOut('timers without end', 'for (;;) await new Promise((done) => setTimeout(done, 0))'),
  timesOut(
    'a timer that sets the next',
    'const f = () => setTimeout(f, 0); f(); await new Promise(() => {})',
  ),
  timesOut(
    'a timer that does not return',
    'setTimeout(() => { for (;;); }, 1); await new Promise(() => {})',
  ),
  timesOut(
    'a thousand timers that do not return',
    'for (let i = 0; i < 1000; i++) setTimeout(() => { for (;;); }, 1); await new Promise(() => {})',
  ),
  timesOut('a timer that is set and cleared', 'for (;;) clearTimeout(setTimeout(() => {}, 1))'),
  timesOut('a timer of 2 ** 53 ms', 'await new Promise((done) => setTimeout(done, 2 ** 53))'),
  timesOut('a delay that does not return', 'setTimeout(() => {}, { valueOf() { for (;;); } })'),
  throws('one timer too many', 'for (;;) setTimeout(() => {}, 1e6)', /at most 1000 timers/),
  throws(
    'a delay that throws',
    'setTimeout(() => {}, { valueOf() { throw new Error("mine") } })',
    /mine/,
  ),
  throws('a delay that is a symbol', 'setTimeout(() => {}, Symbol())', /symbol|number/),
  throws(
    'a delay that is a BigInt',
    'setTimeout(() => {}, { [Symbol.toPrimitive]: () => ({}) })',
    /./,
  ),
  throws('text as callback', 'setTimeout("for (;;);", 1)', /expected a function|function/),
  throws(
    'a callback that throws',
    'setTimeout(() => { throw new Error("mine") }, 1); await new Promise((done) => setTimeout(done, 50))',
    /^mine$/,
  ),
  returns(
    'a callback that throws when main is over',
    'setTimeout(() => { throw new Error("mine") }, 5); return 1',
    1,
  ),
  returns(
    'ids that are no timers',
    'for (const id of [-1, 0, 1.5, NaN, 2 ** 53, "1", null, undefined, {}, []]) clearTimeout(id); return 1',
    1,
  ),
  returns(
    'delays of every kind',
    'let n = 0; for (const ms of [-1, NaN, -Infinity, undefined, null, "2", [], 0.1]) setTimeout(() => n++, ms); await new Promise((done) => setTimeout(done, 60)); return n',
    8,
  ),
  returns(
    'a timer that clears itself',
    'let n = 0; const id = setTimeout(() => { n++; clearTimeout(id) }, 1); await new Promise((done) => setTimeout(done, 30)); return n',
    1,
  ),
  returns(
    'timers that clear each other',
    'let n = 0; const a = setTimeout(() => { n++; clearTimeout(b) }, 5); const b = setTimeout(() => { n++; clearTimeout(a) }, 5); await new Promise((done) => setTimeout(done, 60)); return n',
    1,
  ),
  returns(
    'a thousand timers at one time',
    'let n = 0; for (let i = 0; i < 999; i++) setTimeout(() => n++, 3); await new Promise((done) => setTimeout(done, 60)); return n',
    999,
  ),
  returns(
    'a callback with a million arguments',
    'return new Promise((done) => setTimeout((...all) => done(all.length), 1, ...new Array(10000).fill(0)))',
    10_000,
  ),
  returns(
    'a callback that is a proxy',
    'return new Promise((done) => setTimeout(new Proxy(() => {}, { apply: () => done(1) }), 1))',
    1,
  ),
  fails(
    'a callback that never settles anything',
    'return new Promise(() => { setTimeout(() => {}, 1) })',
    'action_pending',
    /can no longer settle/,
  ),
  program(
    'a timer before main',
    'let n = 0; setTimeout(() => n++, 1); const main = () => new Promise((done) => setTimeout(() => done(n), 30))',
    { returns: 1 },
  ),
]
