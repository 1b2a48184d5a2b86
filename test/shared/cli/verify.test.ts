import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_PASSED, outcomes, svc } from './command-line.ts'
import { startWorld, type World } from './surroundings.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

describe('svc verify', () => {
  it('reports all seven rules of a simulated machine as passed, prints SIMULATED and exits with 3', async () => {
    const ran = await world.verify(world.host.url)
    expect(outcomes(ran)).toEqual(ALL_PASSED)
    expect(ran.out).toMatch(/^SIMULATED: /m)
    expect(ran.out).toContain('Left open:')
    expect(ran).toMatchObject({ code: 3, err: '' })
  })

  it('prints the same as JSON, with the keys from the evidence', async () => {
    const { code, out } = await world.verify(world.host.url, '--json')
    const said = JSON.parse(out) as { rules: { rule: number; outcome: string }[] }
    expect(said).toMatchObject({
      verdict: 'SIMULATED',
      app_id: world.machine.info.app_id,
      compose_hash: world.machine.info.compose_hash,
      root: { kind: 'simulated' },
      keys: { channel: expect.stringMatching(/^[\w-]{87}$/) },
    })
    expect(said.rules.map(({ rule }) => rule)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(code).toBe(3)
  })

  it('uses colors only on a terminal', async () => {
    const words = ['verify', world.host.url, ...world.options]
    const escape = '\u001b['
    const seen = await svc(words, { folder: world.folder, isTerminal: true })
    expect(seen.out).toContain(escape)
    expect((await svc(words, { folder: world.folder })).out).not.toContain(escape)
  })

  it.each([
    ['another application', '--app-id', 'ab'.repeat(20)],
    ['another composition', '--compose-hash', 'ab'.repeat(32)],
  ])('rejects %s than the expected one', async (_, option, value) => {
    const ran = await world.verify(world.host.url, option, value)
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/^FAILED: /m)
  })

  it('accepts only firmware on the list', async () => {
    const file = join(world.folder, 'measurements.json')
    const zeros = '00'.repeat(48)
    const other = { mrtd: zeros, rtmr0: zeros, rtmr1: zeros, rtmr2: zeros }
    writeFileSync(file, JSON.stringify([other]))
    const refused = await world.verify(world.host.url, '--measurements', file)
    expect(outcomes(refused)).toMatchObject({ quote: 'failed' })

    const { measurements } = JSON.parse((await world.verify(world.host.url, '--json')).out)
    writeFileSync(file, JSON.stringify([other, measurements]))
    expect((await world.verify(world.host.url, '--measurements', file)).code).toBe(3)
  })

  it('uses the given collateral', async () => {
    const file = join(world.folder, 'collateral.json')
    const collateral = JSON.parse(world.machine.files.get('collateral.json')!)
    writeFileSync(file, JSON.stringify(collateral))
    expect((await world.verify(world.host.url, '--collateral', file)).code).toBe(3)
    writeFileSync(file, JSON.stringify({ ...collateral, pck_crl: '00' }))
    expect((await world.verify(world.host.url, '--collateral', file)).code).toBe(1)
  })

  it('writes the request for dstack’s own verifier', async () => {
    const file = join(world.folder, 'request.json')
    await world.verify(world.host.url, '--dstack-verifier-input', file)
    const request = JSON.parse(readFileSync(file, 'utf8'))
    expect(request).toMatchObject({ quote: expect.stringMatching(/^0400/), attestation: null })
  })

  it('sends a new nonce each time', async () => {
    await world.verify(world.host.url)
    const nonces = world.host.received.flatMap(({ url }) => /nonce=(\w+)/.exec(url)?.[1] ?? [])
    expect(nonces.length).toBeGreaterThan(1)
    expect(new Set(nonces).size).toBe(nonces.length)
    expect(nonces[0]).toHaveLength(64)
  })

  it('saves nothing if there is no evidence', async () => {
    const ran = await world.verify('https://localhost:1', '--save', 'nothing.json')
    expect(ran.code).toBe(1)
    expect(existsSync(join(world.folder, 'nothing.json'))).toBe(false)
  })
})
