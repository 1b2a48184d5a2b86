import { fails, program, returns, throws, timesOut } from '../program.ts'

/** Properties with getters that run code. */
export const getters = [
  timesOut('a getter of the value that does not return', 'return { a: 1, get b() { for (;;); } }'),
  throws(
    'a getter of the value that throws',
    'return { get b() { throw new Error("mine") } }',
    /mine/,
  ),
  returns(
    'a getter that gives another value each time',
    'let n = 0; return { get b() { return n++ } }',
    { b: 0 },
  ),
  fails(
    'a getter that changes what it is in',
    'const o = { get a() { for (let i = 0; i < 3; i++) o["x" + i] = o; return 1 } }; return [o, o.a, o]',
    'result_not_json',
    /contains it/,
  ),
  timesOut(
    'a stack that does not return',
    'throw Object.defineProperty(new Error("m"), "stack", { get() { for (;;); } })',
  ),
  timesOut(
    'a name that does not return',
    'throw Object.defineProperty(new Error("m"), "name", { get() { for (;;); } })',
  ),
  timesOut(
    'a message whose toString does not return',
    'throw Object.assign(new Error("m"), { name: { toString() { for (;;); } } })',
  ),
  throws(
    'a stack that throws',
    'throw Object.defineProperty(new Error("mine"), "stack", { get() { throw 1 } })',
    /mine/,
  ),
  throws(
    'a message that is different each time',
    'let n = 0; throw { get message() { return "turn " + n++ } }',
    /turn/,
  ),
  throws(
    'a message that ends as an object',
    'let n = 0; throw { get message() { return n++ ? { toString() { throw 1 } } : "" } }',
    /cannot|shown|read/,
  ),
  timesOut(
    'a field of key operations that does not return',
    'await Svc.Actions.getPrivateKey({ get pkpId() { for (;;); } })',
  ),
  throws(
    'a field of key operations that throws',
    'await Svc.Actions.getPrivateKey({ get pkpId() { throw new Error("mine") } })',
    /mine/,
  ),
  program(
    'main is a getter that does not return',
    'Object.defineProperty(globalThis, "main", { get() { for (;;); } })',
    { fails: 'action_timeout' },
  ),
  program(
    'main is a getter that throws',
    'Object.defineProperty(globalThis, "main", { get() { throw new Error("mine") } })',
    { fails: 'action_threw', says: /mine/ },
  ),
  program(
    'main is another function each time',
    'let n = 0; Object.defineProperty(globalThis, "main", { get: () => (n++, () => n) })',
    { returns: 2 },
  ),
  program(
    'main is a function once',
    'let n = 0; Object.defineProperty(globalThis, "main", { get: () => (n++ ? 1 : () => 1) })',
    { fails: 'action_threw', says: /not a function/ },
  ),
]
