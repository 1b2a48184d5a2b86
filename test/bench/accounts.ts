/**
 * Measures the mirror with 10,000 accounts of 10 groups and 10 keys each: a permission check compared with `eth_call`,
 * a start from a snapshot, and memory. Also measures what a write costs beyond the chain's own receipt.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cidHash } from '../../shared/cid/cid-format.ts'
import { accountConfig, type ContractChain } from '../../origin/accounts/chain.ts'
import { AccountConfigReader } from '../../origin/accounts/mirror/account-config-reader.ts'
import { AccountsMirror } from '../../origin/accounts/mirror.ts'
import { permissionToRun, walletForRun } from '../../origin/accounts/permissions.ts'
import { SnapshotFile } from '../../origin/accounts/mirror/snapshot-file.ts'
import { SnapshotScheduler } from '../../origin/accounts/mirror/snapshot-scheduler.ts'
import type { AccountEvent } from '../../origin/accounts/mirror/apply-event.ts'
import { AccountsState } from '../../origin/accounts/state.ts'
import { startOrigin } from '../origin/http/origin.ts'
import { grants, type Mirrored, startMirrored } from '../origin/accounts/mirrored.ts'
import { type Metric, median, report } from './report.ts'
import { usedBytes } from './used-bytes.ts'

const ACCOUNTS = 10_000
const GROUPS = 10
const KEYS = 10
const CHECKS = 200_000
/** Keys in use at a time, out of 100,000. A second measurement covers all of them, so that nothing is cached. */
const KEYS_IN_USE = 1_000
/** Timed together, because one check takes little longer than reading the clock. */
const CHECKS_TIMED = 10
const CALLS = 500
const STARTS = 5
const WRITES = 40

const metric = (values: Omit<Metric, 'bench'>) => report({ bench: 'accounts', ...values })
const bytesOf = (text: string) => Buffer.from(text.padEnd(32, '.')).toString('hex')
const word = (text: string) => `0x${bytesOf(text)}`
const pkpIdOf = (n: number) => `0x${n.toString(16).padStart(40, '1').padStart(64, '0')}`
const masterOf = (n: number) => word(`account ${n}`)
const usageOf = (n: number, key: number) => word(`usage ${n} ${key}`)
const cidOf = (group: number) => `QmBenchAction${String(group).padStart(33, 'x')}`
const cidHashes = Array.from({ length: GROUPS }, (_, group) => cidHash(cidOf(group)))

