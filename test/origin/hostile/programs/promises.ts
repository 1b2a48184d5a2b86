import { fails, program, returns, throws, timesOut } from '../program.ts'

const never = /can no longer settle/

/** Promises and thenables that settle twice, late, never, or with each other. */
export const promises = [
  fails('a promise that never settles', 'await new Promise(() => {})', 'action_pending', never),
  fails('a thenable that never settles', 'return { then() {} }', 'action_pending', never),
  fails('a race of nothing', 'await Promise.race([])', 'action_pending', never),
  fails(
    'all of one that never settles',
    'await Promise.all([1, new Promise(() => {})])',
    'action_pending',
    never,
  ),
  fails(
    'an async generator that waits',
    'for await (const _ of (async function* () { await new Promise(() => {}); yield 1 })());',
    'action_pending',
    never,
  ),
  fails(
    'two that wait for each other',
    'let a, b; a = (async () => { await null; await b })(); b = (async () => { await a })(); await b',
    'action_pending',
    never,
  ),
  fails(
    'after a timer that has fired',
    'await new Promise((done) => setTimeout(done, 5)); await new Promise(() => {})',
    'action_pending',
    never,
  ),
  fails(
    'after a key operation',
    'await Svc.Actions.getPrivateKey({ pkpId: "x" }); await new Promise(() => {})',
    'action_pending',
    never,
  ),
  timesOut(
    'a promise that waits for a far timer',
    'await new Promise((done) => setTimeout(done, 1e9))',
  ),
  timesOut('a thenable that does not return', 'return { then() { for (;;); } }'),
  throws('a thenable that throws', 'return { then() { throw new Error("mine") } }', /mine/),
  throws(
    'a then that is a getter that throws',
    'return { get then() { throw new Error("mine") } }',
    /mine/,
  ),
  returns('a thenable that resolves twice', 'return { then(done) { done(1); done(2) } }', 1),
  returns(
    'a thenable that resolves and then throws',
    'return { then(done) { done(1); throw new Error("late") } }',
    1,
  ),
  returns(
    'a thenable that resolves and rejects',
    'return { then(done, fail) { done(1); fail(new Error("late")) } }',
    1,
  ),
  returns(
    'a promise that is resolved after its rejection',
    'return new Promise((done, fail) => { fail(0); done(1) }).catch(() => 2)',
    2,
  ),
  returns(
    'a then that is called again by its receiver',
    'return { then(done) { Promise.resolve().then(() => done(1)).then(() => done(2)) } }',
    1,
  ),
  returns(
    'a subclass that settles again and again',
    'class P extends Promise { then(a, b) { a?.(1); return super.then(a, b) } } return new P((done) => done(2))',
    1,
  ),
  throws(
    'a subclass whose then throws',
    'class P extends Promise { then() { throw new Error("mine") } } return new P((done) => done(2))',
    /mine/,
  ),
  throws('any of nothing', 'await Promise.any([])', /^$/),
  returns('a rejection that nobody handles', 'Promise.reject(new Error("mine")); return 1', 1),
  returns(
    'a thousand rejections that nobody handles',
    'for (let i = 0; i < 1000; i++) Promise.reject(i); return 1',
    1,
  ),
  returns(
    'a promise with the value of another run left behind',
    'globalThis.p = new Promise((done) => setTimeout(done, 50)); return 1',
    1,
  ),
  throws('a rejection with nothing', 'return Promise.reject()', /undefined/),
  throws(
    'a promise of a throwing constructor',
    'return new Promise(() => { throw new Error("mine") })',
    /mine/,
  ),
  program('main is a class', 'class main {}', { fails: 'action_threw', says: /new/ }),
  program('main is a generator', 'function* main() { for (;;) yield 1 }', { returns: {} }),
  program('main is an async generator', 'async function* main() { for (;;) yield 1 }', {
    returns: {},
  }),
]
