import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PlatformCollateral } from '../../../../origin/tee/dstack/collateral.ts'
import { TeeUnavailableError } from '../../../../origin/tee/provider.ts'
import { SimulatedProvider } from '../../../../origin/tee/simulated/provider.ts'
import { verifyMachine } from '../../../../shared/attestation/machine.ts'
import { checkCollateral } from '../../../../shared/attestation/collateral.ts'
import { type PccsDouble, startPccs } from '../../../doubles/pccs.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const START = Date.parse('2026-11-22T13:00:00Z')
/** Requests per fetch: the PCK's CRL, the TCB info, the enclave identity, and the root CRL. */
const REQUESTS = 4

let at = START
const now = () => at
const machineOfNow = () => new SimulatedProvider(randomBytes(32), { appCompose: '{}' }, now)
let machine = machineOfNow()
let pccs: PccsDouble
beforeAll(async () => {
  pccs = await startPccs(await machine.collateral())
})
afterAll(() => pccs.close())
beforeEach(async () => {
  at = START
  machine = machineOfNow()
  pccs.state.isAway = false
  pccs.state.requests = 0
  pccs.state.collateral = await machine.collateral()
})

const platform = (failures: string[] = []) =>
  new PlatformCollateral({
    pccsUrl: pccs.url,
    quote: async () => Buffer.from((await machine.quote(Buffer.alloc(0))).quote, 'hex'),
    now,
    onFailure: (reason) => failures.push(reason),
  })

describe('the collateral of the platform', () => {
  it('is fetched on first use, in the form that verifiers expect', async () => {
    const collateral = await platform().current()
    expect(collateral).toEqual(pccs.state.collateral)
    const policy = { root: { kind: 'any' }, statuses: ['UpToDate'] } as const
    const checked = await checkCollateral(collateral, policy.root, new Date(at))
    await verifyMachine(await machine.quote(Buffer.alloc(64)), checked, policy, new Date(at))
  })

  it('is fetched once for concurrent callers, and cached', async () => {
    const kept = platform()
    await Promise.all([kept.current(), kept.current(), kept.current()])
    at += DAY_MS / 2
    await kept.current()
    expect(pccs.state.requests).toBe(REQUESTS)
  })

  it('is renewed after a day, while the old collateral is still served', async () => {
    const kept = platform()
    const first = await kept.current()
    at += DAY_MS + 1_000
    pccs.state.collateral = await machine.collateral()
    expect(await kept.current()).toBe(first)
    await expect.poll(() => kept.current()).toEqual(pccs.state.collateral)
  })

  it('is served while the service is unavailable, but only until it expires', async () => {
    const failures: string[] = []
    const kept = platform(failures)
    const first = await kept.current()
    pccs.state.isAway = true
    at = START + 29 * DAY_MS
    expect(await kept.current()).toBe(first)
    await expect.poll(() => failures.length).toBe(1)
    at = START + 31 * DAY_MS
    await expect(kept.current()).rejects.toThrow(TeeUnavailableError)
  })

  it('is not requested again within a minute of a failure', async () => {
    const kept = platform()
    pccs.state.isAway = true
    await expect(kept.current()).rejects.toThrow(TeeUnavailableError)
    const { requests } = pccs.state
    await expect(kept.current()).rejects.toThrow(TeeUnavailableError)
    expect(pccs.state.requests).toBe(requests)
    pccs.state.isAway = false
    at += 60_000
    expect(await kept.current()).toEqual(pccs.state.collateral)
  })

  it('is rejected if it has already expired', async () => {
    at = START + 31 * DAY_MS
    const failures: string[] = []
    await expect(platform(failures).current()).rejects.toThrow(TeeUnavailableError)
    expect(failures).toEqual(['the collateral has expired'])
  })
})
