import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountEvent } from '../../../origin/accounts/mirror/apply-event.ts'
import { SnapshotFile } from '../../../origin/accounts/mirror/snapshot-file.ts'
import { permissionToRun, walletForRun } from '../../../origin/accounts/permissions.ts'
import { AccountsState } from '../../../origin/accounts/state.ts'
import { cidHash } from '../../../shared/cid/cid-format.ts'
import { grants } from '../../origin/accounts/mirrored.ts'
import { type Metric, percentile, report } from '../report.ts'
import { usedBytes } from '../used-bytes.ts'

const ACCOUNTS = 1_000_000
/** Accounts whose events are applied together, as when a start reads a range of blocks. */
const BATCH = 100
const CHECKS = 100_000
const CHAIN = { chainId: 31_337n, contractAddress: `0x${'1'.repeat(40)}` }
const BLOCK = { number: 7, hash: `0x${'7'.repeat(64)}` }
const CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG'
const CID_HASH = cidHash(CID)

const metric = (values: Omit<Metric, 'bench'>) => report({ bench: 'scale', ...values })
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const word = (text: string) => `0x${digest(text)}`
const pkpIdOf = (n: number) => `0x${digest(`pkp ${n}`).slice(0, 40).padStart(64, '0')}`
const accountOf = (n: number) => word(`account ${n}`)
const usageKeyOf = (n: number) => word(`usage key ${n}`)

/** An account with an account key, a wallet, a group, an action and a usage key. */
export function eventsOf(n: number): AccountEvent[] {
  const accountHash = accountOf(n)
  const texts = (name: string) => ({ accountHash, name, description: '' })
  const pkpId = pkpIdOf(n)
  const createdAt = 1_700_000_000n
  return [
    {
      name: 'AccountCreated',
      args: {
        ...texts(`account ${n}`),
        managed: true,
        adminWallet: `0x${digest(`admin ${n}`).slice(0, 40)}`,
        createdAt,
      },
    },
    {
      name: 'WalletRegistered',
      args: { ...texts('wallet'), pkpId, derivationPath: word(`path ${n}`) },
    },
    {
      name: 'GroupSet',
      args: { ...texts('group'), groupId: 1n, pkpIds: [pkpId], cidHashes: [BigInt(CID_HASH)] },
    },
    { name: 'ActionSet', args: { ...texts('action'), cidHash: BigInt(CID_HASH), cid: CID } },
    {
      name: 'UsageApiKeySet',
      args: {
        accountHash,
        usageApiKeyHash: usageKeyOf(n),
        key: grants({ name: 'usage key', executeInGroups: [1n] }),
        createdAt,
      },
    },
  ]
}

export async function measureMirror(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const path = join(folder, 'mirror.snapshot')
  const fail = (reason: unknown) => {
    throw new Error(String(reason))
  }
  const file = new SnapshotFile({ path, key: new Uint8Array(32), ...CHAIN, onUnusable: fail })
  try {
    await buildAndStore(file)
    metric({
      metric: 'snapshot_mib_million_accounts',
      value: statSync(path).size / 2 ** 20,
      unit: 'MiB',
    })
    await load(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A separate function, so that the state can be garbage collected before the snapshot is read. */
async function buildAndStore(file: SnapshotFile): Promise<void> {
  const before = usedBytes()
  const state = new AccountsState()
  const began = performance.now()
  for (let n = 0; n < ACCOUNTS; n += BATCH)
    state.apply(Array.from({ length: BATCH }, (_, at) => eventsOf(n + at)).flat())
  metric({
    metric: 'mirror_apply_us_per_account',
    value: ((performance.now() - began) * 1_000) / ACCOUNTS,
    unit: 'us',
  })
  reportMemory('mirror_mib_million_accounts', before)
  reportChecks(state)
  const copied = performance.now()
  const accounts = state.accountsBefore([])
  metric({ metric: 'snapshot_blocks_ms', value: performance.now() - copied, unit: 'ms' })
  const wrote = performance.now()
  await file.write(BLOCK, accounts)
  metric({ metric: 'snapshot_write_s', value: (performance.now() - wrote) / 1_000, unit: 's' })
  accounts.close()
}

async function load(file: SnapshotFile): Promise<void> {
  const before = usedBytes()
  const began = performance.now()
  const snapshot = await file.read()
  metric({ metric: 'snapshot_read_s', value: (performance.now() - began) / 1_000, unit: 's' })
  if (snapshot?.state.size !== ACCOUNTS) throw new Error('the snapshot does not have all accounts')
  reportMemory('mirror_mib_million_accounts_after_start', before)
}

function reportMemory(name: string, before: number): void {
  metric({ metric: name, value: (usedBytes() - before) / 2 ** 20, unit: 'MiB' })
}

/** Checks a key of each of many accounts once, so that no account is decoded yet. */
function reportChecks(state: AccountsState): void {
  const times: number[] = []
  for (let n = 0; n < CHECKS; n++) {
    const at = (n * 7) % ACCOUNTS
    const [key, pkpId] = [usageKeyOf(at), pkpIdOf(at)]
    const began = performance.now()
    const principal = state.principal(key)
    const permission = principal && permissionToRun(principal, CID)
    const allowed = permission && walletForRun(principal, permission, pkpId).allowed
    times.push(performance.now() - began)
    if (!allowed) throw new Error('a check gave the wrong answer')
  }
  for (const share of [0.5, 0.99])
    metric({
      metric: `permission_check_cold_p${share * 100}_ms`,
      value: percentile(times, share),
      unit: 'ms',
    })
}
