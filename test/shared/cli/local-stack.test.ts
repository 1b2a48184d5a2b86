import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StackAddresses, StateLock } from '../../../origin/stack/state-lock.ts'
import { localStackAt } from '../../../shared/cli/local-stack.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'svc-addresses-'))
const environment = { SVC_STATE_DIR: stateDir }
const addresses: StackAddresses = {
  base_url: 'https://localhost:8788',
  triggers_url: 'http://localhost:8787',
  chain_rpc: 'http://localhost:8545',
  dns_server: '127.0.0.1:5300',
  ca_file: join(stateDir, 'ca.pem'),
  governance: '0x00',
}
const at = (url: string) => localStackAt(new URL(url), '/', environment)

let lock: StateLock
beforeAll(async () => {
  writeFileSync(addresses.ca_file, 'PEM')
  lock = await StateLock.take(stateDir)
  lock.publish(addresses)
})
afterAll(() => rmSync(stateDir, { recursive: true }))

describe('defaults of svc verify', () => {
  it.each(['https://localhost:8788', 'http://localhost:8787'])(
    'come from the running stack if the URL is %s',
    (url) => {
      expect(at(url)).toMatchObject({
        authority: 'PEM',
        rpcUrl: addresses.chain_rpc,
        dnsServer: addresses.dns_server,
      })
    },
  )

  it.each(['https://localhost:8789', 'https://127.0.0.1:8788', 'https://origin.example:8788'])(
    'do not come from the stack for %s, because its CA is trusted only for its own hosts',
    (url) => {
      expect(at(url)).toBeUndefined()
    },
  )

  it('do not come from a stopped stack or a truncated file', () => {
    lock.release()
    expect(at(addresses.base_url)).toBeUndefined()
    const file = join(stateDir, 'stack.json')
    expect(readFileSync(file, 'utf8')).not.toContain(addresses.base_url)
    writeFileSync(file, '{"addresses":')
    expect(at(addresses.base_url)).toBeUndefined()
  })
})
