import { program, timesOut } from '../program.ts'

export const loops = [
  timesOut('an empty for', 'for (;;);'),
  timesOut('a while that counts', 'let n = 0; while (true) n++'),
  timesOut('a do without end', 'do {} while (1)'),
  timesOut('labels that continue each other', 'outer: for (;;) { for (;;) { continue outer } }'),
  timesOut('a loop that catches every error', 'for (;;) { try { for (;;); } catch {} }'),
  timesOut(
    'a finally that takes the return back',
    'for (;;) { try { return 1 } finally { continue } }',
  ),
  timesOut(
    'a finally that loops when the engine stops the try',
    'try { for (;;); } finally { for (;;); }',
  ),
  timesOut(
    'a catch that calls itself when it is interrupted',
    'const f = () => { try { for (;;); } catch { f() } }; f()',
  ),
  timesOut(
    'a generator that never ends',
    'for (const _ of (function* () { for (;;) yield 1 })());',
  ),
  timesOut(
    'a generator whose finally loops',
    'function* g() { try { yield 1 } finally { for (;;); } } for (const _ of g()) break',
  ),
  timesOut(
    'an iterator that never ends',
    'for (const _ of { [Symbol.iterator]: () => ({ next: () => ({}) }) });',
  ),
  timesOut(
    'a map that is filled while it is walked',
    'const m = new Map([[0, 0]]); for (const [k] of m) { m.delete(k); m.set(k + 1, 0) }',
  ),
  timesOut(
    'a set whose forEach feeds itself',
    'const s = new Set([1]); s.forEach((v) => { s.delete(v); s.add(v) })',
  ),
  timesOut(
    '2 ** 53 - 1 callbacks',
    'Array.prototype.forEach.call(new Proxy({ length: 2 ** 53 - 1 }, { has: () => true }), () => {})',
  ),
  timesOut(
    'every over 2 ** 53 - 1 indexes',
    '[].every.call(new Proxy({ length: 2 ** 53 - 1 }, { has: () => true }), () => true)',
  ),
  timesOut('a sort whose comparator does not return', '[2, 1].sort(() => { for (;;); })'),
  timesOut('a tagged template in a loop', 'const t = () => 0; for (;;) t`${1}`'),
  timesOut(
    'a switch without a way out',
    'for (let s = 0; ; ) switch (s) { case 0: s = 1; break; default: s = 0 }',
  ),
  program('a loop before main is defined', 'for (;;); function main() {}', {
    fails: 'action_timeout',
  }),
  program(
    'a class whose static block loops',
    'class A { static { for (;;); } } function main() {}',
    {
      fails: 'action_timeout',
    },
  ),
  program('a default parameter that loops', 'function main(p, q = (() => { for (;;); })()) {}', {
    fails: 'action_timeout',
  }),
]
