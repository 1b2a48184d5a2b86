import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Contract } from 'ethers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLocalChain } from '../../../origin/stack/chain.ts'
import { ensureGovernance } from '../../../origin/stack/governance.ts'
import { governanceAbi } from '../../../shared/abi/governance.ts'
import { type Chain, startChain } from '../chain.ts'

const FIRST = '11'.repeat(32)
const SECOND = '22'.repeat(32)

const stateDir = mkdtempSync(join(tmpdir(), 'svc-governance-'))
mkdirSync(join(stateDir, 'chain'))
let chain: Chain
let provider: ReturnType<typeof openLocalChain>
beforeAll(async () => {
  chain = await startChain()
  provider = openLocalChain(chain.rpcUrl)
})
afterAll(async () => {
  provider.destroy()
  await chain.close()
  rmSync(stateDir, { recursive: true })
})

const read = (address: string, name: string, ...args: unknown[]) =>
  new Contract(address, governanceAbi, provider).getFunction(name)(...args)

it('two of three members allow the compose text at the first start, and the next start changes nothing', async () => {
  const address = await ensureGovernance(stateDir, chain.rpcUrl, FIRST)
  expect(await read(address, 'allowedComposeHashes', `0x${FIRST}`)).toBe(true)
  expect(await read(address, 'memberCount')).toBe(3n)
  expect(await read(address, 'threshold')).toBe(2n)
  const era = await read(address, 'era')

  expect(await ensureGovernance(stateDir, chain.rpcUrl, FIRST)).toBe(address)
  expect(await read(address, 'era')).toBe(era)
})

it('the next start allows a changed text in the same contract, and keeps the old one allowed', async () => {
  const before = await ensureGovernance(stateDir, chain.rpcUrl, FIRST)
  const after = await ensureGovernance(stateDir, chain.rpcUrl, SECOND)
  expect(after).toBe(before)
  for (const hash of [FIRST, SECOND])
    expect(await read(after, 'allowedComposeHashes', `0x${hash}`)).toBe(true)
})

it('a chain that lost the contract gets a new one', async () => {
  const lost = await ensureGovernance(stateDir, chain.rpcUrl, FIRST)
  await provider.send('anvil_setCode', [lost, '0x'])
  const found = await ensureGovernance(stateDir, chain.rpcUrl, FIRST)
  expect(found).not.toBe(lost)
  expect(await read(found, 'allowedComposeHashes', `0x${FIRST}`)).toBe(true)
  expect(existsSync(join(stateDir, 'chain', 'governance.json'))).toBe(true)
})
