/** Proofs signed by wallets: their only accepted form, their time window and their signer. */
import {
  concat,
  HDNodeWallet,
  hexlify,
  JsonRpcProvider,
  NonceManager,
  randomBytes,
  Signature,
  toBeHex,
  TypedDataEncoder,
  Wallet,
  zeroPadValue,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import type { WalletProof } from '../../../origin/accounts/wallet-proofs/wallet-proofs.ts'
import { WalletProofError } from '../../../origin/accounts/wallet-proofs/wallet-proof-error.ts'
import { WalletProofs } from '../../../origin/accounts/wallet-proofs/wallet-proofs.ts'
import { OverloadedError } from '../../../origin/admission/event-loop-load.ts'
import { CONCURRENT_CONTRACT_SIGNATURES_MAX } from '../../../shared/limits.ts'
import {
  type ProofTerms,
  type Purpose,
  PURPOSES,
  termNames,
  typedDataDigest,
  typedDataOf,
} from '../../../shared/crypto/typed-data.ts'
import {
  deployHostileWallet,
  deployOwnedWallet,
  HOSTILE_WAYS,
} from '../../doubles/contract-wallets/deploy.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { fundedKey, startChain } from '../chain.ts'

const CHAIN_ID = 31_337n
const NOW = 1_800_000_000
const wallet = new Wallet(`0x${'7'.repeat(64)}`)
const SIGNATURE = `0x${'11'.repeat(65)}`

let chain: Awaited<ReturnType<typeof startChain>>
let provider: JsonRpcProvider
let payer: NonceManager
let proofs: WalletProofs
beforeAll(async () => {
  chain = await startChain()
  provider = new JsonRpcProvider(chain.rpcUrl, undefined, { cacheTimeout: -1, pollingInterval: 20 })
  payer = new NonceManager(new Wallet(fundedKey(0), provider))
  proofs = new WalletProofs({ chain: { provider, chainId: CHAIN_ID }, now: () => NOW * 1000 })
})
afterAll(async () => {
  provider.destroy()
  await chain.close()
})

type Data = ReturnType<typeof typedDataOf>
const dataOf = (change: Partial<Parameters<typeof typedDataOf>[0]> = {}): Data =>
  typedDataOf({
    purpose: 'ConvertAccount',
    address: wallet.address,
    issuedAt: NOW,
    chainId: CHAIN_ID,
    ...change,
  })
/** The terms of a purpose, each with a value of its own. */
const termsOf = (purpose: Purpose): ProofTerms =>
  Object.fromEntries(termNames(purpose).map((name, n) => [name, toBeHex(n + 0xab, 32)]))
/** The typed data as parsed from JSON, with `change` applied. */
const changed = (change: (data: any) => void): unknown => {
  const data = JSON.parse(JSON.stringify(dataOf()))
  change(data)
  return data
}
const readAs = (typed_data: unknown, purpose: Purpose = 'ConvertAccount', signature = SIGNATURE) =>
  proofs.read({ typed_data, signature }, purpose)

function faultOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (error instanceof WalletProofError) return error.fault
    throw error
  }
  throw new Error('it was not refused')
}
const form = (isOfWrongType: boolean, field: string) => ({
  kind: 'form',
  isOfWrongType,
  message: expect.stringMatching(new RegExp(`(^|; )${field.replaceAll(/[.[\]]/g, '\\$&')}: `)),
})

const POLICY_TERMS = termsOf('SetWalletPolicy')

