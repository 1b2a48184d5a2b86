import { program, returns, throws, timesOut } from '../program.ts'

const GLOBALS =
  "['process', 'require', 'module', 'Buffer', 'WebAssembly', 'std', 'os', 'host', 'base', 'parts', 'errors', 'operations']"

/** Code evaluated from text, which can reach no more than the action itself. */
export const textAsCode = [
  returns(
    'Function sees no more than the action',
    `return ${GLOBALS}.filter((n) => new Function('return typeof ' + n)() !== 'undefined')`,
    [],
  ),
  returns(
    'eval sees no more than the action',
    `return ${GLOBALS}.filter((n) => (0, eval)('typeof ' + n) !== 'undefined')`,
    [],
  ),
  returns(
    'the constructor of each kind of function',
    `return [async () => {}, function* () {}, async function* () {}, () => {}].map((f) => { try { return typeof f.constructor('return typeof process')() } catch (e) { return e.name } }).length`,
    4,
  ),
  returns(
    'the constructor of the console’s functions',
    `return console.log.constructor('return typeof process')()`,
    'undefined',
  ),
  returns(
    'the constructor of key operations',
    `return Svc.Actions.getPrivateKey.constructor('return typeof process')().constructor.name`,
    'Promise',
  ),
  timesOut('eval that does not return', 'eval("for (;;);")'),
  timesOut('a Function that does not return', 'new Function("for (;;);")()'),
  timesOut('eval in a loop', 'for (let i = 0; ; i++) eval("var x" + (i % 10) + " = 1")'),
  throws('import of a file', 'await import("node:fs")', /./),
  throws('import of the prelude', 'await import("svc:drive.js")', /./),
  throws('import of the action itself', 'await import("action.js")', /./),
  throws('import of data', 'await import("data:text/javascript,export default 1")', /./),
  throws(
    'import whose name does not become text',
    'await import({ toString() { throw new Error("mine") } })',
    /mine/,
  ),
  timesOut('import whose name does not return', 'await import({ toString() { for (;;); } })'),
  returns(
    'with over a proxy that has everything',
    'return new Function("p", "with (p) { return typeof process }")(new Proxy({}, { has: () => true, get: () => undefined }))',
    'undefined',
  ),
  returns(
    'arguments of the caller',
    'function f() { try { return typeof f.caller } catch (e) { return e.name } } return f() === "function"',
    false,
  ),
  returns(
    'arguments.callee of the prelude',
    'let got = "none"; const f = function () { try { got = typeof f.caller.arguments } catch (e) { got = "none" } }; await { then(done) { f(); done() } }; return got',
    'none',
  ),
  returns(
    'the caller of main',
    'return (function () { try { return arguments.callee.caller.caller === null || arguments.callee.caller.caller === undefined } catch { return true } })()',
    true,
  ),
  throws('text that ends the source', 'eval("}); throw new Error(\\"mine\\"); ({")', /./),
  program(
    'a global that is named like the prelude’s file',
    'var drive = 1, errors = 2, base = 3, host = 4, parts = 5; function main() { return [drive, errors, base, host, parts] }',
    { returns: [1, 2, 3, 4, 5] },
  ),
  program('new.target and super at the top', 'super.x; function main() {}', {
    fails: 'action_threw',
  }),
  program('return at the top', 'return 1; function main() {}', { fails: 'action_threw' }),
]
