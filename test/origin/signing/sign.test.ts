import { computeAddress, Wallet as WalletV6 } from 'ethers'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import type { SigningOperation } from '../../../origin/actions/run.ts'
import { digestOf } from '../../../origin/signing/digest.ts'
import { requestOf } from '../../../origin/signing/fields.ts'
import { readOperation, signRequest, type SigningWallet } from '../../../origin/signing/sign.ts'
import { SIGNING_INPUT_MAX_BYTES } from '../../../shared/limits.ts'
import { readRequest } from '../../../shared/policies/request.ts'
import { publishedVectors, sample, type Vector } from '../ethers/published/vectors.ts'

const { ethers } = createRequire(import.meta.url)('ethers-v5') as {
  ethers: typeof import('ethers-v5').ethers
}

const walletOf = (key: string) => ({ address: computeAddress(key), privateKey: () => key })
/** The key of the example in EIP-712: keccak256('cow'). */
const COW = ethers.utils.id('cow')
const cow = walletOf(COW)

const signForRun = (operation: SigningOperation, wallet: SigningWallet) =>
  signRequest(readOperation(operation, wallet.address), wallet)

const signMessage = (message: string) =>
  signForRun({ name: 'signMessage', pkpId: '', message }, cow)
const signDigest = (digest: string) => signForRun({ name: 'signDigest', pkpId: '', digest }, cow)
const signTypedData = (data: unknown) =>
  signForRun({ name: 'signTypedData', pkpId: '', typedData: JSON.stringify(data) }, cow)
const typedDataDigest = (typedData: string) => {
  const request = requestOf({ name: 'signTypedData', pkpId: '', typedData })
  return digestOf(readRequest(request, cow.address, 'ethers'))
}
const signTransaction = (transaction: unknown, wallet = cow) =>
  signForRun(
    { name: 'signTransaction', pkpId: '', transaction: JSON.stringify(transaction) },
    wallet,
  )

const DOMAIN = {
  name: 'Ether Mail',
  version: '1',
  chainId: 1,
  verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
}
const TYPES = {
  Person: [
    { name: 'name', type: 'string' },
    { name: 'wallet', type: 'address' },
  ],
  Mail: [
    { name: 'from', type: 'Person' },
    { name: 'to', type: 'Person' },
    { name: 'contents', type: 'string' },
  ],
}
const MAIL = {
  from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
  to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
  contents: 'Hello, Bob!',
}
/** Vectors of each published file. All of them take nine seconds. */
const VECTORS = 200
const TO = '0x000000000000000000000000000000000000dEaD'

describe('published examples and vectors', () => {
  it('signs the example of EIP-712', () => {
    expect(signTypedData({ domain: DOMAIN, types: TYPES, value: MAIL })).toBe(
      '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c',
    )
  })

  it('hashes the typed data of the tests of ethers v5', () => {
    const vectors = sample(publishedVectors('eip712'), VECTORS)
    const differing = vectors.filter(
      ({ domain, types, data, digest }) =>
        typedDataDigest(JSON.stringify({ domain, types, value: data })) !== digest,
    )
    expect(differing).toEqual([])
    expect(vectors).toHaveLength(VECTORS)
  })

  it('signs the typed transactions of the tests of ethers v5', () => {
    const vectors = sample(publishedVectors('typed-transactions'), VECTORS)
    const differing = vectors.filter(
      ({ key, tx, signed }) => signTransaction(tx, walletOf(key as string)) !== signed,
    )
    expect(differing).toEqual([])
    expect(vectors).toHaveLength(VECTORS)
  })

  it('signs the legacy transactions of the tests of ethers v5, with and without a chain ID', () => {
    const fields = ['nonce', 'gasPrice', 'gasLimit', 'to', 'value', 'data']
    const transactionOf = (vector: Vector) =>
      Object.fromEntries(Object.entries(vector).filter(([name]) => fields.includes(name)))
    const vectors = sample(publishedVectors('transactions'), VECTORS)
    const differing = vectors.filter((vector) => {
      const wallet = walletOf(vector.privateKey as string)
      const transaction = transactionOf(vector)
      return (
        signTransaction(transaction, wallet) !== vector.signedTransaction ||
        signTransaction({ ...transaction, chainId: 5 }, wallet) !== vector.signedTransactionChainId5
      )
    })
    expect(differing).toEqual([])
    expect(vectors).toHaveLength(VECTORS)
  })

  it('signs messages like ethers v6, from no bytes to the limit', async () => {
    for (const bytes of [0, 1, 9, 10, 135, 136, 137, SIGNING_INPUT_MAX_BYTES]) {
      const message = new Uint8Array(bytes).fill(0xe9)
      expect(signMessage(ethers.utils.hexlify(message))).toBe(
        await new WalletV6(COW).signMessage(message),
      )
    }
  })

  it('signs blob transactions, which only policies allow, like ethers v6', async () => {
    const fields = {
      type: 3,
      chainId: 1,
      nonce: 7,
      gasLimit: 21_000,
      maxFeePerGas: 300,
      maxPriorityFeePerGas: 200,
      maxFeePerBlobGas: 128,
      to: TO,
      value: 0,
      data: '0x80',
      accessList: [{ address: TO, storageKeys: [`0x${'11'.repeat(32)}`] }],
      blobVersionedHashes: [`0x01${'22'.repeat(31)}`],
    }
    const request = readRequest({ kind: 'transaction', transaction: fields }, cow.address)
    expect(signRequest(request, cow)).toBe(await new WalletV6(COW).signTransaction(fields))
  })

  it('signs lists of bytes and negative hex, which policies accept, like ethers v5', async () => {
    const data = {
      domain: { chainId: 1, salt: Array(32).fill(7) },
      types: {
        A: [
          { name: 'a', type: 'bytes4[]' },
          { name: 'b', type: 'bytes' },
          { name: 'c', type: 'int8' },
        ],
      },
      value: { a: [[1, 2, 3, 255]], b: [], c: '-0x05' },
    }
    const request = readRequest({ kind: 'typed_data', ...data }, cow.address)
    expect(signRequest(request, cow)).toBe(
      await new ethers.Wallet(COW)._signTypedData(data.domain, data.types, data.value),
    )
  })

  it('signs digests at and beyond the order of the curve like ethers v5', () => {
    const key = new ethers.utils.SigningKey(COW)
    const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
    for (const digest of [`0x${'00'.repeat(32)}`, `0x${order}`, `0x${'ff'.repeat(32)}`])
      expect(signDigest(digest)).toBe(ethers.utils.joinSignature(key.signDigest(digest)))
  })
})

