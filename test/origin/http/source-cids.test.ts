import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSource, InvalidSourceError } from '../../../origin/actions/source-cid/json-source.ts'
import { SourceCids } from '../../../origin/actions/source-cid/source-cids.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { SOURCE_CIDS_PER_MINUTE, SOURCE_MAX_BYTES } from '../../../shared/limits.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { passOn } from './sealed-http-client.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const PATH = 'get_svc_action_ipfs_id'
const LARGE = 'async function main() { return "€" } //'.padEnd(300_000, 'a€')
const bytesOf = (text: string) => new TextEncoder().encode(text)
const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

describe('the CID of a large source', () => {
  it('matches that of the library, and is computed on its own thread', async () => {
    for (const source of [LARGE, `\\"\n${LARGE}`, 'x'.repeat(SOURCE_MAX_BYTES)])
      expect((await origin.core(PATH, { body: source })).body).toBe(await actionCid(source))
  })

  it('is computed for a body that the edge passes on', async () => {
    const answer = await passOn(origin, {
      method: 'POST',
      path: `/core/v1/${PATH}`,
      headers: [['content-type', 'application/json']],
      body: JSON.stringify(LARGE),
    })
    expect(answer).toMatchObject({ status: 200 })
  })

  it('is the one under which a run of the source is permitted', async () => {
    const key = await origin.account()
    const code = `const main = () => 7 //${LARGE}`
    const { status, body } = await origin.run(key, code)
    expect([status, body.action_cid]).toEqual([200, await actionCid(code)])
  })

  it('attack: does not block the main thread for 16 MiB without a key', async () => {
    const source = 'x'.repeat(SOURCE_MAX_BYTES)
    const json = () => bytesOf(JSON.stringify(source))
    const cids = new SourceCids(Date.now)
    await cids.fromJson(json())
    const inline = async (body: Uint8Array) => actionCid(readSource(body, SOURCE_MAX_BYTES))
    await inline(json())
    const spent = async (identify: (body: Uint8Array) => Promise<string>) => {
      const bodies = [json(), json(), json(), json()]
      const before = cpuMs()
      for (const body of bodies) await identify(body)
      return cpuMs() - before
    }
    expect(await spent((body) => cids.fromJson(body))).toBeLessThan((await spent(inline)) / 2)
    await cids.close()
  })
})

describe('a source is rejected', () => {
  it.each<[string, string, number, string]>([
    ['another type', `[${'1,'.repeat(100_000)}1]`, 422, 'body: expected a string'],
    ['another type, small', '{}', 422, 'body: expected a string'],
    ['no JSON', `"${'a'.repeat(200_000)}`, 400, 'not JSON'],
    ['no JSON, small', '"a', 400, 'not JSON'],
    ['nothing', '', 400, 'not JSON'],
    ['a lone surrogate', `"${'a'.repeat(200_000)}\\ud800"`, 400, 'well-formed Unicode'],
    ['over 16 MiB', `"${'a'.repeat(SOURCE_MAX_BYTES + 1)}"`, 413, '16777216 bytes'],
    [
      'over 16 MiB in escapes',
      `"${'\\n'.repeat(SOURCE_MAX_BYTES - 10)}${'€'.repeat(4)}"`,
      413,
      '16777216',
    ],
  ])('for this reason: %s', async (_, text, status, message) => {
    const answer = await origin.core(PATH, { text })
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
  })

  it('by its size after resolving escapes, before it is parsed', () => {
    const sized = (json: string, maxBytes: number) => {
      try {
        return readSource(bytesOf(json), maxBytes)
      } catch (error) {
        return (error as InvalidSourceError).fault.reason
      }
    }
    for (const text of ['abc', '\n\t"\\', 'é€😀', '\u0000\u07ff\u0800\uffff'])
      for (const json of [JSON.stringify(text), escaped(text), `  ${escaped(text)} `]) {
        const bytes = Buffer.byteLength(text)
        expect(sized(json.trim(), bytes)).toBe(text)
        expect(sized(json, bytes - 1)).toBe('too_large')
      }
    // Rejected by its byte length alone, and never parsed.
    expect(sized('"aaaaaaaa', 2)).toBe('too_large')
  })
})

/** Writes every code unit as `\u`. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

describe('a flood without a key', () => {
  it('from one address is 429 before its body is read', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull(stream) {
        if (++pulled > 100) return stream.close()
        stream.enqueue(new Uint8Array(64 * 1024).fill(32))
      },
    })
    for (let n = 0; n <= SOURCE_CIDS_PER_MINUTE; n++) await origin.core(PATH, { body: 'a' })
    const init = { method: 'POST', body, duplex: 'half' as const }
    const answer = await origin.app.request(`/core/v1/${PATH}`, init)
    expect([answer.status, pulled < 5]).toEqual([429, true])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })

  it('from many addresses has a short queue, and runs precede it', async () => {
    const cids = new SourceCids(Date.now)
    const ended: string[] = []
    const json = JSON.stringify('x'.repeat(4 * 1024 * 1024))
    const asked = Array.from({ length: 8 }, () =>
      cids.fromJson(bytesOf(json)).then(
        () => ended.push('keyless'),
        (error: Error) => error.name,
      ),
    )
    const run = cids.of('y'.repeat(300_000)).then(() => ended.push('run'))
    const answers = await Promise.all([...asked, run])
    expect(answers.filter((answer) => answer === 'LimitExceededError')).toHaveLength(3)
    expect(ended.slice(0, 2)).toEqual(['keyless', 'run'])
    await cids.close()
  })
})
