import { fails, program, returns, throws, timesOut } from '../program.ts'

/** Uses no built-in that may already have been replaced. */
const everything = `{
  const { getOwnPropertyNames, defineProperty } = Object, { ownKeys } = Reflect, g = globalThis
  const evil = { value: () => { throw new Error('mine') } }
  const names = getOwnPropertyNames(g)
  for (let i = 0; i < names.length; i++) {
    let value; try { value = g[names[i]] } catch { continue }
    for (let j = 0; j < 2; j++) {
      const target = j ? value && value.prototype : value
      if (target === null || target === g || (typeof target !== 'object' && typeof target !== 'function')) continue
      const keys = ownKeys(target)
      for (let k = 0; k < keys.length; k++) if (keys[k] !== 'prototype') try { defineProperty(target, keys[k], evil) } catch {}
    }
  }
}`

/** Replaced built-ins: an action may change its own environment, but not anyone else's. */
export const prototypes = [
  returns('a property on every object', 'Object.prototype.polluted = 1; return 1', 1),
  returns(
    'a toJSON on every object',
    'Object.prototype.toJSON = () => "mine"; return { a: 1 }',
    'mine',
  ),
  returns(
    'a then on every object',
    'Object.prototype.then = function (done) { delete Object.prototype.then; done(5) }; return {}',
    5,
  ),
  fails(
    'a then on every object that does not settle',
    'Object.prototype.then = () => {}; return {}',
    'action_pending',
    /can no longer settle/,
  ),
  returns(
    'a setter for code on every object',
    'Object.defineProperty(Object.prototype, "code", { set() { throw 1 }, get: () => "stopped" }); return 1',
    1,
  ),
  throws(
    'a code on every object',
    'Object.prototype.code = "stopped"; throw new Error("mine")',
    /^mine$/,
  ),
  throws(
    'a message and a name on every object',
    'Object.prototype.message = "got"; Object.prototype.name = "at"; throw {}',
    /got/,
  ),
  throws(
    'a message that loops on no error',
    'Object.defineProperty(Object.prototype, "message", { get() { throw 1 } }); throw {}',
    /no Error|cannot/,
  ),
  timesOut(
    'a message that loops on every object',
    'Object.defineProperty(Object.prototype, "message", { get() { for (;;); } }); throw {}',
  ),
  returns(
    'setters at the indexes of arrays',
    'for (const i of [0, 1, 2, 3]) Object.defineProperty(Array.prototype, i, { set() { globalThis.got = this }, get: () => 7, configurable: true }); const a = {}; a.a = a; console.log(a, 1, [2]); return 1',
    1,
  ),
  fails(
    'setters at the indexes while a value is refused',
    'for (const i of [0, 1, 2]) Object.defineProperty(Array.prototype, i, { set() {}, get: () => undefined }); return { b: 1n }',
    'result_not_json',
    /BigInt/,
  ),
  returns(
    'JSON replaced',
    'JSON.stringify = () => "evil"; JSON.parse = () => "evil"; return { a: [1] }',
    { a: [1] },
  ),
  returns('JSON gone', 'delete globalThis.JSON; return [1]', [1]),
  returns(
    'Promise replaced',
    'globalThis.Promise = class { constructor() { throw 1 } }; return 1',
    1,
  ),
  returns(
    'then of promises replaced',
    'Promise.prototype.then = () => { throw 1 }; await null; return 1',
    1,
  ),
  returns(
    'the constructor of promises replaced',
    'Object.defineProperty(Promise.prototype, "constructor", { get() { return class { constructor(f) { f(() => {}, () => {}) } } } }); return 1',
    1,
  ),
  returns(
    'species of promises replaced',
    'Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } }); await 1; return 1',
    1,
  ),
  returns(
    'Symbol.iterator of arrays replaced',
    'Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }; console.log(1, 2); return [3]',
    [3],
  ),
  returns(
    'next of array iterators replaced',
    'Object.getPrototypeOf([][Symbol.iterator]()).next = () => { throw 1 }; console.log(1); return [3]',
    [3],
  ),
  returns(
    'slice of texts replaced',
    'String.prototype.slice = () => { throw 1 }; console.log("x"); return "abc"',
    'abc',
  ),
  returns(
    'get of maps replaced',
    'Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => { throw 1 }; await new Promise((done) => setTimeout(done, 1)); return 1',
    1,
  ),
  throws(
    'get of weak maps replaced',
    'WeakMap.prototype.get = () => "key_operation_limit"; throw new Error("mine")',
    /^mine$/,
  ),
  returns(
    'apply and call replaced',
    'Function.prototype.apply = Function.prototype.call = Reflect.apply = () => { throw 1 }; console.log({ a: 1 }); return [1]',
    [1],
  ),
  returns(
    'Function.prototype.bind replaced',
    'Function.prototype.bind = () => { throw 1 }; console.log(1); return 1',
    1,
  ),
  returns(
    'freeze and defineProperty replaced',
    'Object.freeze = Object.defineProperty = () => { throw 1 }; console.log(1); return 1',
    1,
  ),
  returns('isArray replaced', 'Array.isArray = () => { throw 1 }; return [1]', [1]),
  returns(
    'exec of patterns replaced',
    'RegExp.prototype.exec = RegExp.prototype.test = () => { throw 1 }; return 1',
    1,
  ),
  fails(
    'exec of patterns replaced while a value is refused',
    'RegExp.prototype.exec = () => { throw new Error("mine") }; RegExp.prototype.test = RegExp.prototype.exec; return { a: 1n }',
    'result_not_json',
    /BigInt/,
  ),
  throws(
    'prepareStackTrace',
    'Error.prepareStackTrace = () => { throw 1 }; throw new Error("mine")',
    /^mine$/,
  ),
  throws(
    'prepareStackTrace that loops, which this engine does not call',
    'Error.prepareStackTrace = () => { for (;;); }; throw new Error("mine")',
    /^mine$/,
  ),
  throws(
    'stackTraceLimit that throws',
    'Error.stackTraceLimit = { valueOf() { throw 1 } }; throw new Error("mine")',
    /^mine$/,
  ),
  throws(
    'the name of errors',
    'Error.prototype.name = { toString() { throw 1 } }; throw new Error("mine")',
    /^mine$/,
  ),
  throws(
    'instanceof of errors',
    'Object.defineProperty(Error, Symbol.hasInstance, { value() { throw 1 } }); console.log(new Error("a")); throw new Error("mine")',
    /^mine$/,
  ),
  throws(
    'a frozen world',
    'for (const k of Reflect.ownKeys(globalThis)) try { Object.freeze(globalThis[k]); Object.freeze(globalThis[k].prototype) } catch {} throw new Error("mine")',
    /^mine$/,
  ),
  returns('no extension of the global object', 'Object.preventExtensions(globalThis); return 1', 1),
  program('every method of every built-in', `${everything}; function main() { return 1 }`, {
    returns: 1,
  }),
  program(
    'every method of every built-in, and an error',
    `${everything}; function main() { throw { message: 'm' } }`,
    { fails: 'action_threw' },
  ),
  program(
    'every global deleted',
    'const g = globalThis; for (const k of Reflect.ownKeys(g)) if (k !== "main") delete g[k]; function main() { return 1 }',
    { returns: 1 },
  ),
  program(
    'prototypes of prototypes exchanged',
    'Object.setPrototypeOf(Array.prototype, null); Object.setPrototypeOf(Function.prototype, null); function main() { console.log([1]); return [1] }',
    { returns: [1] },
  ),
  throws(
    'a prototype in a circle',
    'const a = {}, b = Object.create(a); Object.setPrototypeOf(a, b)',
    /circular|cyclic|prototype/,
  ),
  returns(
    'ethers broken',
    'for (const k of Object.keys(ethers.utils)) try { ethers.utils[k] = null } catch {} try { ethers.Wallet.prototype.signMessage = null } catch {} return 1',
    1,
  ),
]