describe('signTypedData refuses', () => {
  const field = (type: string, value: unknown) => ({
    domain: {},
    types: { A: [{ name: 'a', type }] },
    value: { a: value },
  })
  const typed = (types: unknown) => ({ domain: {}, types, value: {} })
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [
        `T${at}`,
        at + 1 < length ? [{ name: 'next', type: `T${at + 1}[]` }] : [],
      ]),
    )
  /** Each type refers to all later ones, so the number of paths doubles with each type. */
  const lattice = Object.fromEntries(
    Array.from({ length: 32 }, (_, at) => [
      `T${at}`,
      Array.from({ length: 31 - at }, (__, to) => ({ name: `f${to}`, type: `T${at + to + 1}[]` })),
    ]),
  )

  it.each<[string, unknown, string]>([
    ['JSON of another shape', [], 'typed data: expected an object'],
    ['a missing domain', { types: TYPES, value: MAIL }, 'domain: missing; expected an object'],
    ['a missing value', { domain: {}, types: TYPES }, 'value: missing; expected an object'],
    [
      'an unknown member of the domain',
      { domain: { chainid: 1 }, types: TYPES, value: MAIL },
      'domain: has the member "chainid"; expected only name, version, chainId, verifyingContract, salt',
    ],
    [
      'a domain that is missing a checksum',
      { domain: { verifyingContract: '0xCccCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC' }, types: TYPES },
      'domain.verifyingContract: the checksum of the address is wrong',
    ],
    ['a short salt', { domain: { salt: '0x00' }, types: TYPES }, 'domain.salt: has 1 bytes'],
    ['no types', typed({}), 'types: expected at least one struct type'],
    ['EIP712Domain', typed({ EIP712Domain: [] }), 'types.EIP712Domain: leave it out'],
    ['a struct type named like another type', typed({ uint256: [] }), 'types.uint256: the name is'],
    ['a type that is no list', typed({ A: { name: 'a' } }), 'types.A: expected an array'],
    ['a field without a name', typed({ A: [{ type: 'bool' }] }), 'types.A[0].name: expected a'],
    [
      'an unknown member of a field',
      typed({ A: [{ name: 'a', type: 'bool', indexed: true }] }),
      'types.A[0]: has the member "indexed"; expected only name, type',
    ],
    [
      'two fields of the same name',
      typed({ A: [0, 1].map(() => ({ name: 'a', type: 'bool' })) }),
      'types.A: two fields have the same name',
    ],
    ['an unknown type', field('Other', 1), 'types.A[0].type: expected a type of EIP-712'],
    ['the alias uint', field('uint', 1), 'types.A[0].type: EIP-712 has no uint; use uint256'],
    ['uint7', field('uint7', 1), 'types.A[0].type: expected a type of EIP-712'],
    ['bytes33', field('bytes33', '0x'), 'types.A[0].type: expected a type of EIP-712'],
    ['an array of length 0', field('bool[0]', []), 'types.A[0].type: expected a type of EIP-712'],
    ['nine dimensions', field(`bool${'[]'.repeat(9)}`, []), 'at most eight array dimensions'],
    [
      'two primary types',
      typed({ A: [], B: [] }),
      'types: expected one primary type, found A, B; remove the types that are not used',
    ],
    ['a type that contains itself', field('A[]', []), 'types.A: contains itself'],
    ['33 struct types', typed(chain(33)), 'types: has 33 struct types; the limit is 32'],
    [
      'long names',
      typed({ A: [{ name: 'a'.repeat(4100), type: 'bool' }] }),
      'types: the names and types have 4105 characters; the limit is 4096',
    ],
    ['a missing field', field('bool', undefined), 'value.a: missing; expected bool'],
    [
      'a member that is no field',
      { ...field('bool', true), value: { a: true, b: 1 } },
      'value: has the member "b", which its type does not have; remove it, or add it to the types',
    ],
    ['a number as bool', field('bool', 1), 'value.a: expected true or false'],
    ['a number as string', field('string', 1), 'value.a: expected a string'],
    ['a lone surrogate', field('string', '\ud800'), 'value.a: contains a lone surrogate'],
    ['an imprecise number', field('uint256', 2 ** 53), 'value.a: expected an integer below 2^53'],
    ['a fraction', field('uint256', 0.5), 'value.a: expected an integer'],
    ['an empty number', field('uint256', ''), 'value.a: expected an integer of at most 256 bits'],
    ['a binary number', field('uint256', '0b1'), 'value.a: expected an integer'],
    ['a number with spaces', field('uint256', ' 1'), 'value.a: expected an integer'],
    ['a negative uint', field('uint8', -1), 'value.a: out of range for uint8'],
    ['256 as uint8', field('uint8', 256), 'value.a: out of range for uint8'],
    ['128 as int8', field('int8', '128'), 'value.a: out of range for int8'],
    [
      '2^256',
      field('uint256', `1${'0'.repeat(77)}`.replace('1', '9')),
      'value.a: expected an integer of at most 256 bits',
    ],
    ['an address without 0x', field('address', 'ab'.repeat(20)), 'value.a: expected an address'],
    ['an ENS name', field('address', 'vitalik.eth'), 'value.a: expected an address'],
    ['odd hex', field('bytes', '0x123'), 'value.a: expected bytes'],
    ['numbers that are no bytes', field('bytes', [1, 256]), 'value.a: expected bytes'],
    ['too few bytes', field('bytes4', '0x123456'), 'value.a: has 3 bytes; expected 4'],
    ['too few items', field('bool[2]', [true]), 'value.a: has 1 items; expected 2'],
    ['an object as array', field('bool[]', { length: 0 }), 'value.a: expected an array'],
    [
      'more than 512 values',
      field('bool[]', Array(512).fill(true)),
      'the typed data has more than 512 values; compute its hash in the action, and use signDigest',
    ],
    [
      'more than 64 KiB',
      field('string', 'é'.repeat(SIGNING_INPUT_MAX_BYTES / 2)),
      `bytes of JSON; the limit is ${SIGNING_INPUT_MAX_BYTES}`,
    ],
  ])('%s', (_what, data, message) => {
    expect(() => signTypedData(data)).toThrow(message)
  })

  it('exponential types: struct types that refer to each other in 2^31 ways', () => {
    expect(() => signTypedData(typed(lattice))).toThrow(
      'refer to each other in more than 1024 ways',
    )
  })

  it.each([
    ['a space', 'a b'],
    ['a parenthesis', 'a)B(uint256 c'],
    ['__proto__', '__proto__'],
  ])('forged type encoding: a name with %s', (_what, name) => {
    const types = JSON.parse(`{"A":[{"name":${JSON.stringify(name)},"type":"bool"}]}`) as object
    expect(() => signTypedData(typed(types))).toThrow('types.A[0].name: expected a name of letters')
    const named = JSON.parse(`{${JSON.stringify(name)}:[]}`) as object
    expect(() => signTypedData(typed(named))).toThrow(/^types\..*: expected a name of letters/)
  })

  it('prototype pollution: members named __proto__ and inherited names', () => {
    const hostile = (value: string) =>
      `{"domain":{},"types":{"A":[{"name":"toString","type":"string"}]},"value":${value}}`
    const digest = (value: string) => typedDataDigest(hostile(value))
    expect(() => digest('{"__proto__":{"toString":"inherited"}}')).toThrow(
      'value: has the member "__proto__"',
    )
    expect(() => digest('{}')).toThrow('value.toString: missing')
    expect(digest('{"toString":"own"}')).toMatch(/^0x[0-9a-f]{64}$/)
  })
})

