/** Programs that look for the private key of a wallet with a policy: each source with each way out. */

/** Statements that call `keep` and `tried` with everything that could contain the key. */
const SOURCES: Record<string, string> = {
  'asks for it': 'await tried(Svc.Actions.getPrivateKey({ pkpId }))',
  'asks in lower case': 'await tried(Svc.Actions.getPrivateKey({ pkpId: pkpId.toLowerCase() }))',
  'asks in upper case':
    "await tried(Svc.Actions.getPrivateKey({ pkpId: '0x' + pkpId.slice(2).toUpperCase() }))",
  'asks for the padded ID':
    "await tried(Svc.Actions.getPrivateKey({ pkpId: '0x' + '0'.repeat(24) + pkpId.slice(2) }))",
  'asks for the padded ID in lower case': `
    await tried(Svc.Actions.getPrivateKey({ pkpId: ('0x' + '0'.repeat(24) + pkpId.slice(2)).toLowerCase() }))`,
  'asks with a changing ID': `
    let reads = 0
    await tried(Svc.Actions.getPrivateKey({ get pkpId() { return reads++ ? pkpId : pkpId.toLowerCase() } }))
    await tried(Svc.Actions.getPrivateKey(new Proxy({}, { get: () => pkpId })))`,
  'asks with other members': `
    await tried(Svc.Actions.getPrivateKey({ pkpId, policy: null, lock: '0x' + '0'.repeat(64) }))
    await tried(Svc.Actions.getPrivateKey([pkpId]))
    await tried(Svc.Actions.encrypt({ pkpId, message: 'm', name: 'getPrivateKey' }))`,
  'asks while signing': `
    const sign = () => Svc.Actions.signMessage({ pkpId, message: 'm' })
    const ask = () => Svc.Actions.getPrivateKey({ pkpId })
    await Promise.all([sign(), ask(), sign(), ask(), Svc.Actions.encrypt({ pkpId, message: 'm' })].map(tried))`,
  'walks its signer': `
    walk(Svc.Actions.wallet({ pkpId }), 5)
    await tried(Svc.Actions.wallet({ pkpId }).signMessage('m'))`,
  'replaces the classes of ethers': `
    for (const Class of [ethers.utils.SigningKey, ethers.Wallet])
      for (const name of Reflect.ownKeys(Class.prototype))
        try { Class.prototype[name] = function (...all) { walk([this, all], 3) } } catch {}
    await tried(Svc.Actions.wallet({ pkpId }).signMessage('m'))
    await tried(Svc.Actions.wallet({ pkpId })._signTypedData({}, { A: [{ name: 'a', type: 'string' }] }, { a: 'a' }))`,
  'puts traps on all objects': `
    for (const name of ['privateKey', 'key', 'value', 'secret', 'then', 'toJSON', 'digest', 'hex'])
      Object.defineProperty(Object.prototype, name, { configurable: true, get() { walk(this, 2) }, set(value) { keep(value); walk(this, 2) } })
    const signed = Svc.Actions.signMessage({ pkpId, message: 'm' })
    await signed.then(keep, keep)
    for (const name of ['privateKey', 'key', 'value', 'secret', 'then', 'toJSON', 'digest', 'hex']) delete Object.prototype[name]`,
  'derives it from the key of the action': `
    const own = await Svc.Actions.getSvcActionPrivateKey()
    for (const part of ['', pkpId, 'svc/policy-wallet/v1']) {
      keep(ethers.utils.keccak256(own + ethers.utils.hexlify(ethers.utils.toUtf8Bytes(part)).slice(2)))
      keep(ethers.utils.computeHmac('sha256', own, ethers.utils.toUtf8Bytes(part)))
    }`,
  'solves signatures with a weak nonce': `
    const N = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
    const inverse = (a) => { let [x, y, u, v] = [a % N, N, 1n, 0n]; while (x > 1n) { const q = y / x; [x, y, u, v] = [y - q * x, x, v - q * u, u] } return ((u % N) + N) % N }
    for (const message of ['a', 'b']) {
      const { r, s } = ethers.utils.splitSignature(await Svc.Actions.signMessage({ pkpId, message }))
      const z = BigInt(ethers.utils.hashMessage(message))
      for (let k = 1n; k < 30n; k++) keep(hex((((BigInt(s) * k - z) % N + N) * inverse(BigInt(r))) % N))
    }`,
  'looks into ciphertexts': `
    const ciphertext = await Svc.Actions.encrypt({ pkpId, message: '0'.repeat(64) })
    const bytes = ethers.utils.base64.decode(ciphertext)
    for (let at = 0; at + 32 <= bytes.length; at++) keep(ethers.utils.hexlify(bytes.slice(at, at + 32)))
    await tried(Svc.Actions.decrypt({ pkpId, ciphertext }))
    await tried(Svc.Actions.decrypt({ pkpId, ciphertext: ethers.utils.base64.encode(await Svc.Actions.signMessage({ pkpId, message: '' })) }))`,
  'reads the errors of invalid input': `
    await tried(Svc.Actions.signTransaction({ pkpId, transaction: { to: 'key.eth', from: '0x' + '00'.repeat(20) } }))
    await tried(Svc.Actions.signTransaction({ pkpId, transaction: { type: 9, chainId: 1n << 300n } }))
    await tried(Svc.Actions.signTypedData({ pkpId, domain: { salt: [] }, types: { A: [] }, value: {} }))
    await tried(Svc.Actions.signDigest({ pkpId, digest: '0x' + 'zz'.repeat(32) }))
    await tried(Svc.Actions.decrypt({ pkpId, ciphertext: 'AAAA' }))`,
  'signs special digests': `
    for (const digest of ['00'.repeat(32), 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'ff'.repeat(32), '00'.repeat(31) + '01'])
      await tried(Svc.Actions.signDigest({ pkpId, digest: '0x' + digest }))
    const { _vs, r, s } = ethers.utils.splitSignature(await Svc.Actions.signDigest({ pkpId, digest: '0x' + '00'.repeat(32) }))
    for (const part of [_vs, r, s]) keep(part)`,
  'walks everything global': `
    await tried(Svc.Actions.signMessage({ pkpId, message: 'm' }))
    walk(globalThis, 4)`,
  'reads fresh memory': `
    await tried(Svc.Actions.signMessage({ pkpId, message: 'm' }))
    for (const bytes of [new Uint8Array(1e6), new Uint8Array(new ArrayBuffer(1e5)), new Uint8Array(structuredClone(new ArrayBuffer(1e5))), crypto.getRandomValues(new Uint8Array(4096))])
      for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) { keep(ethers.utils.hexlify(bytes.slice(at, at + 32))); at += 31 }`,
  'renames an operation': `
    Object.prototype.name = 'getPrivateKey'
    Object.prototype.operation = { name: 'getPrivateKey', pkpId }
    await tried(Svc.Actions.signMessage({ pkpId, message: 'm' }))
    await tried(Reflect.apply(Svc.Actions.encrypt, { name: 'getPrivateKey' }, [{ pkpId, message: 'm' }]))
    delete Object.prototype.name
    delete Object.prototype.operation`,
  'asks for other keys': `
    for (const ipfsId of [pkpId, 'svc/policy-wallet/v1', 'Qm' + pkpId.slice(2)]) {
      await tried(Svc.Actions.getSvcActionPublicKey({ ipfsId }))
      await tried(Svc.Actions.getSvcActionWalletAddress({ ipfsId }))
    }`,
}

