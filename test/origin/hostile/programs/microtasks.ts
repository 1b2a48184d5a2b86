import { exhausts, program, returns, throws, timesOut } from '../program.ts'

/** Promise jobs, which run between the engine's checks of the clock. */
export const microtasks = [
  timesOut('await in a loop', 'for (;;) await null'),
  exhausts(
    'then that chains itself',
    'await new Promise(() => { const f = () => Promise.resolve().then(f); f() })',
  ),
  exhausts(
    'two chains that feed each other',
    'const a = () => Promise.resolve().then(b), b = () => Promise.resolve().then(a); a(); b(); await new Promise(() => {})',
  ),
  exhausts(
    'an async function that awaits itself',
    'const f = async () => { await null; return f() }; await f()',
  ),
  timesOut(
    'for await over an endless async generator',
    'for await (const _ of (async function* () { for (;;) yield 1 })());',
  ),
  timesOut(
    'a race that is never over',
    'for (;;) await Promise.race([null, new Promise(() => {})])',
  ),
  timesOut(
    'jobs that starve a timer',
    'let fired; setTimeout(() => { fired = 1 }, 0); while (!fired) await null',
  ),
  timesOut(
    'a thenable that resolves to another',
    'const t = () => ({ then: (done) => done(t()) }); await t()',
  ),
  exhausts(
    'a rejected chain that catches itself',
    'const f = () => Promise.reject(0).catch(f); await f()',
  ),
  exhausts(
    'finally that returns the next promise',
    'const f = () => Promise.resolve().finally(f); await f()',
  ),
  timesOut(
    'jobs that loop with the clock run out',
    'for (let i = 0; i < 1000; i++) Promise.resolve().then(() => { for (;;); }); await new Promise(() => {})',
  ),
  program(
    'a job that doubles',
    'const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; const main = () => { f(); return new Promise(() => {}) }',
    [{ fails: 'action_timeout' }, { fails: 'out_of_memory' }],
    { wallMs: 1_000 },
  ),
  program(
    'allSettled of an endless iterator',
    'const main = () => Promise.allSettled((function* () { for (;;) yield 1 })())',
    [{ fails: 'action_timeout' }, { fails: 'out_of_memory' }],
    { wallMs: 1_000 },
  ),
  throws(
    'a promise that resolves to itself',
    'const p = new Promise((done) => setTimeout(() => done(p), 1)); await p',
    /self|itself|cycle|chain/i,
  ),
  returns(
    'a million jobs that end',
    'let p = Promise.resolve(0); for (let i = 0; i < 20000; i++) p = p.then((n) => n + 1); return p',
    20_000,
  ),
  returns(
    'jobs that are left behind',
    'for (let i = 0; i < 1000; i++) Promise.resolve().then(() => { globalThis.left = i }); return 1',
    1,
  ),
]