describe('attack: typed data of a purpose with terms', () => {
  const ofPolicy = (change: (data: any) => void): unknown => {
    const data = JSON.parse(
      JSON.stringify(dataOf({ purpose: 'SetWalletPolicy', terms: POLICY_TERMS })),
    )
    change(data)
    return data
  }

  it.each([
    [
      'without a term',
      true,
      'typed_data.message.policyHash',
      ofPolicy((d) => delete d.message.policyHash),
    ],
    [
      'with a short term',
      false,
      'typed_data.message.pkpId',
      ofPolicy((d) => (d.message.pkpId = '0x01')),
    ],
    [
      'whose type lacks a term',
      false,
      'typed_data.types.SetWalletPolicy',
      ofPolicy((d) => d.types.SetWalletPolicy.pop()),
    ],
    [
      'whose type has its terms in another order',
      false,
      'typed_data.types.SetWalletPolicy[2].name',
      ofPolicy((d) => d.types.SetWalletPolicy.push(...d.types.SetWalletPolicy.splice(2, 1))),
    ],
    [
      'that hides a term behind a name of the prototype',
      true,
      'typed_data.message.policyHash',
      ofPolicy((d) => {
        const { policyHash, ...message } = d.message
        d.message = JSON.parse(
          JSON.stringify(message).replace('{', `{"__proto__":{"policyHash":"${policyHash}"},`),
        )
      }),
    ],
  ])('is refused %s', (_what, isOfWrongType, field, data) => {
    expect(faultOf(() => readAs(data, 'SetWalletPolicy'))).toEqual(form(isOfWrongType, field))
  })

  it('is refused for a purpose without terms', () => {
    const data = changed(({ message }) => (message.policyHash = POLICY_TERMS.policyHash))
    expect(faultOf(() => readAs(data))).toMatchObject({ kind: 'form' })
  })
})

describe('valid typed data', () => {
  it.each(PURPOSES)('%s: has the digest that eth_signTypedData_v4 signs', (purpose) => {
    const terms = termsOf(purpose)
    const { domain, types, message, primaryType } = dataOf({ purpose, terms })
    const { [primaryType]: members } = types
    const digest = TypedDataEncoder.hash(domain, { [primaryType]: [...members!] }, message)
    expect(readAs(dataOf({ purpose, terms }), purpose)).toEqual({
      address: wallet.address,
      purpose,
      issuedAt: NOW,
      digest,
      terms,
      signature: SIGNATURE,
    })
  })

  it('has the digest that was recorded for the purposes with terms', () => {
    const address = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
    const digest = (purpose: Purpose, terms: ProofTerms) =>
      hexlify(typedDataDigest({ purpose, address, issuedAt: NOW, chainId: 8453, terms }))
    const policyHash = `0x${'ab'.repeat(32)}`
    expect(digest('CreatePolicyWallet', { policyHash })).toBe(
      '0xe17ed0ddc7fe9509258f71cbbb281be2d4695fc8a1a4dc26726466414bbcc82e',
    )
    expect(digest('SetWalletPolicy', { policyHash, pkpId: toBeHex(1, 32) })).toBe(
      '0x8d8d6e2a9cb1a05a74f4d7233f029d9606c021fb93a764652604f86c301bb7d3',
    )
  })

  it('cannot be built with a term too few, or a term of another purpose', () => {
    const policyHash = `0x${'ab'.repeat(32)}`
    for (const change of [
      { purpose: 'CreateWallet', terms: { policyHash } },
      { purpose: 'CreatePolicyWallet' },
      { purpose: 'SetWalletPolicy', terms: { policyHash } },
    ] as const)
      expect(() => dataOf(change)).toThrow(`${change.purpose} has the terms`)
  })

  it('has the same digest for every spelling of a number and every case of an address', () => {
    const { digest } = readAs(dataOf())
    const issuedAt = [
      NOW,
      String(NOW),
      `0x${NOW.toString(16)}`,
      `0x${NOW.toString(16).toUpperCase()}`,
    ]
    const spelled = [
      ...[...issuedAt, toBeHex(NOW, 32)].map((value) =>
        changed(({ message }) => (message.issuedAt = value)),
      ),
      ...['31337', '0x7a69', '0x7A69'].map((value) =>
        changed(({ domain }) => (domain.chainId = value)),
      ),
      ...[wallet.address.toLowerCase(), `0x${wallet.address.slice(2).toUpperCase()}`].map((value) =>
        changed(({ message }) => (message.address = value)),
      ),
    ]
    for (const data of spelled)
      expect(readAs(data)).toMatchObject({ digest, address: wallet.address })
  })

  it('may have its object members in any order, which is not part of the hash', () => {
    const turned = changed((data) => {
      data.domain = Object.fromEntries(Object.entries(data.domain).toReversed())
      data.message = Object.fromEntries(Object.entries(data.message).toReversed())
    })
    expect(readAs(turned).digest).toBe(readAs(dataOf()).digest)
  })

  it('is accepted up to 300 seconds before or after the clock, and not one second beyond', () => {
    for (const issuedAt of [NOW - 300, NOW + 300])
      expect(readAs(dataOf({ issuedAt })).issuedAt).toBe(issuedAt)
    for (const issuedAt of [NOW - 301, NOW + 301, 0, NOW * 1000, 2n ** 256n - 1n])
      expect(faultOf(() => readAs(dataOf({ issuedAt })))).toEqual({
        kind: 'outside_window',
        issuedAt: BigInt(issuedAt),
        now: NOW,
      })
  })
})

