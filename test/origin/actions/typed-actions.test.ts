import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { buildAction } from '../../../shared/build/build-action.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { accountOf, addressOf, keyring } from '../runs/wallet-holder.ts'
import { RecordingService } from '../transactions/recording-service.ts'
import { returned, sharedPool } from './sandbox.ts'

const sandbox = sharedPool({ min: 1, max: 1 })
const entry = fileURLToPath(new URL('typed/operations.ts', import.meta.url))
const HEX_65 = expect.stringMatching(/^0x[0-9a-f]{130}$/)

let code: string
let cid: string
beforeAll(async () => {
  ;({ code } = await buildAction(entry))
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
})
