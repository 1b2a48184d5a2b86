import { afterEach, describe, expect, it } from 'vitest'
import {
  caaRecords,
  DnsUnavailableError,
  createCaaResolver,
} from '../../../shared/cli/verify/caa.ts'
import { startZone, type Zone } from '../../doubles/zone.ts'

const started: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const zone of started.splice(0)) await zone.close()
})

async function ask(zone: Zone, host = 'origin.example.org') {
  const server = await startZone(zone)
  started.push(server)
  return { found: caaRecords(host, createCaaResolver(server.address)), asked: server.asked }
}

const BOUND = 'ca.example; accounturi=https://ca.example/acct/1'
const AS_TEXT = `0 issue "${BOUND}"`

describe('the CAA records of a host', () => {
  it('are its own, regardless of its parents', async () => {
    const { found } = await ask({
      'origin.example.org': { caa: [BOUND] },
      'example.org': { caa: ['other.example'] },
    })
    expect(await found).toEqual([AS_TEXT])
  })

  it('include all records of its name', async () => {
    const { found } = await ask({ 'origin.example.org': { caa: [BOUND, 'other.example'] } })
    expect((await found).toSorted()).toEqual([AS_TEXT, '0 issue "other.example"'])
  })

  it('are those of the closest parent with records, up to the top-level domain', async () => {
    const { found } = await ask({
      'origin.example.org': {},
      'example.org': { caa: [BOUND] },
      org: { caa: ['other.example'] },
    })
    expect(await found).toEqual([AS_TEXT])
    const top = await ask({ org: { caa: [BOUND] } })
    expect(await top.found).toEqual([AS_TEXT])
  })

  it('are empty if no parent has any', async () => {
    const { found } = await ask({ 'origin.example.org': {} })
    expect(await found).toEqual([])
  })

  it('are those of its alias target', async () => {
    const { found } = await ask({
      'origin.example.org': { alias: 'one.example.net' },
      'one.example.net': { alias: 'two.example.net' },
      'two.example.net': { caa: [BOUND] },
    })
    expect(await found).toEqual([AS_TEXT])
  })

  it('are those of its own parent, not of the parent of its alias target (RFC 8659, section 3)', async () => {
    const { found, asked } = await ask({
      'origin.example.org': { alias: 'one.example.net' },
      'one.example.net': {},
      'example.net': { caa: ['other.example'] },
      'example.org': { caa: [BOUND] },
    })
    expect(await found).toEqual([AS_TEXT])
    expect(asked).not.toContain('CAA example.net')
  })

  it('are unknown if aliases form a loop', async () => {
    const { found } = await ask({
      'origin.example.org': { alias: 'a.example.net' },
      'a.example.net': { alias: 'origin.example.org' },
    })
    await expect(found).rejects.toThrow(DnsUnavailableError)
  })

  it.each([
    ['SERVFAIL', 2],
    ['REFUSED', 5],
  ])('are unknown instead of inherited if the server answers %s', async (_, fails) => {
    const { found, asked } = await ask({
      'origin.example.org': { fails },
      'example.org': { caa: [BOUND] },
    })
    await expect(found).rejects.toThrow(DnsUnavailableError)
    expect(asked).not.toContain('CAA example.org')
  })

  it('are unknown if no server responds', async () => {
    const server = await startZone({})
    await server.close()
    await expect(
      caaRecords('origin.example.org', createCaaResolver(server.address)),
    ).rejects.toThrow(DnsUnavailableError)
  })
})