const TOO_LONG = `0x${'0'.repeat(65)}`
const DEEP = '['.repeat(20_000)

describe('typed data is rejected with the name of the field', () => {
  const wrongTypes: [string, string, unknown][] = [
    ['which is not there', 'typed_data', undefined],
    ['which is text, as some signers take it', 'typed_data', JSON.stringify(dataOf())],
    ['which is null', 'typed_data', null],
    ['without types', 'typed_data.types', changed((data) => delete data.types)],
    [
      'without the purpose among its types',
      'typed_data.types.ConvertAccount',
      changed(({ types }) => delete types.ConvertAccount),
    ],
    [
      'without a domain type',
      'typed_data.types.EIP712Domain',
      changed(({ types }) => delete types.EIP712Domain),
    ],
    [
      'whose type is no list',
      'typed_data.types.ConvertAccount',
      changed(({ types }) => (types.ConvertAccount = {})),
    ],
    [
      'whose member has no type',
      'typed_data.types.ConvertAccount[1].type',
      changed(({ types }) => delete types.ConvertAccount[1].type),
    ],
    ['without a primary type', 'typed_data.primaryType', changed((d) => delete d.primaryType)],
    ['without a domain', 'typed_data.domain', changed((data) => delete data.domain)],
    [
      'without a chain',
      'typed_data.domain.chainId',
      changed(({ domain }) => delete domain.chainId),
    ],
    [
      'whose version is a number',
      'typed_data.domain.version',
      changed(({ domain }) => (domain.version = 1)),
    ],
    ['without a message', 'typed_data.message', changed((data) => delete data.message)],
    [
      'without an address',
      'typed_data.message.address',
      changed(({ message }) => delete message.address),
    ],
    [
      'without a time',
      'typed_data.message.issuedAt',
      changed(({ message }) => delete message.issuedAt),
    ],
    ...[true, null, [NOW], { hex: '0x1' }].map((value): [string, string, unknown] => [
      `whose time is ${JSON.stringify(value)}`,
      'typed_data.message.issuedAt',
      changed(({ message }) => (message.issuedAt = value)),
    ]),
  ]
  it.each(wrongTypes)('%s (422)', (_what, field, data) => {
    expect(faultOf(() => readAs(data))).toEqual(form(true, field))
  })

  const ENS = 'vitalik.eth'
  const ICAP = 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'
  const badValues: [string, string, unknown][] = [
    ['with one more field', 'typed_data', changed((data) => (data.more = 1))],
    ['with one more type', 'typed_data.types', changed(({ types }) => (types.More = []))],
    [
      'with one more domain field',
      'typed_data.domain',
      changed(({ domain }) => (domain.salt = '1')),
    ],
    [
      'with one more in the message',
      'typed_data.message',
      changed(({ message }) => (message.x = 1)),
    ],
    [
      'with a __proto__ field',
      'typed_data.message',
      JSON.parse(
        JSON.stringify(dataOf()).replace('"message":{', '"message":{"__proto__":{"more":1},'),
      ),
    ],
    [
      'with one more in a member',
      'typed_data.types.ConvertAccount[0]',
      changed(({ types }) => (types.ConvertAccount[0].indexed = true)),
    ],
    [
      'with one more member of the purpose',
      'typed_data.types.ConvertAccount',
      changed(({ types }) => types.ConvertAccount.push({ name: 'nonce', type: 'uint256' })),
    ],
    [
      'with one member less',
      'typed_data.types.ConvertAccount',
      changed(({ types }) => types.ConvertAccount.pop()),
    ],
    [
      'with the members of the purpose in another order',
      'typed_data.types.ConvertAccount[0].name',
      changed(({ types }) => (types.ConvertAccount = types.ConvertAccount.toReversed())),
    ],
    [
      'with the members of the domain in another order',
      'typed_data.types.EIP712Domain[0].name',
      changed(({ types }) => (types.EIP712Domain = types.EIP712Domain.toReversed())),
    ],
    [
      'with one more member of the domain',
      'typed_data.types.EIP712Domain',
      changed(({ types }) =>
        types.EIP712Domain.push({ name: 'verifyingContract', type: 'address' }),
      ),
    ],
    [
      'with another type of a member',
      'typed_data.types.ConvertAccount[1].type',
      changed(({ types }) => (types.ConvertAccount[1].type = 'uint64')),
    ],
    [
      'of another primary type',
      'typed_data.primaryType',
      changed((d) => (d.primaryType = 'Permit')),
    ],
    ['for another purpose', 'typed_data.primaryType', dataOf({ purpose: 'CreateWallet' })],
    [
      'of another name',
      'typed_data.domain.name',
      changed(({ domain }) => (domain.name = 'Svc Chainsecured')),
    ],
    [
      'of another version',
      'typed_data.domain.version',
      changed(({ domain }) => (domain.version = '2')),
    ],
    ['for another chain', 'typed_data.domain.chainId', dataOf({ chainId: 1n })],
    [
      'for a chain that only rounds to this one',
      'typed_data.domain.chainId',
      changed(({ domain }) => (domain.chainId = '31337.0')),
    ],
    ...['+1', '-1', '1.0', '1e9', '', ' 1', '01', '0x', '0X1', '1n', TOO_LONG, '9'.repeat(79)].map(
      (value): [string, string, unknown] => [
        `whose time is ${JSON.stringify(value).slice(0, 20)}`,
        'typed_data.message.issuedAt',
        changed(({ message }) => (message.issuedAt = value)),
      ],
    ),
    ...[1.5, -1, 2 ** 53, 1e300].map((value): [string, string, unknown] => [
      `whose time is the number ${value}`,
      'typed_data.message.issuedAt',
      changed(({ message }) => (message.issuedAt = value)),
    ]),
    ...[ENS, ICAP, wallet.address.slice(2), `0X${wallet.address.slice(2)}`, '0x', ''].map(
      (value): [string, string, unknown] => [
        `whose address is ${JSON.stringify(value)}`,
        'typed_data.message.address',
        changed(({ message }) => (message.address = value)),
      ],
    ),
    ['of more than 4 KiB', 'typed_data', changed((data) => (data.domain.name = 'n'.repeat(4096)))],
    [
      'of more than 4 KiB of UTF-8, and fewer characters',
      'typed_data',
      changed((data) => (data.domain.name = '€'.repeat(1300))),
    ],
    [
      'nested so deeply that to write it would end the stack',
      'typed_data',
      JSON.parse(DEEP + ']'.repeat(20_000)),
    ],
  ]
  it.each(badValues)('%s (400)', (_what, field, data) => {
    expect(faultOf(() => readAs(data))).toEqual(form(false, field))
  })

  it('if the signature has a wrong type or form', () => {
    const reading = (signature: unknown) => () =>
      proofs.read({ typed_data: dataOf(), signature }, 'ConvertAccount')
    for (const signature of [undefined, null, 1, {}])
      expect(faultOf(reading(signature))).toEqual(form(true, 'signature'))
    for (const signature of ['', '11', '0x1', '0xzz', '0X11', `0x${'1'.repeat(2 * 8193)}`])
      expect(faultOf(reading(signature))).toEqual(form(false, 'signature'))
    for (const signature of ['0x', `0x${'1'.repeat(2 * 8192)}`])
      expect(reading(signature)()).toMatchObject({ signature })
  })
})

