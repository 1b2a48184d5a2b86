import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBeHex } from 'ethers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { STORAGE_LAYOUT } from '../../../origin/contracts/upgrade.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { ensureContract, openLocalChain } from '../../../origin/stack/chain.ts'
import { type Chain, startChain } from '../chain.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'svc-account-contract-'))
mkdirSync(join(stateDir, 'chain'))
const keyring = new Keyring(new Uint8Array(32).fill(7))
let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(async () => {
  await chain.close()
  rmSync(stateDir, { recursive: true })
})

it('the next start uses the same contract, unless its accounts are stored in an earlier layout', async () => {
  const deployed = await ensureContract(stateDir, chain.rpcUrl, keyring)
  expect(await ensureContract(stateDir, chain.rpcUrl, keyring)).toEqual(deployed)

  const provider = openLocalChain(chain.rpcUrl)
  const version = [deployed.address, STORAGE_LAYOUT.slot, toBeHex(0, 32)]
  await provider.send('anvil_setStorageAt', version)
  provider.destroy()
  await expect(ensureContract(stateDir, chain.rpcUrl, keyring)).rejects.toThrow(
    `chain has a contract that an earlier version deployed, and this version cannot read its accounts. Set SVC_STATE_DIR to a new folder, or delete ${stateDir} to start over`,
  )
})
