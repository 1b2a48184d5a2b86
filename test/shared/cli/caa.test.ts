import { afterEach, describe, expect, it } from 'vitest'
import { caaRecords, NamesUnavailable, namesOf } from '../../../shared/cli/verify/caa.ts'
import { startZone, type Zone } from '../../doubles/zone.ts'

const started: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const zone of started.splice(0)) await zone.close()
})

async function ask(zone: Zone, host = 'origin.example.org') {
  const server = await startZone(zone)
  started.push(server)
  return { found: caaRecords(host, namesOf(server.address)), asked: server.asked }
}

const BOUND = 'ca.example; accounturi=https://ca.example/acct/1'
const AS_TEXT = `0 issue "${BOUND}"`

describe('the CAA records of a host', () => {
  it('are its own, whatever its parents say', async () => {
    const { found } = await ask({
      'origin.example.org': { caa: [BOUND] },
      'example.org': { caa: ['other.example'] },
    })
    expect(await found).toEqual([AS_TEXT])
  })

  it('are all that its name has', async () => {
    const { found } = await ask({ 'origin.example.org': { caa: [BOUND, 'other.example'] } })
    expect((await found).toSorted()).toEqual([AS_TEXT, '0 issue "other.example"'])
  })

  it('are those of the closest parent that has any, up to the top', async () => {
    const { found } = await ask({
      'origin.example.org': {},
      'example.org': { caa: [BOUND] },
      org: { caa: ['other.example'] },
    })
    expect(await found).toEqual([AS_TEXT])
    const top = await ask({ org: { caa: [BOUND] } })
    expect(await top.found).toEqual([AS_TEXT])
  })

  it('are none where nobody has any', async () => {
    const { found } = await ask({ 'origin.example.org': {} })
    expect(await found).toEqual([])
  })

  it('are those of what it is an alias for', async () => {
    const { found } = await ask({
      'origin.example.org': { alias: 'one.example.net' },
      'one.example.net': { alias: 'two.example.net' },
      'two.example.net': { caa: [BOUND] },
    })
    expect(await found).toEqual([AS_TEXT])
  })

  it('are its own parent’s, and not those of its alias’ parent (RFC 8659, 3)', async () => {
    const { found, asked } = await ask({
      'origin.example.org': { alias: 'one.example.net' },
      'one.example.net': {},
      'example.net': { caa: ['other.example'] },
      'example.org': { caa: [BOUND] },
    })
    expect(await found).toEqual([AS_TEXT])
    expect(asked).not.toContain('CAA example.net')
  })

  it('are unknown where aliases go round', async () => {
    const { found } = await ask({
      'origin.example.org': { alias: 'a.example.net' },
      'a.example.net': { alias: 'origin.example.org' },
    })
    await expect(found).rejects.toThrow(NamesUnavailable)
  })

  it.each([
    ['SERVFAIL', 2],
    ['REFUSED', 5],
  ])('are unknown, and not its parent’s, where the server says %s', async (_, fails) => {
    const { found, asked } = await ask({
      'origin.example.org': { fails },
      'example.org': { caa: [BOUND] },
    })
    await expect(found).rejects.toThrow(NamesUnavailable)
    expect(asked).not.toContain('CAA example.org')
  })

  it('are unknown where nobody answers', async () => {
    const server = await startZone({})
    await server.close()
    await expect(caaRecords('origin.example.org', namesOf(server.address))).rejects.toThrow(
      NamesUnavailable,
    )
  })
})
