import { describe, expect, it } from 'vitest'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import {
  SEND_TRANSACTION_CID,
  SEND_TRANSACTION_SOURCE,
} from '../../../shared/wire/send-transaction-action.ts'
import { readTransactionRequest } from '../../../origin/transactions/request.ts'

const ADDRESS = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const LOWER = ADDRESS.toLowerCase()
const REQUIRED = { pkpId: LOWER, chain: 'base', to: LOWER }

const read = (more: object) => readTransactionRequest({ ...REQUIRED, ...more }, 'action')

it('knows the CID of the built-in action', async () => {
  expect(await actionCid(SEND_TRANSACTION_SOURCE)).toBe(SEND_TRANSACTION_CID)
})

describe('a request for a transaction', () => {
  it('is normalized', () => {
    const given = {
      pkp_id: ADDRESS,
      chain: 'Base',
      to: ADDRESS,
      data: '0xABCD',
      value: '0x10',
      gas: 50_000,
      max_fee_per_gas: '2000000000',
      speed: 'fast',
      errors: ['Paused(uint256  until)', 'error Broke()'],
    }
    expect(readTransactionRequest(given, 'http')).toEqual({
      pkpId: `0x${'0'.repeat(24)}${LOWER.slice(2)}`,
      chain: 'base',
      to: LOWER,
      data: '0xabcd',
      value: 16n,
      gasLimit: 50_000n,
      maxFeePerGas: 2_000_000_000n,
      speed: 'fast',
      errors: ['error Paused(uint256 until)', 'error Broke()'],
    })
  })

  it('needs only a wallet, a chain and a recipient', () => {
    const expected = { chain: 'base', to: LOWER, data: '0x', value: 0n }
    expect(read({})).toEqual({ pkpId: expect.stringMatching(/^0x0{24}90f7/), ...expected })
    expect(read({ data: null, gas: undefined })).toEqual(read({}))
  })

  it.each([['8453'], [8453], [8453n], ['0x2105']])('accepts the chain ID %s', (chain) => {
    expect(read({ chain }).chain).toBe('8453')
  })

  it.each([['1000000000000000000'], [10n ** 18n], ['0xde0b6b3a7640000']])(
    'accepts the amount %s',
    (value) => {
      expect(read({ value }).value).toBe(10n ** 18n)
    },
  )

  it.each([
    [{ pkpId: undefined }, /^pkpId: missing; expected a wallet address/],
    [{ pkpId: '0x12' }, /^pkpId: expected the address of one wallet/],
    [{ pkpId: `0x${'0'.repeat(64)}` }, /^pkpId: expected the address of one wallet/],
    [{ chain: null }, /^chain: missing; expected the name of a chain/],
    [{ chain: 0 }, /^chain: is 0; name one chain/],
    [{ chain: 'x'.repeat(65) }, /^chain: expected an integer/],
    [{ to: null }, /^to: missing; expected an address; contracts cannot be created/],
    [{ to: 'vitalik.eth' }, /^to: expected an address.*instead of a name/],
    [{ to: ADDRESS.replace('F', 'f') }, /^to: the checksum of the address is wrong/],
    [{ data: '0xabc' }, /^data: expected bytes/],
    [{ data: `0x${'00'.repeat(65_537)}` }, /^data: has 65537 bytes; the limit is 65536/],
    [{ value: 0.1 }, /^value: expected an integer/],
    [{ value: 2 ** 53 }, /^value: expected an integer below 2\^53/],
    [{ value: '-1' }, /^value: expected an integer from 0/],
    [{ value: '01' }, /^value: expected an integer.*without leading zeros/],
    [{ value: '1 ether' }, /^value: expected an integer/],
    [{ value: 2n ** 256n }, /^value: expected an integer of at most 256 bits/],
    [{ gas: 20_999 }, /^gas: is 20999; a transaction needs at least 21000/],
    [{ gas: 2n ** 64n }, /^gas: expected an integer from 0 to 2\^64 - 1/],
    [{ maxFeePerGas: 0 }, /^maxFeePerGas: is 0/],
    [{ speed: 'warp' }, /^speed: expected fast, normal, cheap/],
    [{ errors: 'error A()' }, /^errors: expected an array/],
    [{ errors: ['error A(', 'error B()'] }, /^errors\[0\]: "error A\(" is not the signature/],
    [{ errors: [7] }, /^errors\[0\]: expected the signature of an error/],
    [{ errors: Array(33).fill('error A()') }, /^errors: has 33 entries; the limit is 32/],
    [{ nonce: 7 }, /^request: has the member "nonce"; expected only pkpId, chain, to/],
    [{ max_fee_per_gas: 7 }, /^request: has the member "max_fee_per_gas"/],
  ])('rejects %o', (more, message) => {
    expect(() => read(more)).toThrow(message)
  })

  it('rejects what is not an object', () => {
    for (const given of [undefined, null, 'base', [REQUIRED]])
      expect(() => readTransactionRequest(given, 'action')).toThrow(/^request: expected an object/)
  })
})