export async function accounts(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const world = await startMirrored()
  try {
    await writeOneForReal(world)
    const { state, bytes } = await buildState(world.chain)
    metric({
      metric: 'mirror_bytes_per_account',
      value: bytes / ACCOUNTS,
      unit: 'bytes',
    })
    await measureChecks(world, state)
    await measureStart(world.chain, state, join(folder, 'mirror.snapshot'))
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
  await measureWrites()
}

/** Writes the first account on-chain; the others are synthetic. */
async function writeOneForReal(world: Mirrored): Promise<void> {
  const master = masterOf(0)
  const writes: [string, ...unknown[]][] = [
    ['newAccount', master, `0x${'1'.repeat(40)}`, 'account', 'description'],
    ['registerWalletDerivation', master, pkpIdOf(0), word('path'), 'wallet', ''],
  ]
  for (let group = 0; group < GROUPS; group++)
    writes.push(['addGroup', master, `group ${group}`, '', [pkpIdOf(0)], [cidHashes[group]]])
  for (let key = 0; key < KEYS; key++)
    writes.push([
      'setUsageApiKey',
      master,
      usageOf(0, key),
      grants({ name: `key ${key}`, executeInGroups: [key + 1] }),
    ])
  await world.writeAll(writes)
}

function eventsOf(n: number): AccountEvent[] {
  const accountHash = masterOf(n)
  const texts = (name: string) => ({ accountHash, name, description: '' })
  const events: AccountEvent[] = [
    {
      name: 'AccountCreated',
      args: {
        ...texts(`account ${n}`),
        managed: true,
        adminWallet: `0x${n.toString(16).padStart(40, '0')}`,
        createdAt: 1_700_000_000n,
      },
    },
    {
      name: 'WalletRegistered',
      args: { ...texts('wallet'), pkpId: pkpIdOf(n), derivationPath: word(`path ${n}`) },
    },
  ]
  for (let group = 0; group < GROUPS; group++)
    events.push({
      name: 'GroupSet',
      args: {
        ...texts(`group ${group}`),
        groupId: BigInt(group + 1),
        pkpIds: [pkpIdOf(n)],
        cidHashes: [BigInt(cidHashes[group]!)],
      },
    })
  for (let key = 0; key < KEYS; key++)
    events.push({
      name: 'UsageApiKeySet',
      args: {
        accountHash,
        usageApiKeyHash: usageOf(n, key),
        key: {
          ...grants({ name: `key ${key}`, executeInGroups: [BigInt(key + 1)] }),
        },
        createdAt: 1_700_000_000n,
      },
    })
  return events
}

/** Builds the state from the real account's chain events and the synthetic events of the others. */
async function buildState(chain: ContractChain): Promise<{ state: AccountsState; bytes: number }> {
  const state = new AccountsState()
  const before = usedBytes()
  const tip = await chain.provider.getBlockNumber()
  const [node] = chain.nodes.all
  const reader = new AccountConfigReader(node!.endpoint, chain.contractAddress.toLowerCase())
  state.apply(await reader.eventsIn(chain.contractBlock, tip))
  for (let n = 1; n < ACCOUNTS; n++) state.apply(eventsOf(n))
  return { state, bytes: usedBytes() - before }
}

async function measureChecks(world: Mirrored, state: AccountsState): Promise<void> {
  const [few, many] = [checkTimes(state, KEYS_IN_USE / KEYS), checkTimes(state, ACCOUNTS)]
  const { provider, contractAddress: to } = world.chain
  const calls: number[] = []
  for (let n = 0; n < CALLS; n++) {
    const key = n % KEYS
    const asked = [usageOf(0, key), cidHashes[key], pkpIdOf(0)]
    const began = performance.now()
    const data = accountConfig.encodeFunctionData('mayExecute', asked)
    const answer = await provider.call({ to, data })
    calls.push(performance.now() - began)
    if (BigInt(answer) !== 1n) throw new Error('the contract gave the wrong answer')
  }
  const baseline = median(calls)
  const named = (name: string, value: number) =>
    metric({ metric: name, value, unit: 'ms', baseline, ratio: baseline / value })
  named('permission_check_p50_ms', median(few))
  named('permission_check_any_key_p50_ms', median(many))
}

/** Checks every key of some accounts in turn. @returns milliseconds per check */
function checkTimes(state: AccountsState, accountsInUse: number): number[] {
  const sample = Array.from({ length: accountsInUse }, (_, n) => {
    const account = n * (ACCOUNTS / accountsInUse)
    const keys = Array.from({ length: KEYS }, (_key, key) => usageOf(account, key))
    return { pkpId: pkpIdOf(account), keys }
  })
  const cids = cidHashes.map((_, group) => cidOf(group))
  const isAllowed = (n: number) => {
    const { pkpId, keys } = sample[n % sample.length]!
    const key = Math.trunc(n / sample.length) % KEYS
    const principal = state.principal(keys[key]!)
    const permission = principal && permissionToRun(principal, cids[key]!)
    return permission && walletForRun(principal, permission, pkpId).allowed
  }
  const times: number[] = []
  for (let n = 0; n < CHECKS; n += CHECKS_TIMED) {
    let allowed = 0
    const began = performance.now()
    for (let one = n; one < n + CHECKS_TIMED; one++) if (isAllowed(one)) allowed++
    times.push((performance.now() - began) / CHECKS_TIMED)
    if (allowed !== CHECKS_TIMED) throw new Error('a check gave the wrong answer')
  }
  return times
}

async function measureStart(
  chain: ContractChain,
  state: AccountsState,
  path: string,
): Promise<void> {
  const block = (await chain.provider.getBlock('latest'))!
  const { chainId, contractAddress } = chain
  const now = () => performance.now()
  const fail = (error: unknown) => {
    throw error
  }
  const key = new Uint8Array(32)
  const file = new SnapshotFile({ path, key, chainId, contractAddress, onUnusable: fail })
  await file.write({ number: block.number, hash: block.hash! }, state.accountsBefore([]))

  const seconds: number[] = []
  let bytes = 0
  for (let n = 0; n < STARTS; n++) {
    const before = usedBytes()
    const began = performance.now()
    const snapshots = new SnapshotScheduler({ file, now, onFailure: fail })
    const options = { chain, pollMs: 1_000_000, now, onFailure: fail, finality: 2, snapshots }
    const mirror = new AccountsMirror(options)
    await mirror.start()
    if (!mirror.current().principal(usageOf(ACCOUNTS - 1, 0)))
      throw new Error('a start from the snapshot has not all keys')
    seconds.push((performance.now() - began) / 1_000)
    // Later starts run while the garbage of earlier ones is collected, which would distort the figure.
    if (n === 0) bytes = usedBytes() - before
    await mirror.close()
  }
  metric({ metric: 'mirror_start_s', value: median(seconds), unit: 's' })
  metric({
    metric: 'mirror_bytes_per_account_after_start',
    value: bytes / ACCOUNTS,
    unit: 'bytes',
  })
  metric({
    metric: 'snapshot_bytes_per_account',
    value: statSync(path).size / ACCOUNTS,
    unit: 'bytes',
  })
}

/**
 * Measures from a request to its response, when a later request sees the write, minus the chain's time for an equal
 * write.
 */
async function measureWrites(): Promise<void> {
  const origin = await startOrigin()
  try {
    const { provider, contractAddress: to } = origin.services.chain
    const [owner, sender] = (await provider.send('eth_accounts', [])) as [string, string]
    const receiptOf = async (from: string, name: string, args: unknown[]) => {
      const data = accountConfig.encodeFunctionData(name, args)
      const began = performance.now()
      const hash = await provider.send('eth_sendTransaction', [{ from, to, data, gas: '0x200000' }])
      while (!(await provider.send('eth_getTransactionReceipt', [hash])));
      return performance.now() - began
    }
    const timed = async (act: () => Promise<unknown>) => {
      const began = performance.now()
      await act()
      return performance.now() - began
    }
    await receiptOf(owner, 'setApiPayers', [[sender], true])
    const [ours, chains]: [number[], number[]] = [[], []]
    const name = { account_name: 'bench', account_description: '' }
    for (let n = 0; n < WRITES; n++) {
      const master = word(`write ${n}`)
      const wallet = `0x${n.toString(16).padStart(40, 'a')}`
      chains.push(await receiptOf(sender, 'newAccount', [master, wallet, 'bench', '']))
      chains.push(await receiptOf(sender, 'addGroup', [master, 'bench', '', [], [0]]))
      let key = ''
      ours.push(
        await timed(async () => {
          key = (await origin.core('new_account', { body: name })).body.api_key
        }),
      )
      const group = { name: 'bench', cid_hashes_permitted: [0] }
      ours.push(await timed(() => origin.group(key, group)))
    }
    const baseline = median(chains)
    metric({
      metric: 'write_overhead_p50_ms',
      value: median(ours) - baseline,
      unit: 'ms',
      baseline,
      ratio: median(ours) / baseline,
    })
  } finally {
    await origin.close()
  }
}
