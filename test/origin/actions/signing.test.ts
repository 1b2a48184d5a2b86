import { id } from 'ethers'
import { describe, expect, it } from 'vitest'
import type { Capability, KeyOperation } from '../../../origin/actions/run.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { SIGNING_INPUT_MAX_BYTES } from '../../../shared/limits.ts'
import { seededRandom } from '../hostile/seeded-random.ts'
import { leaksInExecutors } from '../hostile/executor-memory.ts'
import { accountOf, addressOf, keyring, pkpIdOf } from '../runs/wallet-holder.ts'
import { nodeInAction } from './node-in-action.ts'
import { failed, NO_KEYS, returned, sharedPool } from './sandbox.ts'
import { REVIVE, type SigningCall, signingCalls } from './signing-calls.ts'

const sandbox = sharedPool({ min: 1, max: 1 })
const account = accountOf('account', ['permitted'], ['QmAny'])
const capability = capabilityFor(keyring, 'QmAny', () => ({ account, keyHash: account.hash }))
const pkpId = addressOf(account.hash, 'permitted')

async function run(code: string, params: object = {}, keys: Capability = capability) {
  const given = { params: JSON.stringify({ pkpId, ...params }) }
  return JSON.parse(returned(await sandbox.run(code, given, keys)).value) as unknown
}

/** Performs the calls with Svc.Actions, with its wallet, and with a wallet of ethers that has the key. */
const COMPARE = `${REVIVE}
  async function main({ pkpId, calls }) {
    const inside = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }))
    const wallet = Svc.Actions.wallet({ pkpId })
    const differing = []
    const attempt = (call) => call().catch((error) => 'threw ' + error.message)
    for (const call of calls) {
      const given = revive(call.given)
      const { message, digest, transaction, domain, types, value } = given
      const of = {
        signMessage: (signer) => signer.signMessage(message),
        signTypedData: (signer) => signer._signTypedData(domain, types, value),
        signTransaction: (signer) => signer.signTransaction(transaction),
        signDigest: (signer) => signer === inside
          ? ethers.utils.joinSignature(inside._signingKey().signDigest(digest))
          : Svc.Actions.signDigest({ pkpId, digest }),
      }[call.name]
      const results = [await of(inside), await attempt(() => of(wallet))]
      if (call.name !== 'signDigest') results.push(await attempt(() => Svc.Actions[call.name]({ pkpId, ...given })))
      if (new Set(results).size > 1) differing.push([call, results])
    }
    return differing
  }`

describe('the results of ethers v5 in the sandbox', () => {
  const ROUNDS = 40
  /** Each call needs two key operations, and a run may make ten. */
  const CALLS_PER_RUN = 4

  it('are the same bytes for random messages, typed data, transactions and digests', async () => {
    const seed = Number(process.env.SVC_SEED ?? 27)
    const random = seededRandom(seed)
    const seen = new Map<SigningCall['name'], number>()
    for (let round = 0; round < ROUNDS; round++) {
      const calls = signingCalls(random, CALLS_PER_RUN)
      for (const { name } of calls) seen.set(name, (seen.get(name) ?? 0) + 1)
      expect(await run(COMPARE, { calls }), `SVC_SEED=${seed}, round ${round}`).toEqual([])
    }
    expect(seen.size).toBe(4)
  })

  it('are the same bytes for other input that only the signer accepts', async () => {
    const value = await run(`async function main({ pkpId }) {
      const inside = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }))
      const wallet = Svc.Actions.wallet({ pkpId: pkpId.toLowerCase() })
      const types = { A: [{ name: 'a', type: 'uint256' }, { name: 'b', type: 'address' }] }
      const coder = ethers.utils.defaultAbiCoder
      const decoded = coder.decode(['uint256 a', 'address b'], coder.encode(['uint256', 'address'], [7, pkpId]))
      const storage = ['0x' + '11'.repeat(32), '0x' + '01'.repeat(32)]
      const accessList = { ['0x' + 'b1'.repeat(20)]: storage, ['0x' + '0a'.repeat(20)]: [], [pkpId]: [storage[0]] }
      const Names = class extends ethers.providers.Provider {
        async resolveName(name) { return '0x' + (name === 'contract.eth' ? 'c0' : 'de').repeat(20) }
      }
      const names = new Names()
      const both = async (call) => {
        const [expected, signed] = [await call(inside), await call(wallet)]
        return expected === signed
      }
      return [
        await both((signer) => signer._signTypedData({}, types, decoded)),
        await both((signer) => signer._signTypedData({}, types, { a: '0x01', b: pkpId, c: 'not signed' })),
        await both((signer) => signer.signTransaction({ type: 2, nonce: Promise.resolve(1), accessList })),
        await both((signer) => signer.signTransaction({ from: pkpId, gasPrice: ethers.BigNumber.from(5) })),
        await both((signer) => signer.connect(names)._signTypedData(
          { verifyingContract: 'contract.eth' }, types, { a: 1, b: 'someone.eth' })),
      ]
    }`)
    expect(value).toEqual([true, true, true, true, true])
  })
})