const signed = async (signer: Wallet | HDNodeWallet, data: Data = dataOf()): Promise<string> => {
  const types = { [data.primaryType]: [...data.types[data.primaryType]!] }
  return signer.signTypedData(data.domain, types, data.message)
}
const proofBy = async (signer: Wallet | HDNodeWallet, data?: Data): Promise<WalletProof> =>
  readAs(data ?? dataOf(), 'ConvertAccount', await signed(signer, data))
const verdict = async (proof: WalletProof, by = proofs): Promise<string> => {
  try {
    await by.verify(proof)
    return 'verified'
  } catch (error) {
    return error instanceof WalletProofError ? error.fault.kind : (error as Error).name
  }
}
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe('an ECDSA signature', () => {
  it('verifies for its address, with v counted from 27 or from 0', async () => {
    const proof = await proofBy(wallet)
    expect(await verdict(proof)).toBe('verified')
    const v = Number.parseInt(proof.signature.slice(-2), 16) - 27
    const signature = `${proof.signature.slice(0, -2)}0${v}`
    expect(await verdict({ ...proof, signature })).toBe('verified')
  })

  it('malleability: is rejected with a high s, which anyone can derive from a valid signature', async () => {
    const proof = await proofBy(wallet)
    const { r, s, v } = Signature.from(proof.signature)
    const high = toBeHex(ORDER - BigInt(s), 32)
    const signature = concat([r, high, toBeHex(v === 27 ? 28 : 27)])
    expect(await verdict({ ...proof, signature })).toBe('not_of_address')
  })

  it('is rejected in the compact form of EIP-2098, and unless it has 65 bytes and valid r, s and v', async () => {
    const proof = await proofBy(wallet)
    const { r, s, compactSerialized } = Signature.from(proof.signature)
    const others = [
      proof.signature.slice(0, -2),
      `${proof.signature}00`,
      compactSerialized,
      ...[2, 26, 29, 35, 36, 37, 255].map((v) => concat([r, s, toBeHex(v)])),
      '0x',
      concat([zeroPadValue('0x', 32), s, '0x1b']),
      concat([r, zeroPadValue('0x', 32), '0x1b']),
      concat([toBeHex(ORDER, 32), s, '0x1b']),
      concat([r, toBeHex(ORDER, 32), '0x1b']),
      concat([hexlify(new Uint8Array(64).fill(255)), '0x1b']),
    ]
    for (const signature of others)
      expect([signature, await verdict({ ...proof, signature })]).toEqual([
        signature,
        'not_of_address',
      ])
  })

  it('another wallet: is rejected if another wallet made it, or if it is over other data', async () => {
    const proof = await proofBy(wallet)
    const others = [
      await signed(new Wallet(hexlify(randomBytes(32)))),
      await signed(wallet, dataOf({ issuedAt: NOW + 1 })),
      await signed(wallet, dataOf({ chainId: 1n })),
      await signed(wallet, dataOf({ purpose: 'CreateWallet' })),
      await signed(wallet, dataOf({ address: `0x${'1'.repeat(40)}` })),
      await wallet.signMessage(proof.digest),
    ]
    for (const signature of others)
      expect(await verdict({ ...proof, signature })).toBe('not_of_address')
  })

  it('verifies for an account with EIP-7702 code, whatever that code returns', async () => {
    const code = await deployHostileWallet(payer, 'reverts')
    await provider.send('anvil_setCode', [wallet.address, concat(['0xef0100', code])])
    const proof = await proofBy(wallet)
    expect(await verdict(proof)).toBe('verified')
    expect(await verdict({ ...proof, signature: SIGNATURE })).toBe('not_of_contract')
    await provider.send('anvil_setCode', [wallet.address, '0x'])
  })
})

