import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { buildAction } from '../../../shared/build/build-action.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { accountOf, addressOf, keyring } from '../runs/wallet-holder.ts'
import { RecordingService } from '../transactions/recording-service.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { returned, sharedPool } from './sandbox.ts'

/** Echoes the body, and a header. */
const server = await startWebServer(({ body, headers }, response) => {
  response.end(`${String(headers['a'] ?? '')} ${body}`)
})
afterAll(() => server.close())
const outbound = { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] }
const sandbox = sharedPool({ min: 1, max: 1, outbound })
const entryOf = (name: string) => fileURLToPath(new URL(`typed/${name}.ts`, import.meta.url))
const HEX_65 = expect.stringMatching(/^0x[0-9a-f]{130}$/)

let code: string
let cid: string
beforeAll(async () => {
  ;({ code } = await buildAction(entryOf('operations')))
  cid = await actionCid(code)
})

describe('an action in TypeScript', () => {
  async function run(part: string) {
    const account = accountOf('account', ['permitted'], [cid])
    const holder = { account, keyHash: account.hash }
    const sending = { service: new RecordingService() }
    const pkpId = addressOf(account.hash, 'permitted')
    const to = '0x000000000000000000000000000000000000dEaD'
    const params = JSON.stringify({ part, pkpId, to, cid })
    const capability = capabilityFor(keyring, cid, () => holder, undefined, sending)
    return JSON.parse(returned(await sandbox.run(code, { params }, capability)).value) as unknown
  }

  it('signs and sends with each input that is declared', async () => {
    expect(await run('signing')).toEqual({
      text: HEX_65,
      bytes: HEX_65,
      typedData: HEX_65,
      legacy: expect.stringMatching(/^0xf8/),
      feeMarket: expect.stringMatching(/^0x02f8/),
      digest: HEX_65,
      transaction: { id: expect.stringMatching(/^tx_/), state: 'queued', isSame: true },
      signer: HEX_65,
    })
  })

  it('uses the keys of wallets and actions', async () => {
    const keys = (await run('keys')) as Record<string, string>
    expect(keys['message']).toBe('secret')
    expect(keys['wallet']).toBe(keys['key'])
    expect([keys['public'], keys['address']]).toEqual([keys['own'], keys['own']])
  })

  it('uses the web APIs with each kind of input that is declared', async () => {
    const { code: web } = await buildAction(entryOf('web'))
    const params = JSON.stringify({ server: `http://127.0.0.1:${server.port}/` })
    const result = JSON.parse(returned(await sandbox.run(web, { params })).value) as unknown
    expect(result).toEqual({
      data: {
        texts: ['ü', 'ü', ''],
        encoded: [0, 0, 'a'],
        error: ['AbortError', 20, 25],
        time: 'number',
      },
      urls: {
        href: 'https://example.com/x?b=2&c=3',
        size: 2,
        has: false,
        keys: 'b,c,2,3',
        parsed: [true, null],
      },
      cancellation: { seen: ['a', 'true', 'abort', 'late', 'soon'], reason: 'why', aborted: true },
      requests: {
        texts: ['1 1', '1 1=', '1 1', '1 1'],
        body: [null, 'basic', true, 1],
        length: 1,
        made: [201, { a: 1 }, 'error'],
        redirect: 'https://example.com/',
        text: '\0',
      },
      signatures: {
        digest: 20,
        isMac: true,
        keys: [
          { name: 'HMAC', hash: { name: 'SHA-512' }, length: 256 },
          { name: 'Ed25519' },
          { name: 'ECDSA', namedCurve: 'P-256' },
        ],
        isKey: true,
        forged: [false, false],
      },
    })
  })
})
