import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { id } from 'ethers'
import { afterAll, expect, it } from 'vitest'
import { PUBLIC_ONLY } from '../../../origin/actions/outbound/policy.ts'
import { ExecutorProcess } from '../../../origin/actions/pool/executor-process.ts'
import type { TemplateFile } from '../../../origin/actions/pool/template.ts'
import type { KeyOperation } from '../../../origin/actions/run.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { leaksIn } from '../hostile/canary.ts'
import { accountOf, addressOf, keyring } from '../runs/wallet-holder.ts'
import { NO_KEYS, request, returned } from './sandbox.ts'

/** An executor that reports the end of the previous or an unknown run before it ends its own run. */
const FORGING_EXECUTOR = `
  let previous = 'never'
  const end = (token, value) => {
    const result = { kind: 'returned', value, logs: [], durationMs: 1, cpuMs: 1 }
    process.send({ type: 'ended', token, result, rssBytes: 1 })
  }
  process.on('message', ({ type, token }) => {
    if (type === 'start') return process.send({ type: 'ready', rssBytes: 1 })
    end(previous, '"forged"')
    end(token, '"own"')
    previous = token
  })`

/** An executor that requests a key with a foreign token, then with its own run's token, and ends the run. */
const KEY_THIEF = `
  const operations = (pkpId) => [{ id: 1, operation: { name: 'getPrivateKey', pkpId } }]
  const ask = (token, pkpId) =>
    process.send({ type: 'waits', token, operations: operations(pkpId), computedMs: 1 })
  process.on('message', ({ type, token }) => {
    if (type === 'start') return process.send({ type: 'ready', rssBytes: 1 })
    if (type === 'run') {
      ask('of another run', 'stolen')
      ask(token, 'own')
    }
    if (type !== 'key_answer') return
    const result = { kind: 'returned', value: '"own"', logs: [], durationMs: 1, cpuMs: 1 }
    process.send({ type: 'ended', token, result, rssBytes: 1 })
  })`

/** An executor that reports console output until it is killed. */
const LOG_FLOOD = `
  const logs = [{ level: 'log', at_ms: 1, text: 'x'.repeat(10_000) }]
  process.on('message', ({ type, token }) => {
    if (type === 'start') return process.send({ type: 'ready', rssBytes: 1 })
    setInterval(() => process.send({ type: 'computes', token, computedMs: 1, logs }), 1)
  })`

/** An executor that requests one operation after the other, and returns every message that it received. */
const RECORDER = (operations: KeyOperation[]) => `
  const received = []
  const operations = ${JSON.stringify(operations)}
  process.on('message', (message) => {
    received.push(message)
    const { type, token } = message
    if (type === 'start') return process.send({ type: 'ready', rssBytes: 1 })
    const operation = operations.shift()
    if (operation !== undefined)
      return process.send({ type: 'waits', token, operations: [{ id: 1, operation }], computedMs: 1 })
    const result = { kind: 'returned', value: JSON.stringify(received), logs: [], durationMs: 1, cpuMs: 1 }
    process.send({ type: 'ended', token, result, rssBytes: 1 })
  })`

const folder = mkdtempSync(join(tmpdir(), 'svc-forging-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Starts an executor with this source and stops it after the test. */
async function withExecutor(
  source: string,
  test: (executor: ExecutorProcess) => Promise<void>,
): Promise<void> {
  const entry = join(folder, 'executor.cjs')
  writeFileSync(entry, source)
  const fd = openSync(entry, 'r')
  const template: TemplateFile = { fd, digest: '', close: () => {} }
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const listener = { onFree: () => ready.resolve(), onEnded: () => ended.resolve() }
  const executor = new ExecutorProcess(template, PUBLIC_ONLY, listener, [entry])
  try {
    await ready.promise
    await test(executor)
  } finally {
    executor.kill('the test is over')
    await ended.promise
    closeSync(fd)
  }
}

it('a bundle that was not built is reported with the command that builds it', () => {
  const template: TemplateFile = { fd: 0, digest: '', close: () => {} }
  const listener = { onFree: () => {}, onEnded: () => {} }
  const bundle = join(folder, 'not-built.cjs')
  expect(() => new ExecutorProcess(template, PUBLIC_ONLY, listener, [bundle])).toThrow(
    `${bundle} does not exist; run npm run sandbox-bundles`,
  )
})

it('forged end: an executor cannot end a run with another token', () =>
  withExecutor(FORGING_EXECUTOR, async (executor) => {
    for (let run = 1; run <= 2; run++)
      expect(returned(await executor.run(request(''), NO_KEYS)).value).toBe('"own"')
  }))

it('memory exhaustion: an executor that reports more output than it may is killed', () =>
  withExecutor(LOG_FLOOD, async (executor) => {
    let characters = 0
    const control = {
      signal: new AbortController().signal,
      started: () => {},
      printed: (lines: readonly { text: string }[]) => {
        for (const { text } of lines) characters += text.length
      },
    }
    expect(await executor.run(request(''), NO_KEYS, control)).toMatchObject({
      kind: 'lost',
      reason: expect.stringContaining('sent more console output than an executor may'),
    })
    expect(characters).toBe(100_000)
  }))

it('stolen key: an executor cannot ask for keys with another token', () =>
  withExecutor(KEY_THIEF, async (executor) => {
    const asked: KeyOperation[] = []
    const keyOperation = async (operation: KeyOperation) => {
      asked.push(operation)
      return 'a key'
    }
    await executor.run(request(''), { keyOperation })
    expect(asked).toEqual([{ name: 'getPrivateKey', pkpId: 'own' }])
  }))

it('key theft: no message to a compromised executor contains the key that signs for it', async () => {
  const account = accountOf('account', ['permitted'], ['QmAny'])
  const capability = capabilityFor(keyring, 'QmAny', () => ({ account, keyHash: account.hash }))
  const pkpId = addressOf(account.hash, 'permitted')
  const key = keyring.walletKey(account.hash, id('permitted'))
  const received = async (...operations: KeyOperation[]) => {
    let value = ''
    await withExecutor(RECORDER(operations), async (executor) => {
      value = returned(await executor.run(request(''), capability)).value
    })
    return value
  }
  const signed = await received(
    { name: 'signMessage', pkpId, message: '0x00' },
    { name: 'signTypedData', pkpId, typedData: '{"domain":{},"types":{"A":[]},"value":{}}' },
    { name: 'signTransaction', pkpId, transaction: '{}' },
    { name: 'signDigest', pkpId, digest: `0x${'00'.repeat(32)}` },
    { name: 'signDigest', pkpId, digest: 'no digest' },
  )
  expect(signed.match(/"ok":true,"value":"0x[0-9a-f]{128,}"/g)).toHaveLength(4)
  expect(leaksIn(signed, key)).toEqual([])
  expect(leaksIn(await received({ name: 'getPrivateKey', pkpId }), key)).toContain('hex')
})