describe('signTransaction refuses', () => {
  const key = `0x${'00'.repeat(32)}`

  it.each<[string, unknown, string]>([
    ['no transaction', null, 'transaction: expected an object'],
    ['a blob transaction', { type: 3 }, 'transaction.type: expected 0 (legacy), 1 (EIP-2930) or 2'],
    ['a set-code transaction', { type: 4 }, 'other types, such as blob transactions, cannot be'],
    ['a type in hex', { type: '0x2' }, 'transaction.type: expected 0'],
    [
      'fees without a type',
      { maxFeePerGas: 1 },
      'transaction: has the member "maxFeePerGas", which a transaction of type 0 does not have; remove it, or set type: 2',
    ],
    [
      'a list of blobs',
      { type: 2, blobVersionedHashes: [] },
      'has the member "blobVersionedHashes"',
    ],
    ['authorizations', { type: 2, authorizationList: [] }, 'has the member "authorizationList"'],
    ['custom data', { type: 2, customData: {} }, 'has the member "customData"'],
    ['the name gas', { gas: 21000 }, 'has the member "gas", which a transaction of type 0'],
    [
      'another sender',
      { from: TO },
      `transaction.from: is not the address of the wallet, ${cow.address}`,
    ],
    ['no address', { to: '0x' }, 'transaction.to: expected an address'],
    ['an empty address', { to: '' }, 'transaction.to: expected an address'],
    ['a name', { to: 'vitalik.eth' }, 'transaction.to: expected an address'],
    [
      'a negative value',
      { value: -1 },
      'transaction.value: expected an integer from 0 to 2^256 - 1',
    ],
    ['an imprecise value', { value: 1e18 }, 'transaction.value: expected an integer below 2^53'],
    [
      'a large nonce',
      { nonce: '0x20000000000000' },
      'transaction.nonce: expected an integer from 0 to 2^53 - 1',
    ],
    [
      'a large chain ID',
      { chainId: '0x20000000000000' },
      'transaction.chainId: expected an integer',
    ],
    ['odd data', { data: '0x1' }, 'transaction.data: expected bytes'],
    [
      'more than 64 KiB of data',
      { data: `0x${'00'.repeat(SIGNING_INPUT_MAX_BYTES + 1)}` },
      `transaction.data: has 65537 bytes; the limit is ${SIGNING_INPUT_MAX_BYTES}`,
    ],
    ['another gas price', { type: 2, gasPrice: 1, maxFeePerGas: 2 }, 'differs from maxFeePerGas'],
    ['a priority fee above the fee', { type: 2, maxPriorityFeePerGas: 1 }, 'exceeds maxFeePerGas'],
    ['an access list in a legacy transaction', { accessList: [] }, 'or set type: 1'],
    ['an object as access list', { type: 1, accessList: { [TO]: [] } }, 'expected an array'],
    ['an address alone', { type: 1, accessList: [TO] }, 'transaction.accessList[0]: expected an'],
    [
      'an unknown member of the access list',
      { type: 1, accessList: [{ address: TO, keys: [] }] },
      'transaction.accessList[0]: has the member "keys"; expected only address, storageKeys',
    ],
    [
      'a short storage key',
      { type: 1, accessList: [[TO, ['0x00']]] },
      'transaction.accessList[0].storageKeys[0]: has 1 bytes; expected 32',
    ],
    [
      'a long access list',
      { type: 1, accessList: [[TO, Array(128).fill(key)]] },
      'transaction.accessList: has more than 128 addresses and storage keys',
    ],
  ])('%s', (_what, transaction, message) => {
    expect(() => signTransaction(transaction)).toThrow(message)
  })

  it('prototype pollution: a member named __proto__', () => {
    const transaction = '{"__proto__":{"to":"0x000000000000000000000000000000000000dEaD"}}'
    expect(() => signForRun({ name: 'signTransaction', pkpId: '', transaction }, cow)).toThrow(
      'has the member "__proto__"',
    )
  })
})

it.each([
  ['signMessage', 'text', () => signMessage('hello'), 'message: expected bytes'],
  [
    'signMessage',
    'a long message',
    () => signMessage(`0x${'00'.repeat(65537)}`),
    'has 65537 bytes',
  ],
  ['signDigest', '31 bytes', () => signDigest(`0x${'00'.repeat(31)}`), 'has 31 bytes; expected 32'],
  ['signDigest', 'no hex', () => signDigest('z'.repeat(66)), 'digest: expected bytes'],
])('%s refuses %s', (_name, _what, call, message) => {
  expect(call).toThrow(message)
})

it('derives the private key only after the input was found to be valid', () => {
  const derived: string[] = []
  const wallet = { ...cow, privateKey: () => (derived.push('key'), COW) }
  expect(() => signTransaction({ type: 3 }, wallet)).toThrow('transaction.type')
  expect(derived).toEqual([])
  signTransaction({ to: TO }, wallet)
  expect(derived).toEqual(['key'])
})
