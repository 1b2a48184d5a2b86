import { program, returns, throws } from '../program.ts'

/** A run has one end: later results, errors and output change nothing. */
export const endings = [
  returns(
    'a thenable that answers again and again',
    'return { then(done) { for (let i = 1; i < 1000; i++) done(i) } }',
    1,
  ),
  returns(
    'a thenable that keeps the resolver',
    'return { then(done) { globalThis.done = done; done(1); setTimeout(() => done(2), 1) } }',
    1,
  ),
  returns(
    'a then that is replaced and calls twice',
    'const then = Promise.prototype.then; Promise.prototype.then = function (a, b) { return then.call(this, (v) => { a?.(v); a?.(v); return v }, b) }; return new (class extends Promise {})((done) => done(1))',
    1,
  ),
  returns(
    'a result that throws when it is read again',
    'let n = 0; return { toJSON() { if (n++) throw new Error("again"); return 1 } }',
    1,
  ),
  throws('an error after a value', 'return { toJSON() { throw new Error("mine") } }', /^mine$/),
  throws(
    'an error that throws again while it is read',
    'throw { get message() { throw new Error("again") } }',
    /no Error|cannot/,
  ),
  throws(
    'a second error in a job',
    'Promise.resolve().then(() => { throw new Error("second") }); throw new Error("first")',
    /^first$/,
  ),
  throws(
    'an error in a timer and a value later',
    'setTimeout(() => { throw new Error("mine") }, 5); return new Promise((done) => setTimeout(done, 30, 1))',
    /^mine$/,
  ),
  throws(
    'two errors in two timers',
    'setTimeout(() => { throw new Error("first") }, 5); setTimeout(() => { throw new Error("second") }, 6); await new Promise((done) => setTimeout(done, 60))',
    /^first$/,
  ),
  throws(
    'a toJSON that throws in a timer too',
    'setTimeout(() => { throw new Error("first") }, 1); await new Promise((done) => setTimeout(done, 40)); return { toJSON() { throw new Error("second") } }',
    /^first$/,
  ),
  program(
    'main is called again by the action',
    'let n = 0; async function main(p) { n++; if (n === 1) { main(p); main(p) } return n }',
    { returns: 3 },
  ),
  program(
    'an error before main and main as well',
    'setTimeout(() => {}, 1); throw new Error("early"); function main() { return 1 }',
    { fails: 'action_threw', says: /early/ },
  ),
  program(
    'a value while a key operation is open',
    'async function main() { Svc.Actions.getPrivateKey({ pkpId: "x" }); return 1 }',
    { returns: 1 },
  ),
]
