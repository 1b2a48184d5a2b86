import { program, returns, timesOut } from '../program.ts'

/** Attempts to observe the garbage collector, or to keep objects alive through it. */
export const weakReferences = [
  returns(
    'a WeakRef whose target is gone',
    'if (typeof WeakRef === "undefined") return true; const r = new WeakRef({}); return r.deref() === undefined || typeof r.deref() === "object"',
    true,
  ),
  returns(
    'a registry whose callback runs after main',
    'if (typeof FinalizationRegistry === "undefined") return 1; const f = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; i < 1000; i++) f.register({}, i); return 1',
    1,
  ),
  program(
    'a registry whose callback does not return',
    'const f = new FinalizationRegistry(() => { for (;;); }); async function main() { f.register({}, 1); for (;;) await null }',
    { fails: 'action_timeout' },
  ),
  program(
    'a registry that registers itself again',
    'const f = new FinalizationRegistry(() => f.register({}, 1)); function main() { f.register({}, 1); return 1 }',
    { returns: 1 },
  ),
  returns(
    'a weak map of itself',
    'const w = new WeakMap(); w.set(w, w); return w.get(w) === w',
    true,
  ),
  returns(
    'a key that a registered symbol would keep',
    'try { new WeakMap().set(Symbol.for("x"), 1) } catch (e) { return e.name }',
    'TypeError',
  ),
  timesOut(
    'a circle of weak maps',
    'for (;;) { const a = new WeakMap(), b = new WeakMap(); a.set(b, a); b.set(a, b) }',
  ),
  timesOut('garbage in circles', 'for (;;) { const a = { x: new Array(100) }; a.a = a }'),
]