describe('a contract wallet', () => {
  const owner = new Wallet(hexlify(randomBytes(32)))

  it('decides which signatures are valid: accepts its owner and rejects others', async () => {
    const address = await deployOwnedWallet(payer, owner.address)
    const data = dataOf({ address })
    expect(await verdict(await proofBy(owner, data))).toBe('verified')
    expect(await verdict(await proofBy(wallet, data))).toBe('not_of_contract')
    const long = { ...(await proofBy(owner, data)), signature: `0x${'5a'.repeat(8192)}` }
    expect(await verdict(long)).toBe('not_of_contract')
  })

  it.each(HOSTILE_WAYS.slice(1))('is rejected if it %s', async (way) => {
    const address = await deployHostileWallet(payer, way)
    expect(await verdict(await proofBy(owner, dataOf({ address })))).toBe('not_of_contract')
  })

  it('yes to everything: is accepted for its own address, and for no other', async () => {
    const address = await deployHostileWallet(payer, 'says yes to everything')
    const proof = await proofBy(owner, dataOf({ address }))
    for (const signature of [proof.signature, '0x', `0x${'5a'.repeat(8192)}`])
      expect(await verdict({ ...proof, signature })).toBe('verified')
    const other = await proofBy(owner, dataOf({ address: wallet.address }))
    expect(await verdict(other)).toBe('not_of_address')
    const wrapped = concat([address, other.signature])
    expect(await verdict({ ...other, signature: wrapped })).toBe('not_of_address')
  })

  it('is rejected as counterfactual if it is not deployed, even with an ERC-6492 signature', async () => {
    const data = dataOf({ address: `0x${'c0'.repeat(20)}` })
    const proof = await proofBy(owner, data)
    const signature = concat([hexlify(randomBytes(96)), proof.signature, `0x${'6492'.repeat(16)}`])
    expect(await verdict({ ...proof, signature })).toBe('counterfactual')
    expect(await verdict(proof)).toBe('not_of_address')
  })
})

