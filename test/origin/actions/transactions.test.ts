import { describe, expect, it } from 'vitest'
import { parseExecutorMessage } from '../../../origin/actions/messages.ts'
import type { KeyOperation } from '../../../origin/actions/run.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import {
  EXECUTION_WALL_MAX_MS,
  KEY_OPERATIONS_MAX,
  TRANSACTION_JSON_MAX_CHARACTERS,
} from '../../../shared/limits.ts'
import { SEND_TRANSACTION_SOURCE } from '../../../shared/wire/send-transaction-action.ts'
import { accountOf, addressOf, keyring } from '../runs/wallet-holder.ts'
import { RecordingService } from '../transactions/recording-service.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool({ min: 1, max: 1 })
const account = accountOf('account', ['permitted'], ['QmAny'])
const pkpId = addressOf(account.hash, 'permitted')
const TO = '0x000000000000000000000000000000000000dEaD'

function sending(service = new RecordingService()) {
  const principal = () => ({ account, keyHash: account.hash })
  return { service, capability: capabilityFor(keyring, 'QmAny', principal, undefined, { service }) }
}

async function run(code: string, { service, capability } = sending(), params: object = {}) {
  const given = { params: JSON.stringify({ pkpId, chain: 'base', to: TO, ...params }) }
  const result = returned(await sandbox.run(code, given, capability))
  return { service, value: JSON.parse(result.value) as unknown }
}