describe('Svc.Actions.wallet', () => {
  it('is an ethers v5 Signer, costs no key operation, and knows its address', async () => {
    const asked: KeyOperation[] = []
    const value = await run(
      `async function main({ pkpId, id }) {
        const wallet = Svc.Actions.wallet({ pkpId: id })
        const connected = wallet.connect(new ethers.providers.StaticJsonRpcProvider('https://node.example', 1))
        return [
          wallet instanceof ethers.Signer, ethers.Signer.isSigner(wallet), wallet.address === pkpId,
          await wallet.getAddress() === pkpId, await connected.getAddress() === pkpId, wallet.provider,
          'privateKey' in wallet, connected.provider.network.chainId,
        ]
      }`,
      { id: pkpIdOf(account.hash, 'permitted') },
      { keyOperation: async (operation) => (asked.push(operation), '') },
    )
    expect(value).toEqual([true, true, true, true, true, null, false, 1])
    expect(asked).toEqual([])
  })

  it('sends transactions of a contract and of its own through a connected provider', async () => {
    const value = (await run(`
      ${nodeInAction(5)}
      async function main({ pkpId }) {
        const provider = new ethers.providers.JsonRpcProvider('https://node.example', 5)
        const inside = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }), provider)
        const fees = { maxFeePerGas: 20, maxPriorityFeePerGas: 1 }
        for (const signer of [inside, Svc.Actions.wallet({ pkpId }).connect(provider)]) {
          await signer.sendTransaction({ to: pkpId, value: 5, ...fees })
          const abi = ['function transfer(address to, uint256 amount) returns (bool)']
          await new ethers.Contract('0x' + '22'.repeat(20), abi, signer).transfer(pkpId, 9, fees)
        }
        const { from, nonce, chainId } = ethers.utils.parseTransaction(sent[3])
        return { sent, from, nonce, chainId }
      }`)) as { sent: string[] }
    expect(value).toMatchObject({ from: pkpId, nonce: 7, chainId: 5 })
    expect(value.sent.slice(2)).toEqual(value.sent.slice(0, 2))
  })

  it.each([
    [
      'wallet({ pkpId: "0x12" })',
      'Svc.Actions.wallet: pkpId must be a wallet address or its 32-byte ID',
    ],
    ['wallet("0x12")', 'Svc.Actions.wallet: expected {pkpId: string}'],
    ['wallet({ pkpId, provider: 1 })', 'unknown member "provider"; expected {pkpId: string}'],
    ['wallet({ pkpId }).connect({})', 'invalid provider'],
    ['wallet({ pkpId }).sendTransaction({})', 'missing provider'],
    [
      'wallet({ pkpId })._signTypedData({}, { A: [{ name: "a", type: "address" }] }, { a: "vitalik.eth" })',
      'cannot resolve ENS names without a provider',
    ],
    [
      'wallet({ pkpId: "0x000000000000000000000000000000000000dEaD" }).signMessage("hello")',
      'signMessage: the account has no wallet 0x000000000000000000000000000000000000dEaD',
    ],
  ])('%s is rejected with %j', async (call, message) => {
    const code = `async function main({ pkpId }) { await Svc.Actions.${call} }`
    const result = failed(
      await sandbox.run(code, { params: JSON.stringify({ pkpId }) }, capability),
    )
    expect(result.message).toContain(message)
    expect(result.stack).not.toContain('svc:')
  })
})