describe('a chain that cannot be queried', () => {
  const proofAt = () => proofBy(wallet, dataOf({ address: `0x${'c0'.repeat(20)}` }))
  const asking = async <Result>(
    answer: Parameters<typeof startWebServer>[0],
    ask: (proofs: WalletProofs) => Promise<Result>,
    askMs?: number,
  ) => {
    const server = await startWebServer(answer)
    const network = { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 }
    const node = new JsonRpcProvider(`http://127.0.0.1:${server.port}`, Number(CHAIN_ID), network)
    const options = { chain: { provider: node, chainId: CHAIN_ID }, now: () => NOW * 1000 }
    try {
      return await ask(new WalletProofs({ ...options, ...(askMs && { callTimeoutMs: askMs }) }))
    } finally {
      node.destroy()
      await server.close()
    }
  }

  it('is reported as unavailable after errors and malformed responses, and never makes a signature invalid', async () => {
    const proof = await proofAt()
    const bodies = [
      { error: { code: -32_000, message: 'execution reverted', data: '0x08c379a0' } },
      { error: { code: -32_603, message: 'header not found' } },
      { result: '0x' },
      { result: zeroPadValue('0x1626ba7e', 32) },
      { result: null },
    ]
    for (const body of bodies) {
      const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, ...body })
      const said = await asking(
        (_request, response) => void response.end(answer),
        (by) => verdict(proof, by),
      )
      expect([body, said]).toEqual([body, ContractUnavailableError.name])
    }
    const failing = (_request: unknown, response: any) => {
      response.statusCode = 500
      response.end()
    }
    expect(await asking(failing, (by) => verdict(proof, by))).toBe(ContractUnavailableError.name)
  })

  it('is called a limited number of times at once and times out, and ECDSA does not need it', async () => {
    const [proof, own] = [await proofAt(), await proofBy(wallet)]
    const held: { end(): void }[] = []
    const silent = (_request: unknown, response: any) => void held.push(response)
    await asking(
      silent,
      async (by) => {
        const asked = Array.from({ length: CONCURRENT_CONTRACT_SIGNATURES_MAX }, () =>
          verdict(proof, by),
        )
        expect(await verdict(proof, by)).toBe(OverloadedError.name)
        expect(await verdict(own, by)).toBe('verified')
        expect(new Set(await Promise.all(asked))).toEqual(new Set([ContractUnavailableError.name]))
        // The callers have given up, but the node still works on their calls.
        expect(await verdict(proof, by)).toBe(OverloadedError.name)
        for (const response of held) response.end()
      },
      200,
    )
  })
})
