import { program } from '../program.ts'

/** Valid and invalid values of `main`. */
export const main = [
  program('no main', 'var other = 1', { fails: 'no_main' }),
  program('main is text', 'var main = "function"', { fails: 'no_main' }),
  program('main is null', 'var main = null', { fails: 'no_main' }),
  program('main is a promise of a function', 'var main = Promise.resolve(() => 1)', {
    fails: 'no_main',
  }),
  program('main calls itself', 'const main = (p) => main(p)', {
    fails: 'action_threw',
    says: /stack overflow/,
  }),
  // Each call waits for the next. The machine determines if time or memory runs out first.
  program('main awaits itself', 'const main = async (p) => { await null; return main(p) }', [
    { fails: 'action_timeout' },
    { fails: 'out_of_memory' },
  ]),
  program(
    'main replaces main while it runs',
    'async function main() { main = () => 2; await null; return 1 }',
    { returns: 1 },
  ),
  program(
    'main is replaced in a job before it is called',
    'Promise.resolve().then(() => { main = () => 2 }); function main() { return 1 }',
    [{ returns: 1 }, { returns: 2 }],
  ),
  program(
    'main is defined in a job',
    'Promise.resolve().then(() => { globalThis.main = () => 1 })',
    [{ fails: 'no_main' }, { returns: 1 }],
  ),
  program(
    'main is in its dead zone',
    'throw_ = 1; if (1) throw new Error("early"); const main = () => 1',
    { fails: 'action_threw', says: /early/ },
  ),
  program('main deletes itself', 'globalThis.main = () => delete globalThis.main', {
    returns: true,
  }),
  program(
    'main is a bound function of itself',
    'var n = 0; function inner() { return ++n } var main = inner.bind(null)',
    { returns: 1 },
  ),
  program(
    'main with params that are replaced',
    'function main(p) { arguments[0] = 1; p = 2; return arguments.length }',
    { returns: 1 },
  ),
  program(
    'main with a this',
    'function main() { return this === undefined || this === globalThis }',
    { returns: true },
  ),
  program('main twice', 'function main() { return 1 } function main() { return 2 }', {
    returns: 2,
  }),
  program('main as let and var', 'let main = () => 1; var main = 2', { fails: 'action_threw' }),
  program(
    'undefined that is defined',
    'var undefined = 1, NaN = 2; function main() { return typeof undefined }',
    { returns: 'undefined' },
  ),
]
