import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Account, Principal } from '../../../origin/accounts/account.ts'
import type { AccountsState } from '../../../origin/accounts/state.ts'
import type { ActionPool, ActionResult } from '../../../origin/actions/run.ts'
import { Drain } from '../../../origin/admission/drain.ts'
import type { AllowanceReservation } from '../../../origin/credits/allowance-reservation.ts'
import type { Credits } from '../../../origin/credits/credits.ts'
import type { Reservation } from '../../../origin/credits/reservation.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import type { PolicySigner } from '../../../origin/policies/policy-signer.ts'
import type { ReceiptSigner } from '../../../origin/receipts/receipt-signer.ts'
import { HEARTBEAT_LOST_MS, RunClaims } from '../../../origin/runs/claims.ts'
import { Executions } from '../../../origin/runs/executions.ts'
import { ORIGIN_LOST } from '../../../shared/wire/outcome.ts'
import { openFresh } from '../db/fresh-database.ts'

const ACCOUNT = { hash: `0x${'aa'.repeat(32)}`, managed: true, groups: new Map() }
const PRINCIPAL: Principal = { account: ACCOUNT as unknown as Account, keyHash: ACCOUNT.hash }
const EXECUTION = { principal: PRINCIPAL, code: 'function main() {}', params: '{}' }
const RETURNED: ActionResult = { kind: 'returned', value: 'null', logs: [], durationMs: 1 }

let database: OpenDatabase
const clock = { at: Date.UTC(2026, 5, 1) }
beforeAll(async () => {
  database = await openFresh()
})
afterAll(() => database.close())

let runs = 0
const newRun = () => ({ id: `run ${++runs}`, attempt: 1 })

function claimsOf(processId: string): RunClaims {
  const { db } = database
  const options = { outcomeKey: new Uint8Array(32), now: () => clock.at }
  return new RunClaims({ ...options, db, processId })
}

/** Returns the executions of process `a`, and a spy on the budget of its runs. */
function executionsWith(run: ActionPool['run']) {
  const reservation = { cents: 1, settle: vi.fn(), release: vi.fn(), prepare: vi.fn() }
  const allowed = { finish: vi.fn(), release: vi.fn(), prepare: vi.fn() }
  const executions = new Executions({
    pool: { run, refusal: () => undefined } as unknown as ActionPool,
    sourceCids: { of: async () => 'Qm' },
    keyring: new Keyring(new Uint8Array(32)),
    claims: claimsOf('a'),
    mirror: { current: () => ({ principal: () => PRINCIPAL }) as unknown as AccountsState },
    keyLimits: { requireUnexpired: () => {} },
    keyRate: { take: () => undefined },
    keyConcurrency: { start: () => undefined },
    credits: {
      reserve: async () => reservation as unknown as Reservation,
      admit: async () => allowed as unknown as AllowanceReservation,
    } as unknown as Credits,
    limits: { wallMs: 1_000, cpuMs: 1_000 },
    drain: new Drain(),
    policySigner: {} as PolicySigner,
    receipts: { addReceipt: async (_: object, ended: object) => ended } as unknown as ReceiptSigner,
    log: () => {},
  })
  return { executions, reservation, allowed }
}

describe('the charge of a run with an ID', () => {
  it('is settled after its outcome is stored', async () => {
    const { executions, reservation } = executionsWith(async () => RETURNED)
    const run = await executions.runOnce(EXECUTION, newRun())
    expect(await run?.outcome).toMatchObject({ status: 'success' })
    expect(reservation.settle).toHaveBeenCalledExactlyOnceWith('execution', 1, { subject: 'Qm' })
  })

  it('does not exceed the reservation', async () => {
    const long = { ...RETURNED, durationMs: 2_500 }
    const { executions, reservation } = executionsWith(async () => long)
    const run = await executions.runOnce(EXECUTION, newRun())
    expect(await run?.outcome).toMatchObject({ duration_ms: 2_500, charged_cents: 1 })
    expect(reservation.settle).toHaveBeenCalledExactlyOnceWith('execution', 1, { subject: 'Qm' })
  })

  it('double charge: is dropped if another process has stored the outcome', async () => {
    const [own, other] = [claimsOf('a'), claimsOf('b')]
    await own.heartbeat()
    const { executions, reservation } = executionsWith(async () => {
      clock.at += HEARTBEAT_LOST_MS + 1
      expect(await other.reap()).toBe(1)
      return RETURNED
    })
    const run = await executions.runOnce(EXECUTION, newRun())
    expect(await run?.outcome).toMatchObject({ status: 'failed', code: ORIGIN_LOST })
    expect(reservation.settle).not.toHaveBeenCalled()
    expect(reservation.release).toHaveBeenCalled()
  })
})

describe('the reserved credit and allowance', () => {
  it('are released if another process has claimed the run', async () => {
    const run = newRun()
    await claimsOf('b').claim({ accountHash: ACCOUNT.hash, runId: run.id }, run.attempt)
    const { executions, reservation, allowed } = executionsWith(async () => RETURNED)
    expect(await executions.runOnce(EXECUTION, run)).toBeUndefined()
    expect(reservation.release).toHaveBeenCalled()
    expect(allowed.release).toHaveBeenCalled()
  })

  it('are released if a claimed run throws', async () => {
    const { executions, reservation, allowed } = executionsWith(async () => {
      throw new Error('fault')
    })
    const run = await executions.runOnce(EXECUTION, newRun())
    await expect(run?.outcome).rejects.toThrow('fault')
    expect(reservation.release).toHaveBeenCalled()
    expect(allowed.release).toHaveBeenCalled()
  })
})
