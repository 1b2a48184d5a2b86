import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import type { ActionPool } from '../../../origin/actions/run.ts'
import { ReceiptSigner } from '../../../origin/receipts/receipt-signer.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { importReceiptKey } from '../../../shared/client/verification/receipt-key.ts'
import {
  type Receipt,
  type ReceiptKey,
  sha256OfText,
  verifyReceipt,
} from '../../../shared/receipts/receipt.ts'
import { RECEIPT_HEADER } from '../../../shared/wire/header-names.ts'
import { verifyReceiptChain } from '../../../shared/receipts/receipt-chain.ts'
import { SEALED_OUTCOMES_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, keyForAllActions } from './runs-client.ts'

let origin: TestOrigin
let publicKey: ReceiptKey
beforeAll(async () => {
  origin = await startOrigin()
  publicKey = await importReceiptKey(origin.services.keyring.receiptKey().publicKey)
})
afterAll(() => origin.close())

const ECHO = 'function main(params) { return params }'
const THROWS = 'function main() { throw new Error("no") }'
const SLEEPS = 'async function main({ ms }) { await new Promise((done) => setTimeout(done, ms)) }'

const verified = (text: string) => verifyReceipt(text, publicKey)
const newRun = () => ({ id: 'T'.repeat(32) + randomBytes(12).toString('base64url'), attempt: 1 })
const usageKeys = new Map<string, Promise<string>>()
/** Executes a run with a usage key of the account. */
async function execute(
  account: string,
  run: ReturnType<typeof newRun>,
  code = ECHO,
  js_params: object = {},
) {
  const usageKey = usageKeys.get(account) ?? keyForAllActions(origin, account)
  usageKeys.set(account, usageKey)
  return executeRun(origin, { credential: { api_key: await usageKey }, code, js_params, run })
}

describe('the receipt of svc_action', () => {
  it('states the same as the response, for the account of the usage key', async () => {
    const key = await origin.account()
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: ECHO })).body
    const group = await origin.group(key, {})
    await origin.core('add_action_to_group', {
      key,
      body: { group_id: group, action_ipfs_cid: cid },
    })
    const usage = await origin.usageKey(key, { execute_in_groups: [group] })
    const { body: info } = await origin.call('/info')
    const before = origin.services.now()
    const { body } = await origin.run(usage, ECHO, { n: 1 })
    const receipt = await verified(body.receipt)
    expect(receipt).toMatchObject({
      action_cid: body.action_cid,
      status: 'success',
      account_hash: origin.hashOf(key),
      duration_ms: body.duration_ms,
      charged_cents: body.charged_cents,
      compose_hash: info.compose_hash,
      version: info.version,
      commit: info.commit,
      environment: 'local',
      sequence: 1,
    })
    const finishedAt = Date.parse(receipt.finished_at)
    expect(finishedAt).toBeGreaterThanOrEqual(before)
    expect(finishedAt).toBeLessThanOrEqual(origin.services.now())
  })

  it('contains the hash of the params exactly as they were sent', async () => {
    const key = await origin.account()
    const params = '{ "n" : 1.50, "n2":"\\u00e9" }'
    const text = `{"code":${JSON.stringify(ECHO)},"js_params":${params}}`
    const { body } = await origin.core('svc_action', { key, text })
    expect((await verified(body.receipt)).params_sha256).toBe(sha256OfText(params))
  })

  it('contains the hash of an empty object if no params were sent', async () => {
    const { body } = await origin.core('svc_action', {
      key: await origin.account(),
      body: { code: ECHO },
    })
    expect((await verified(body.receipt)).params_sha256).toBe(sha256OfText('{}'))
  })

  it('contains the hash of the response, which a reader can compute', async () => {
    const value = { z: [1.5, null, 'é\ud800'], a: { 10: 1, 2: 2 }, empty: '' }
    const { body } = await origin.run(await origin.account(), ECHO, value)
    const { response_sha256 } = await verified(body.receipt)
    expect(response_sha256).toBe(sha256OfText(JSON.stringify(body.response)))
  })

  it('is in a header if the action failed, because the body is text for people', async () => {
    const answer = await origin.run(await origin.account(), THROWS)
    expect(answer.status).toBe(500)
    const receipt = await verified(answer.headers.get(RECEIPT_HEADER)!)
    expect(receipt).toMatchObject({
      status: 'failed',
      error_code: 'action_threw',
      charged_cents: 0,
    })
  })

  it('is in a header if the action was stopped for lack of credits', async () => {
    const answer = await origin.run(await origin.poor(1), SLEEPS, { ms: 5_000 })
    expect(answer.status).toBe(402)
    const receipt = await verified(answer.headers.get(RECEIPT_HEADER)!)
    expect(receipt).toMatchObject({ status: 'failed', error_code: 'out_of_credits' })
  })

  it('is not created for a request that never ran', async () => {
    const answer = await origin.run(await origin.poor(0), ECHO)
    expect(answer.status).toBe(402)
    expect(answer.headers.has(RECEIPT_HEADER)).toBe(false)
  })

  it.each([
    ['returned', ECHO, 200],
    ['failed', THROWS, 500],
  ])(
    'is returned again under its Idempotency-Key for a run that %s',
    async (_how, code, status) => {
      const key = await origin.account()
      const headers = { 'idempotency-key': 'once' }
      const answers = []
      for (let time = 0; time < 2; time++)
        answers.push(await origin.core('svc_action', { key, body: { code }, headers }))
      expect(answers.map((answer) => answer.status)).toEqual([status, status])
      const [first, again] = answers.map(
        (answer) => answer.body.receipt ?? answer.headers.get(RECEIPT_HEADER),
      )
      expect(again).toBe(first)
      expect((await verified(first)).sequence).toBe(1)
    },
  )
})

