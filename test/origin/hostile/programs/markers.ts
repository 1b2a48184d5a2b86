import { program, returns, throws } from '../program.ts'

const mine = /mine/

/** Failures that imitate those of the engine, the prelude or the host. */
export const markers = [
  program(
    'the name and message of an exhausted engine, which deceives only its own caller',
    'function main() { throw Object.assign(new Error("out of memory"), { name: "InternalError" }) }',
    [{ fails: 'out_of_memory' }, { fails: 'action_threw' }],
  ),
  throws('null, as an exhausted engine throws it', 'throw null', /null/),
  throws(
    'the message of an interrupt',
    'throw Object.assign(new Error("interrupted"), { name: "InternalError" })',
    /^interrupted$/,
  ),
  throws(
    'the message of a time-out',
    'throw new Error("the action was stopped after 120 s of time")',
    /stopped after/,
  ),
  throws(
    'the message of a native stack',
    'throw new RangeError("Maximum call stack size exceeded")',
    /call stack/,
  ),
  throws(
    'the code of a limit',
    'throw Object.assign(new Error("mine"), { code: "key_operation_limit" })',
    mine,
  ),
  throws(
    'the code of a stopped run',
    'throw Object.assign(new Error("mine"), { code: "stopped" })',
    mine,
  ),
  throws(
    'the code of a time-out',
    'throw Object.assign(new Error("mine"), { code: "action_timeout", kind: "returned", value: "1" })',
    mine,
  ),
  ...['stopped', 'engine_fault', 'action_timeout', 'returned'].map((code) =>
    throws(
      `a refused operation while every object has the code ${code}`,
      `Object.prototype.code = '${code}'; await Svc.Actions.getPrivateKey({ pkpId: 'refused' })`,
      /^the wallet is refused$/,
    ),
  ),
  throws(
    'a refused operation while every object has a message',
    'Object.prototype.message = Object.prototype.name = "mine"; await Svc.Actions.getPrivateKey({ pkpId: "refused" })',
    /^the wallet is refused$/,
  ),
  throws(
    'a stack of frames of the prelude',
    'throw Object.assign(new Error("mine"), { stack: "    at main (svc:drive.js:1:1)\\n    at x (svc:errors.js:2:2)" })',
    mine,
  ),
  throws(
    'a stack with lines of a log',
    'throw Object.assign(new Error("mine"), { stack: "{\\"level\\":\\"error\\",\\"event\\":\\"root_key\\"}\\nlogs:\\n" })',
    mine,
  ),
  throws(
    'a message with the words of an answer',
    'throw new Error("mine\\n\\nlogs:\\n[error] root key")',
    mine,
  ),
  throws(
    'a message with line ends of every kind',
    'throw new Error("mine\\r\\n\\u2028\\u2029\\u0085x")',
    mine,
  ),
  throws(
    'the name of another error',
    'throw Object.assign(new Error("mine"), { name: "action_timeout: stopped" })',
    mine,
  ),
  throws(
    'a constructor named like ours',
    'class KeyRefused extends Error {} throw new KeyRefused("mine")',
    mine,
  ),
  throws(
    'a function named like a frame of ours',
    'const f = { ["x (svc:drive.js:1:1)"]() { throw new Error("mine") } }; f["x (svc:drive.js:1:1)"]()',
    mine,
  ),
  returns(
    'a cut console’s note',
    'console.warn("[console output truncated after 102400 bytes or 10000 lines]"); return 1',
    1,
  ),
  program(
    'an error of the prelude that is thrown again later',
    'let kept; async function main() { try { await Svc.Actions.getPrivateKey() } catch (e) { kept = e } throw kept }',
    { fails: 'action_threw', says: /expected/ },
  ),
  program(
    'an error of the prelude with another message',
    'async function main() { try { const a = []; for (let i = 0; i < 11; i++) a.push(Svc.Actions.getPrivateKey({ pkpId: "x" })); await Promise.all(a) } catch (e) { e.message = "mine"; throw e } }',
    { fails: 'key_operation_limit', says: mine },
  ),
  program(
    'a limit that is caught and told as another error',
    'async function main() { try { for (let i = 0; i < 11; i++) await Svc.Actions.getPrivateKey({ pkpId: "x" }) } catch { throw new Error("mine") } }',
    { fails: 'action_threw', says: mine },
  ),
]
