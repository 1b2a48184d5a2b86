/** `svc tx` against a server that responds as the origin would. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { amountText, weiOf } from '../../../shared/cli/transactions/amounts.ts'
import { sendFields } from '../../../shared/cli/transactions/send-fields.ts'
import type { TransactionRecord } from '../../../shared/wire/transactions.ts'
import { type Surroundings, svc } from './command-line.ts'

const KEY = `${'k'.repeat(42)}A=`
const USAGE_KEY = `${'u'.repeat(42)}A=`
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const ID = `tx_${'a1'.repeat(16)}`
const HASH = `0x${'12'.repeat(32)}`

const RECORD: TransactionRecord = {
  id: ID,
  state: 'broadcast',
  waiting_for: 'fees',
  waiting_message: null,
  chain: 'base',
  chain_id: 8453,
  wallet_address: WALLET,
  pkp_id: `0x${'0'.repeat(24)}${WALLET.slice(2).toLowerCase()}`,
  to: TO,
  data: '0x',
  value: '10000000000000000',
  gas: '21000',
  max_fee_per_gas: '40000000000',
  speed: 'normal',
  nonce: 7,
  attempts: [
    {
      hash: HASH,
      kind: 'send',
      nonce: 7,
      max_fee_per_gas: '20000000000',
      max_priority_fee_per_gas: '1000000000',
      created_at: '2026-07-01T12:00:00.000Z',
    },
  ],
  mined: null,
  replaced_by: null,
  failure: null,
  policy: null,
  action_cid: null,
  run_id: null,
  step: null,
  created_at: '2026-07-01T12:00:00.000Z',
  updated_at: '2026-07-01T12:00:00.000Z',
  ended_at: null,
}
const FINAL: TransactionRecord = {
  ...RECORD,
  state: 'final',
  waiting_for: null,
  mined: {
    hash: HASH,
    block_number: 12,
    block_hash: HASH,
    gas_used: '21000',
    effective_gas_price: '1500000007',
  },
  ended_at: '2026-07-01T12:01:00.000Z',
}

type Asked = { path: string; body: unknown; key: unknown; idempotencyKey: unknown }

let server: Server
let base: string
let answer: (path: string) => unknown
const asked: Asked[] = []
const folder = mkdtempSync(join(tmpdir(), 'svc-tx-'))

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((sent) => {
      const path = request.url!.replace('/core/v1/', '')
      const { 'x-api-key': key, 'idempotency-key': idempotencyKey } = request.headers
      asked.push({ path, body: sent === '' ? undefined : JSON.parse(sent), key, idempotencyKey })
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer(path)))
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  base = `http://localhost:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  asked.length = 0
  answer = (path) => (path.startsWith('transactions') ? [RECORD] : RECORD)
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const tx = (words: string[], around: Surroundings = {}) => {
  const environment = { SVC_CONFIG_DIR: join(folder, 'config'), SVC_API_KEY: KEY }
  return svc(['tx', ...words, '--base-url', base], { environment, folder, ...around })
}
const SEND = ['send', '--wallet', WALLET, '--chain', 'base', '--to', TO]

describe('svc tx send', () => {
  it('sends the fields with the account key, and prints the ID and what it waits for', async () => {
    const { code, out } = await tx([
      ...SEND,
      '--value',
      '0.01ether',
      '--max-fee',
      '40gwei',
      '--idempotency-key',
      'invoice 17',
    ])
    expect(code).toBe(0)
    expect(asked).toEqual([
      {
        path: 'send_transaction',
        body: {
          pkp_id: WALLET,
          chain: 'base',
          to: TO,
          value: '10000000000000000',
          max_fee_per_gas: '40000000000',
        },
        key: KEY,
        idempotencyKey: 'invoice 17',
      },
    ])
    expect(out).toContain(`id       ${ID}\nstate    broadcast\ndetails  Waiting for lower fees`)
    expect(out).toMatch(/Signed:\nsend {2}nonce 7 {2}at most 20 gwei per gas {2}2026-07-01/)
  })

  it('uses a usage key only if an option names one', async () => {
    const environment = {
      SVC_CONFIG_DIR: join(folder, 'config'),
      SVC_API_KEY: KEY,
      SVC_USAGE_KEY: USAGE_KEY,
    }
    await tx(SEND, { environment })
    const fromInput = { environment: { SVC_CONFIG_DIR: join(folder, 'config') } }
    await tx([...SEND, '--usage-key-file', '-'], { ...fromInput, standardInput: USAGE_KEY })
    expect(asked.map(({ key }) => key)).toEqual([KEY, USAGE_KEY])
  })

  it('waits until the transaction is final', async () => {
    answer = (path) => (path.startsWith('transactions') ? [FINAL] : RECORD)
    const { code, out } = await tx([...SEND, '--wait', 'final'])
    expect(code).toBe(0)
    expect(out).toContain('paid      21000 gas at 1.500000007 gwei')
    expect(out).toContain(`explorer  https://basescan.org/tx/${HASH}`)
  })

  it('does not print escape sequences of a revert reason', async () => {
    const message = 'no\u001b[2J\u202e'
    answer = () => ({ ...RECORD, state: 'failed', failure: { code: 'would_revert', message } })
    expect((await tx(SEND)).out).toContain('details  Would revert: no?[2J?.')
  })

  it.each([
    [['--value', '1.5'], /--value: expected an amount such as/],
    [['--value', '0.1gwei2'], /--value: expected an amount/],
    [['--max-fee', '-1'], /max-fee/],
    [['--arg', '1'], /--arg needs --call/],
    [['--call', 'transfer(address,uint256)', '--data', '0x'], /either --call or --data/],
    [['--call', 'transfer(address,uint256)', '--arg', TO], /--call transfer.*argument/],
    [['--call', 'transfer(', '--arg', TO], /--call transfer\(: /],
    [['--wait', 'signed'], /Expected mined or final/],
  ])('exits with 2 for %j, and sends nothing', async (words, message) => {
    const { code, err } = await tx([...SEND, ...words])
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
    expect(asked).toEqual([])
  })
})

describe('svc tx wait', () => {
  it.each([
    ['final', 'final', 0],
    ['final', 'mined', 0],
    ['mined', 'mined', 0],
    ['failed', 'mined', 1],
    ['cancelled', 'final', 1],
    ['replaced', 'final', 1],
    ['mined', 'final', 7],
    ['broadcast', 'mined', 7],
  ] as const)('of a transaction that is %s, for %s, exits with %d', async (state, wanted, code) => {
    const ended_at = state === 'mined' || state === 'broadcast' ? null : FINAL.ended_at
    answer = () => [{ ...FINAL, state, ended_at }]
    const ran = await tx(['wait', ID, '--for', wanted, '--timeout', '0', '--json'])
    expect(ran.code).toBe(code)
    expect(JSON.parse(ran.out)).toMatchObject({ id: ID, state })
  })
})

it('svc tx list sends the filter, and prints one line for each transaction', async () => {
  answer = () => [RECORD, { ...FINAL, id: `tx_${'b2'.repeat(16)}` }]
  const { out } = await tx(['list', '--wallet', WALLET, '--state', 'broadcast', '--limit', '1'])
  const short = `${TO.slice(0, 6)}…${TO.slice(-4)}`
  expect(out).toBe(
    `2026-07-01 12:00:00Z  ${ID}  broadcast, waiting for fees  base  0.01 ether  ${short}\n`,
  )
  expect(asked[0]!.path).toMatch(new RegExp(`^transactions\\?pkp_id=${WALLET}&state=broadcast&`))
  answer = () => []
  expect((await tx(['list'])).out).toBe('no transactions\n')
})

it('svc tx show exits with 5 for an unknown ID', async () => {
  expect((await tx(['show', ID])).out).toContain(ID)
  answer = () => []
  expect((await tx(['show', ID])).code).toBe(5)
})

it('svc tx speed-up and cancel name the transaction', async () => {
  await tx(['speed-up', ID, '--max-fee', '80gwei'])
  await tx(['speed-up', ID])
  await tx(['cancel', ID])
  expect(asked.map(({ path, body }) => [path, body])).toEqual([
    ['speed_up_transaction', { id: ID, max_fee_per_gas: '80000000000' }],
    ['speed_up_transaction', { id: ID }],
    ['cancel_transaction', { id: ID }],
  ])
})

describe('svc tx defaults', () => {
  const BASE = { chain: 'base', chain_id: 8453, max_fee_per_gas: '40000000000', low_balance: null }
  const ETHEREUM = { chain: 'ethereum', chain_id: 1, max_fee_per_gas: null, low_balance: '5' }
  beforeEach(() => {
    answer = (path) => (path === 'get_transaction_defaults' ? [BASE, ETHEREUM] : BASE)
  })
  const changed = () => asked.filter(({ path }) => path === 'set_transaction_defaults')

  it('show prints a line for each chain', async () => {
    const { out } = await tx(['defaults', 'show'])
    expect(out).toBe(
      'base      at most 40 gwei per gas  no low balance\nethereum  no highest fee           low below 5 wei\n',
    )
    answer = () => []
    expect((await tx(['defaults', 'show'])).out).toBe('no chains\n')
  })

  it.each([
    ['base', ['--low-balance', '0.05ether'], BASE.max_fee_per_gas, '50000000000000000'],
    ['8453', ['--max-fee', '2gwei'], '2000000000', undefined],
    ['Ethereum', ['--max-fee', '3gwei'], '3000000000', '5'],
    ['base', ['--max-fee', 'none'], undefined, undefined],
  ])('set on %s with %j keeps what is not named', async (chain, options, fee, low) => {
    const { code } = await tx(['defaults', 'set', chain, ...options])
    expect(code).toBe(0)
    expect(changed()).toMatchObject([{ key: KEY }])
    expect(changed()[0]!.body).toEqual({
      chain,
      ...(fee !== undefined && { max_fee_per_gas: fee }),
      ...(low !== undefined && { low_balance: low }),
    })
  })

  it('set changes nothing without an option, or with an invalid amount', async () => {
    expect(await tx(['defaults', 'set', 'base'])).toMatchObject({ code: 2 })
    const { code, err } = await tx(['defaults', 'set', 'base', '--max-fee', '40 gwai'])
    expect([code, err]).toEqual([2, expect.stringContaining('--max-fee: expected an amount')])
    expect(changed()).toEqual([])
  })
})

it.each([
  ['0', '0 wei'],
  ['999999', '999999 wei'],
  ['1000000', '0.001 gwei'],
  ['1500000000', '1.5 gwei'],
  ['100000000000000', '0.0001 ether'],
  ['1000000000000000001', '1.000000000000000001 ether'],
])('formats %s wei as %s, which reads back as the same amount', (wei, shown) => {
  expect(amountText(wei)).toBe(shown)
  expect(weiOf('--value', shown)).toBe(wei)
})

describe('--call', () => {
  const data = (call: string, ...arg: string[]) =>
    sendFields({ wallet: WALLET, chain: 'base', to: TO, call, arg }).data

  it('encodes arguments of all kinds', () => {
    const word = (value: string) => value.padStart(64, '0')
    expect(data('transfer(address,uint256)', TO, '25')).toBe(
      `0xa9059cbb${word(TO.slice(2).toLowerCase())}${word('19')}`,
    )
    expect(data('function f(bool,uint8[] values)', 'true', '[1,2]')).toMatch(
      new RegExp(`^0x\\w{8}${word('1')}${word('40')}${word('2')}${word('1')}${word('2')}$`),
    )
  })

  it('does not round an integer that JavaScript numbers cannot represent', () => {
    const max = (2n ** 256n - 1n).toString()
    expect(data('f(uint256)', max)).toMatch(/^0x\w{8}f{64}$/)
  })
})
