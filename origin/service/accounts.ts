import { AccountEmails } from '../accounts/account-emails.ts'
import { chainIdentity, type ContractChain, ContractUnavailableError } from '../accounts/chain.ts'
import { KeyUses } from '../accounts/key-uses.ts'
import { AccountsMirror } from '../accounts/mirror.ts'
import { MirrorBarrier, REQUIREMENT_CHANNEL } from '../accounts/mirror/mirror-barrier.ts'
import { ReadLease } from '../accounts/mirror/read-lease.ts'
import { SnapshotFile, snapshotPath } from '../accounts/mirror/snapshot-file.ts'
import { SnapshotScheduler } from '../accounts/mirror/snapshot-scheduler.ts'
import { ConversionProofs } from '../accounts/wallet-proofs/conversion-proofs.ts'
import { WalletProofs } from '../accounts/wallet-proofs/wallet-proofs.ts'
import { AccountsWriter } from '../accounts/writer.ts'
import { NewAccountLimits } from '../admission/new-account-limits.ts'
import { WalletCallLimits } from '../admission/wallet-call-limits.ts'
import { listenFor } from '../db/notifications.ts'
import { databaseConnection } from '../env.ts'
import { KeyRate } from '../usage-keys/key-rate.ts'
import { LIMITS } from '../usage-keys/stored-limits.ts'
import { UsageKeyLimits } from '../usage-keys/usage-key-limits.ts'
import type { Database } from '../db/open.ts'
import type { OriginProcess } from '../services.ts'

export async function startAccounts(origin: OriginProcess, db: Database, chain: ContractChain) {
  const { settings, keyring, lifecycle, processId, predecessor, now, monotonic, log } = origin
  const mirrorFailed = (error: unknown) => {
    const cause = error instanceof ContractUnavailableError ? error.cause : undefined
    log('mirror.failed', { error: String(cause ?? error) })
  }
  const snapshotFile = new SnapshotFile({
    path: snapshotPath(origin.stateDir, chain),
    key: keyring.mirrorKey(),
    chainId: chain.chainId,
    contractAddress: chain.contractAddress,
    onUnusable: (reason) => log('mirror.snapshot-ignored', { reason }),
  })
  const mirror = new AccountsMirror({
    chain,
    pollMs: settings.SVC_CHAIN_POLL_MS,
    now: monotonic,
    onFailure: mirrorFailed,
    finality: settings.SVC_CHAIN_FINALITY,
    snapshots: new SnapshotScheduler({
      file: snapshotFile,
      now: monotonic,
      onFailure: (error) => log('mirror.snapshot-failed', { error: String(error) }),
    }),
  })
  await mirror.start()
  lifecycle.onClose('mirror', () => mirror.close())

  const mirrorContext = { db, processId, chain: await chainIdentity(chain), now: monotonic }
  const readLease = new ReadLease({
    ...mirrorContext,
    predecessor,
    mirror,
    onFailure: mirrorFailed,
    listen: (notice) => listenFor(databaseConnection(settings), REQUIREMENT_CHANNEL, notice),
  })
  await readLease.start()
  lifecycle.onClose('read lease', () => readLease.close())
  const appliedEverywhere = new MirrorBarrier({ ...mirrorContext, onFailure: mirrorFailed })
  const writer = new AccountsWriter({
    chain,
    mirror,
    db,
    processId,
    predecessor,
    now,
    log,
    payerKey: (number) => keyring.payerKey(number),
    payers: settings.SVC_PAYERS,
    finality: settings.SVC_CHAIN_FINALITY,
    afterMined: (block) => appliedEverywhere.wait(block),
  })
  await writer.start()
  lifecycle.onClose('writer', () => writer.close())
  const keyLimits = await startKeyLimits(origin, db)
  const keyUses = new KeyUses({ db, now })
  lifecycle.onClose('key uses', () => keyUses.flush())
  const hashKey = keyring.addressHashKey()
  const newAccountLimits = new NewAccountLimits({
    db,
    now,
    log,
    hashKey,
    burst: settings.SVC_NEW_ACCOUNT_BURST,
    perHour: settings.SVC_NEW_ACCOUNT_PER_HOUR,
    gasPerDayWei: settings.SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI,
    siteSharePercent: settings.SVC_NEW_ACCOUNT_GAS_NETWORK_PERCENT,
    gasPrice: () => writer.gasPrice(),
  })
  await newAccountLimits.loadGasUse()
  return {
    mirror,
    writer,
    keyUses,
    keyLimits,
    keyRate: new KeyRate({ db, limits: keyLimits, now }),
    walletProofs: new WalletProofs({ chain, now }),
    conversionProofs: new ConversionProofs({ db, now }),
    accountEmails: new AccountEmails({ db, key: keyring.emailKey() }),
    newAccountLimits,
    walletCalls: new WalletCallLimits({ db, now, hashKey }),
  }
}

/** Gives the limits of usage keys a lease of their own, with the protocol of the mirror. */
async function startKeyLimits(
  { settings, lifecycle, processId, predecessor, now, monotonic, log }: OriginProcess,
  db: Database,
): Promise<UsageKeyLimits> {
  const nameOf = (process: string) => `${process}/${LIMITS}`
  const common = {
    db,
    processId: nameOf(processId),
    chain: LIMITS,
    now: monotonic,
    onFailure: (error: unknown) => log('key_limits.failed', { error: String(error) }),
  }
  const barrier = new MirrorBarrier(common)
  const keyLimits = new UsageKeyLimits({
    db,
    now,
    appliedEverywhere: (version) => barrier.wait(version),
  })
  const lease = new ReadLease({
    ...common,
    predecessor: predecessor === undefined ? undefined : nameOf(predecessor),
    mirror: keyLimits,
    listen: (notice) => listenFor(databaseConnection(settings), REQUIREMENT_CHANNEL, notice),
  })
  await lease.start()
  lifecycle.onClose('key limits', () => lease.close())
  return keyLimits
}