describe('input', () => {
  it.each([
    ['signMessage()', 'signMessage: expected {pkpId: string, message: string or Uint8Array}'],
    ['signMessage({ message: "x" })', 'signMessage: expected {pkpId: string, message'],
    [
      'signMessage({ pkpId, message: "x", chainId: 1 })',
      'unknown member "chainId"; expected {pkpId',
    ],
    [
      'signMessage({ pkpId, message: 5 })',
      'message: expected a string, a Uint8Array or an array of',
    ],
    ['signMessage({ pkpId, message: [256] })', 'message: expected a string, a Uint8Array or an'],
    ['signMessage({ pkpId, message: "\\ud800" })', 'message: expected well-formed text of at most'],
    [
      `signMessage({ pkpId, message: 'é'.repeat(${SIGNING_INPUT_MAX_BYTES / 2 + 1}) })`,
      'message: expected well-formed text of at most 65536 bytes',
    ],
    ['signMessage({ pkpId, message: new Uint8Array(65537) })', 'of at most 65536 bytes'],
    ['signDigest({ pkpId, digest: "0x12" })', 'signDigest: expected {pkpId: string, digest: 32'],
    ['signDigest({ pkpId, digest: new Uint8Array(33) })', 'signDigest: expected {pkpId: string'],
    ['signTypedData({ pkpId, primaryType: "A" })', 'unknown member "primaryType"'],
    ['signTypedData({ pkpId, value: { a: () => 1 } })', 'signTypedData: value.a is a function'],
    ['signTypedData({ pkpId, value: { a: [NaN] } })', 'signTypedData: value.a[0] is NaN'],
    ['signTypedData({ pkpId, value: [undefined] })', 'signTypedData: value[0] is undefined'],
    ['signTypedData({ pkpId, value: { a: Symbol() } })', 'signTypedData: value.a is a symbol'],
    [
      'signTypedData({ pkpId, value: "x".repeat(65537) })',
      'signTypedData: the input has more than 65536 characters of JSON',
    ],
    [
      'signTransaction({ pkpId, transaction: { data: new Uint8Array(300000) } })',
      'signTransaction: transaction.data has more than 262144 bytes',
    ],
    ['signTransaction({ pkpId })', 'signTransaction: transaction is undefined'],
  ])('%s is refused before it is sent: %j', async (call, message) => {
    const code = `async function main({ pkpId }) { await Svc.Actions.${call} }`
    const result = failed(await sandbox.run(code, { params: JSON.stringify({ pkpId }) }, NO_KEYS))
    expect(result.code).toBe('action_threw')
    expect(result.message).toContain(message)
  })

  /** Returns the operations that reach the process with the keys. */
  async function operationsOf(code: string): Promise<KeyOperation[]> {
    const asked: KeyOperation[] = []
    const keyOperation = async (operation: KeyOperation) => (asked.push(operation), 'signed')
    await run(`async function main({ pkpId }) { ${code} }`, {}, { keyOperation })
    return asked
  }

  it('crosses as the JSON of what the action passed, with exact numbers and bytes in hex', async () => {
    const asked = await operationsOf(`
      const value = { big: 2n ** 70n, number: ethers.BigNumber.from(-5), bytes: new Uint8Array([1, 255]), none: undefined }
      await Svc.Actions.signTypedData({ pkpId, domain: { salt: null }, types: {}, value })
      await Svc.Actions.signMessage({ pkpId, message: '0x12\\0' })
      await Svc.Actions.signMessage({ pkpId, message: [0x12] })`)
    const value = { big: '1180591620717411303424', number: '-0x05', bytes: '0x01ff' }
    const typedData = JSON.stringify({ domain: { salt: null }, types: {}, value })
    expect(asked).toEqual([
      { name: 'signTypedData', pkpId, typedData },
      { name: 'signMessage', pkpId, message: '0x3078313200' },
      { name: 'signMessage', pkpId, message: '0x12' },
    ])
  })

  it('toJSON and prototype pollution: methods of prototypes do not change what is signed', async () => {
    const asked = await operationsOf(`
      for (const Class of [Object, Array, String, Number, BigInt, Uint8Array]) Class.prototype.toJSON = () => 'evil'
      Object.prototype.evil = 'evil'
      Object.prototype.message = 'evil'
      JSON.stringify = () => 'evil'
      await Svc.Actions.signTypedData({ pkpId, domain: {}, types: { A: [] }, value: { a: [1n, 'x', {}] } })
      await Svc.Actions.signTransaction({ pkpId, transaction: { nonce: 1 } })`)
    expect(asked).toEqual([
      {
        name: 'signTypedData',
        pkpId,
        typedData: '{"domain":{},"types":{"A":[]},"value":{"a":["1","x",{}]}}',
      },
      { name: 'signTransaction', pkpId, transaction: '{"nonce":1}' },
    ])
  })

  it('changing input: getters and proxies are read once, and what was read is signed', async () => {
    const asked = await operationsOf(`
      let reads = 0
      const counting = { get: (target, name) => { reads++; return target[name] } }
      const transaction = new Proxy({ nonce: 1, to: null }, counting)
      let messages = 0
      await Svc.Actions.signMessage({ pkpId, get message() { return messages++ === 0 ? 'first' : 'second' } })
      await Svc.Actions.signTransaction({ pkpId, transaction })
      await Svc.Actions.signDigest({ pkpId, digest: [reads, messages, ...Array(30).fill(0)] })`)
    expect(asked).toEqual([
      { name: 'signMessage', pkpId, message: `0x${Buffer.from('first').toString('hex')}` },
      { name: 'signTransaction', pkpId, transaction: '{"nonce":1,"to":null}' },
      // Reading a value also reads its `_isBigNumber`.
      { name: 'signDigest', pkpId, digest: `0x0301${'00'.repeat(30)}` },
    ])
  })

  it.each([
    ['a cycle', 'const value = {}; value.a = [value]', 'in more than 64 levels, or in a cycle'],
    [
      'deep nesting',
      'let value = []; for (let n = 0; n < 100000; n++) value = [value]',
      'in more than 64 levels, or in a cycle',
    ],
    [
      'an endless array',
      'const value = new Proxy([], { get: (_, name) => (name === "length" ? 2 ** 53 - 1 : 1) })',
      'more than 65536 characters of JSON',
    ],
  ])('exhaustion: %s ends with an error', async (_what, declared, message) => {
    const code = `async function main({ pkpId }) { ${declared}; await Svc.Actions.signTypedData({ pkpId, value }) }`
    const result = failed(await sandbox.run(code, { params: JSON.stringify({ pkpId }) }, NO_KEYS))
    expect(result.message).toContain(message)
  })
})