describe('Svc.Actions.sendTransaction', () => {
  it('accepts the values that ethers v5 and JavaScript have', async () => {
    const code = `async function main({ pkpId, chain, to }) {
      const { id, state } = await Svc.Actions.sendTransaction({
        pkpId, chain, to,
        data: new Uint8Array([1, 255]),
        value: ethers.utils.parseEther('1'),
        gas: 50_000n,
        maxFeePerGas: '0x77359400',
        speed: 'fast',
        errors: ['error Paused(uint256 until)'],
        idempotencyKey: 'event 7',
      })
      return { id, state }
    }`
    const { service, value } = await run(code)
    expect(value).toEqual({ id: expect.stringMatching(/^tx_[0-9a-f]{32}$/), state: 'queued' })
    const [{ request, origin }] = service.requests as [RecordingService['requests'][0]]
    expect(request).toEqual({
      pkpId: `0x${'0'.repeat(24)}${pkpId.slice(2).toLowerCase()}`,
      chain: 'base',
      to: TO.toLowerCase(),
      data: '0x01ff',
      value: 10n ** 18n,
      gasLimit: 50_000n,
      maxFeePerGas: 2_000_000_000n,
      speed: 'fast',
      errors: ['error Paused(uint256 until)'],
    })
    expect(origin.idempotencyKey).toBe('event 7')
  })

  it('is called by the built-in action with its params', async () => {
    const { service, value } = await run(SEND_TRANSACTION_SOURCE, sending(), { value: '7' })
    expect(value).toMatchObject({ state: 'queued', chain: 'base', value: '7' })
    expect(service.requests).toHaveLength(1)
  })

  it('rejects other input with an error that names the field', async () => {
    const code = `async function main({ pkpId, chain, to }) {
      const given = { pkpId, chain, to }
      const said = (more) => Svc.Actions.sendTransaction(more && { ...given, ...more })
        .then(() => 'sent', (error) => error.message)
      return [
        await said(undefined), await said({ nonce: 1 }), await said({ value: 0.5 }),
        await said({ value: 'all' }), await said({ to: 'vitalik.eth' }), await said({ data: () => 1 }),
        await said({ chain: 'sepolia' }), await said({ data: new Uint8Array(300_000) }),
      ]
    }`
    expect((await run(code)).value).toEqual([
      expect.stringMatching(/^Svc.Actions.sendTransaction: expected \{pkpId, chain, to, data\?/),
      expect.stringMatching(/^Svc.Actions.sendTransaction: unknown member "nonce"; expected/),
      expect.stringMatching(/^sendTransaction: value: expected an integer/),
      expect.stringMatching(/^sendTransaction: value: expected an integer/),
      expect.stringMatching(/^sendTransaction: to: expected an address.*instead of a name$/),
      'Svc.Actions.sendTransaction: data is a function',
      'sendTransaction: unknown chain "sepolia"; known chains: base (8453)',
      expect.stringMatching(/^Svc.Actions.sendTransaction: data has more than \d+ bytes$/),
    ])
  })

  it('counts as a key operation, like transaction', async () => {
    const code = `async function main({ pkpId, chain, to }) {
      const { id } = await Svc.Actions.sendTransaction({ pkpId, chain, to })
      for (let at = 0; at < 20; at++) await Svc.Actions.transaction({ id })
    }`
    const { capability } = sending()
    const params = JSON.stringify({ pkpId, chain: 'base', to: TO })
    const { code: ended } = failed(await sandbox.run(code, { params }, capability))
    expect(ended).toBe('key_operation_limit')
    expect(KEY_OPERATIONS_MAX).toBeLessThan(20)
  })
})

describe('Svc.Actions.transaction', () => {
  it('returns the record after it was waited for', async () => {
    const given = sending()
    const code = `async function main({ pkpId, chain, to }) {
      const { id } = await Svc.Actions.sendTransaction({ pkpId, chain, to })
      const { state, attempts } = await Svc.Actions.transaction({ id, waitFor: 'final', timeoutMs: 5 })
      return { state, attempts }
    }`
    expect((await run(code, given)).value).toEqual({ state: 'queued', attempts: [] })
  })

  it('rejects other input with an error that names the field', async () => {
    const code = `async function main() {
      const id = 'tx_' + '0'.repeat(32)
      const said = (given) => Svc.Actions.transaction(given).then(String, (error) => error.message)
      return [
        await said({}), await said({ id, waitFor: 'sent' }), await said({ id, timeoutMs: 1 }),
        await said({ id, waitFor: 'mined', timeoutMs: -1 }),
        await said({ id, waitFor: 'mined', timeoutMs: 1.5 }),
        await said({ id, waitFor: 'mined', timeoutMs: '1' }),
        await said({ id: 'tx_7' }), await said({ id }),
      ]
    }`
    const time = `Svc.Actions.transaction: timeoutMs: expected an integer from 0 to ${EXECUTION_WALL_MAX_MS}`
    expect((await run(code)).value).toEqual([
      expect.stringMatching(/^Svc.Actions.transaction: expected \{id: string/),
      "Svc.Actions.transaction: waitFor: expected 'mined' or 'final'",
      'Svc.Actions.transaction: timeoutMs: has no effect without waitFor',
      time,
      time,
      time,
      'transaction: id must be tx_ and 32 hex digits',
      `transaction: the account has no transaction tx_${'0'.repeat(32)}`,
    ])
  })

  it('ended run: leaves no wait behind', async () => {
    const { service, capability } = sending()
    const code = `async function main({ pkpId, chain, to }) {
      const { id } = await Svc.Actions.sendTransaction({ pkpId, chain, to })
      await Svc.Actions.transaction({ id, waitFor: 'final', timeoutMs: 900_000 })
    }`
    const params = JSON.stringify({ pkpId, chain: 'base', to: TO })
    const { code: ended } = failed(await sandbox.run(code, { params, wallMs: 1_000 }, capability))
    expect([ended, service.waits.size]).toEqual(['action_timeout', 1])
    capability.end()
    await expect.poll(() => service.waits.size).toBe(0)
  })
})

describe('compromised executor', () => {
  const passed = (operation: object) =>
    parseExecutorMessage({
      type: 'waits',
      token: 'x',
      operations: [{ id: 1, operation }],
      computedMs: 0,
    }) !== undefined

  it.each([
    { name: 'sendTransaction', request: '{}' },
    { name: 'transaction', id: 'tx_1' },
    { name: 'transaction', id: 'tx_1', waitFor: 'final', timeoutMs: 0 },
  ] satisfies KeyOperation[])('a genuine message passes: %o', (operation) => {
    expect(passed(operation)).toBe(true)
  })

  it.each([
    { name: 'sendTransaction', request: {} },
    { name: 'sendTransaction', request: 'x'.repeat(TRANSACTION_JSON_MAX_CHARACTERS + 1) },
    { name: 'sendTransaction', request: '{}', runId: 'another run' },
    { name: 'sendTransaction', request: '{}', step: 0 },
    { name: 'transaction', id: 'x'.repeat(1_000) },
    { name: 'transaction', id: 'tx_1', waitFor: 'sent' },
    { name: 'transaction', id: 'tx_1', waitFor: 'mined', timeoutMs: 1e12 },
    { name: 'transaction', id: 'tx_1', waitFor: 'mined', timeoutMs: -1 },
    { name: 'transaction', id: 'tx_1', accountHash: '0x00' },
  ])('another message is dropped: %#', (operation) => {
    expect(passed(operation)).toBe(false)
  })
})