describe('a chain of receipts', () => {
  it('contains all runs of one account, including failed ones', async () => {
    const key = await origin.account()
    const texts = [
      (await origin.run(key, ECHO)).body.receipt,
      (await origin.run(key, THROWS)).headers.get(RECEIPT_HEADER),
      (await execute(key, newRun())).outcome.receipt,
    ]
    const receipts = await verifyReceiptChain(texts, publicKey)
    expect(receipts.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
  })

  it('orders runs that end at the same time', async () => {
    const key = await origin.account()
    const answers = await Promise.all(Array.from({ length: 6 }, () => origin.run(key, ECHO)))
    const bySequence = await Promise.all(
      answers.map(async ({ body }) => ({ text: body.receipt, ...(await verified(body.receipt)) })),
    )
    bySequence.sort((a, b) => a.sequence - b.sequence)
    const chain = bySequence.map(({ text }) => text)
    expect(await verifyReceiptChain(chain, publicKey)).toHaveLength(6)
  })

  it('has a separate series for each account', async () => {
    const [one, two] = await Promise.all(
      [0, 1].map(async () =>
        verified((await origin.run(await origin.account(), ECHO)).body.receipt),
      ),
    )
    expect(one!.series).not.toBe(two!.series)
    expect([one!.sequence, two!.sequence]).toEqual([1, 1])
  })

  it('has a separate series for each process, under the same key', async () => {
    const { services, pool } = origin
    const receipts = new ReceiptSigner({
      key: services.keyring.receiptKey(),
      composeHash: 'c0'.repeat(32),
      build: services.build,
      now: services.now,
    })
    const limits = { wallMs: 10_000, cpuMs: 1_000 }
    const executions = new Executions({ ...services, pool, limits, receipts })
    const app = createOriginApp({ ...services, executions })

    const account = await origin.account()
    const body = { code: ECHO }
    const here = await origin.core('svc_action', { key: account, body })
    const there = await origin.core('svc_action', { key: account, body, app })
    const [one, two] = await Promise.all(
      [here, there].map(({ body: { receipt } }) => verified(receipt)),
    )
    expect(one!.account_hash).toBe(two!.account_hash)
    expect([one!.sequence, two!.sequence]).toEqual([1, 1])
    expect(one!.series).not.toBe(two!.series)
  })
})

describe('the receipt of a run with an ID', () => {
  it('names the run, and is the same however often it is requested', async () => {
    const key = await origin.account()
    const run = newRun()
    const first = await execute(key, run, ECHO, { n: 2 })
    const receipt: Receipt = await verified(first.outcome.receipt)
    expect(receipt.run_id).toBe(run.id)
    expect(receipt.params_sha256).toBe(sha256OfText('{"n":2}'))
    expect(await execute(key, run, ECHO, { n: 2 })).toEqual(first)
    const known = await origin.sealed(SEALED_OUTCOMES_PATH, { run_ids: [run.id], wait_ms: 0 })
    expect(known.ended[run.id]).toEqual(first.outcome)
  })

  it('contains the error code of a failure', async () => {
    const { outcome } = await execute(await origin.account(), newRun(), THROWS)
    expect(await verified(outcome.receipt)).toMatchObject({ error_code: 'action_threw' })
  })

  it('is missing if the origin lost the run, because its effects are unknown', async () => {
    const pool: ActionPool = {
      run: async () => ({ kind: 'lost', reason: 'gone', started: true }),
      refusal: () => undefined,
      load: () => ({ starting: 0, free: 0, busy: 0, waiting: 0, isBroken: false }),
      ready: async () => {},
      drain: () => {},
      close: async () => {},
    }
    const { services } = origin
    const own = services.executions
    services.executions = new Executions({ ...services, pool, limits: { wallMs: 1, cpuMs: 1 } })
    try {
      const { outcome } = await execute(await origin.account(), newRun())
      expect(outcome.code).toBe('origin_lost')
      expect(outcome).not.toHaveProperty('receipt')
    } finally {
      services.executions = own
    }
  })
})