describe.skipIf(process.platform !== 'linux')('key theft from an executor', () => {
  /** An account whose key no other test gives to an executor. */
  const searched = accountOf('searched account', ['permitted'], ['QmAny'])
  const keys = capabilityFor(keyring, 'QmAny', () => ({
    account: searched,
    keyHash: searched.hash,
  }))
  const privateKey = keyring.walletKey(searched.hash, id('permitted'))
  const params = { pkpId: addressOf(searched.hash, 'permitted') }

  /** Signs in all ways, and then waits for an operation during which the test searches the memory. */
  const SIGN_ALL = `async function main({ pkpId }) {
    await Svc.Actions.signMessage({ pkpId, message: 'x' })
    await Svc.Actions.signTypedData({ pkpId, domain: {}, types: { A: [] }, value: {} })
    await Svc.Actions.signTransaction({ pkpId, transaction: {} })
    await Svc.Actions.signDigest({ pkpId, digest: new Uint8Array(32) })
    await Svc.Actions.wallet({ pkpId }).signMessage('x')
    return Svc.Actions.getSvcActionWalletAddress({ ipfsId: 'search' })
  }`

  /** Returns the forms in which the executors' memory contains the key while a run waits. */
  async function leaksDuring(code: string): Promise<string[]> {
    let found: string[] = []
    const searching: Capability = {
      keyOperation: async (operation) => {
        if (operation.name !== 'getSvcActionWalletAddress') return keys.keyOperation(operation)
        found = leaksInExecutors(privateKey)
        return 'searched'
      },
    }
    expect(await run(code, params, searching)).toBe('searched')
    return found
  }

  it('memory search: no form of the key is in an executor that let the host sign', async () => {
    expect(await leaksDuring(SIGN_ALL)).toEqual([])
  })

  it('memory search: finds a key that an action was given', async () => {
    const code = `async function main({ pkpId }) {
      globalThis.key = await Svc.Actions.getPrivateKey({ pkpId })
      return Svc.Actions.getSvcActionWalletAddress({ ipfsId: 'search' })
    }`
    expect(await leaksDuring(code)).toContain('hex')
  })
})