/** Statements that send out `keys`: a list of 32 bytes as 0x hex. */
const WAYS_OUT: Record<string, string> = {
  'returns it': 'return keys',
  'returns it in decimal': 'return keys.map((key) => BigInt(key).toString())',
  'returns it in base64': 'return keys.map((key) => ethers.utils.base64.encode(key))',
  'returns its bytes': "return keys.map((key) => [...ethers.utils.arrayify(key)].join(','))",
  'returns it reversed': "return keys.map((key) => [...key.slice(2)].reverse().join(''))",
  'returns it as WIF': `return keys.map((key) => {
    const extended = '0x80' + key.slice(2) + '01'
    const checksum = ethers.utils.sha256(ethers.utils.sha256(extended)).slice(2, 10)
    return ethers.utils.base58.encode(extended + checksum)
  })`,
  'returns its halves': 'return keys.map((key) => [key.slice(2, 34), key.slice(34)])',
  'logs it': 'console.log(keys); return 1',
  'throws it': "throw new Error(keys.join(' '))",
  'sends it to the host': `
    for (const key of keys.slice(-4)) await Svc.Actions.getSvcActionPublicKey({ ipfsId: key }).catch(() => {})
    return 1`,
}

export const WAY_OUT_NAMES = Object.keys(WAYS_OUT)
export const DIRECT = 'asks for it'

export type HuntingProgram = { name: string; source: string; code: string }

export const HUNTING_PROGRAMS: readonly HuntingProgram[] = Object.entries(SOURCES).flatMap(
  ([source, look]) =>
    Object.entries(WAYS_OUT).map(([wayOut, send]) => ({
      name: `${source}, and ${wayOut}`,
      source,
      code: programOf(look, send),
    })),
)

function programOf(look: string, send: string): string {
  return `
  const found = []
  const keep = (value) => { try { found.push(typeof value === 'string' ? value : String(value)) } catch {} }
  const hex = (value) => '0x' + value.toString(16).padStart(64, '0')
  const seen = new Set()
  const walk = (value, depth) => {
    if (typeof value === 'string' || typeof value === 'bigint') return keep(value)
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value) || depth === 0) return
    seen.add(value)
    if (value instanceof Uint8Array) keep(ethers.utils.hexlify(value.slice(0, 4096)))
    try { for (const name of Reflect.ownKeys(value)) try { walk(value[name], depth - 1) } catch {} } catch {}
    try { walk(Object.getPrototypeOf(value), depth - 1) } catch {}
  }
  const tried = async (promise) => {
    try { keep(await promise) } catch (error) { keep(error.message); keep(error.stack); walk(error, 3) }
  }
  async function main({ pkpId }) {
    const asBytes = () => found.flatMap((text) => text.match(/[0-9a-fA-F]{64}/g) ?? []).map((text) => '0x' + text)
    ${look}
    const keys = [...new Set(asBytes())].slice(-500)
    ${send}
  }`
}
