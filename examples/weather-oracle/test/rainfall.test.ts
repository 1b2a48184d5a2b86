import { describe, expect, it } from 'vitest'
import { runAction } from '@svc-run/cli/test'

const response = ({ day = '2026-01-09', mm = 12.34, unit = 'mm' } = {}) => ({
  daily_units: { time: 'iso8601', precipitation_sum: unit },
  daily: { time: [day], precipitation_sum: [mm] },
})

const measure = (params: object, json: unknown = response()) =>
  runAction('src/rainfall.ts', {
    params: { source: 'schedule', place: 'kisumu', ...params },
    fetch: { 'https://api.open-meteo.com/v1/forecast*': { json } },
    now: '2026-01-10T06:00:00Z',
  })

/** Returns the signer of a value, and the address of the action with a CID. */
async function addresses(signed: unknown, cid: string) {
  const code = `async function main({ cid, signed: { signature, oracle, ...value } }) {
    const types = { Rainfall: [
      { name: 'place', type: 'string' },
      { name: 'day', type: 'uint32' },
      { name: 'tenthsOfMillimeter', type: 'uint32' },
    ] }
    return {
      signer: ethers.utils.verifyTypedData({ name: 'Rainfall', version: '1' }, types, value, signature),
      action: await Svc.Actions.getSvcActionWalletAddress({ ipfsId: cid }),
    }
  }`
  const { response: found } = await runAction({ code }, { params: { cid, signed } })
  return found as { signer: string; action: string }
}

it('signs the rainfall of yesterday with the key of its CID', async () => {
  const run = await measure({})
  expect(run).toRespondWith({
    place: 'kisumu',
    day: 20260109,
    tenthsOfMillimeter: 123,
    oracle: expect.any(String),
    signature: expect.any(String),
  })
  const { oracle } = run.response as { oracle: string }
  expect(await addresses(run.response, run.cid)).toEqual({ signer: oracle, action: oracle })
  expect(run.requests[0]!.url).toContain('latitude=-0.1&longitude=34.75&start_date=2026-01-09')
})

it('signs an earlier day', async () => {
  const run = await measure({ day: '2025-12-31' }, response({ day: '2025-12-31', mm: 0 }))
  expect(run).toRespondWith(expect.objectContaining({ day: 20251231, tenthsOfMillimeter: 0 }))
})

it('has a key that no other code can use: a forged oracle', async () => {
  const code = `const main = async () =>
    new ethers.Wallet(await Svc.Actions.getSvcActionPrivateKey()).address`
  const { oracle } = (await measure({})).response as { oracle: string }
  expect((await runAction({ code })).response).not.toBe(oracle)
})

describe('signs nothing', () => {
  it.each([
    ['for a day that has not ended', { day: '2026-01-10' }, 'the day has not ended'],
    ['for a day that does not exist', { day: '2026-02-30' }, 'Invalid ISO date'],
    ['for a place of the caller', { place: { latitude: 1, longitude: 1 } }, 'Invalid option'],
    ['for a name that is no place', { place: 'constructor' }, 'Invalid option'],
    ['for a query in the day', { day: '2026-01-09&latitude=1' }, 'Invalid ISO date'],
  ])('%s', async (_what, params, message) => {
    const run = await measure(params)
    expect(run).toFailWith('action_threw', message)
    expect(run.requests).toEqual([])
  })

  it.each([
    ['of another day', response({ day: '2026-01-08' })],
    ['in inches', response({ unit: 'inch' })],
    [
      'without a value',
      { ...response(), daily: { time: ['2026-01-09'], precipitation_sum: [null] } },
    ],
    ['with an impossible value', response({ mm: -1 })],
    ['that is an error', { error: true, reason: 'limit' }],
  ])('for a response %s', async (_what, json) => {
    expect((await measure({}, json)).error?.code).toBe('action_threw')
  })
})
