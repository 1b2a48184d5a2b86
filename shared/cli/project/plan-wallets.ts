import { isTightening } from '../../policies/is-tightening.ts'
import { parsePolicy, type Policy } from '../../policies/policy.ts'
import { durationWords } from '../../policies/describe-policy.ts'
import type { HeldWalletPolicy } from '../../client/core/account.ts'
import { formatUtcTime } from '../commands/columns.ts'
import { changeLines, policyChanges } from '../policy/changes.ts'
import { UsageError } from '../terminal.ts'
import type { Change } from './change.ts'
import { type DeployedState, type DeployedWallet, type Names, oneNamed } from './deployed-state.ts'
import type { Planned, Planning } from './planning.ts'
import type { Project } from './read-project.ts'

export function planWallets({ project, state, names }: Planning): Planned {
  const changes: Change[] = []
  const notes: string[] = []
  for (const [name, { address, policy }] of project.wallets) {
    const wallet = deployedWallet({ project, state, names }, name)
    const full = names.full(name)
    if (address !== undefined) continue
    if (wallet) {
      const { change, note } = policyChange(name, full, wallet, policy)
      if (change) changes.push(change)
      if (note !== undefined) notes.push(note)
      continue
    }
    changes.push({
      change: 'create',
      kind: 'wallet',
      name: full,
      details: [policy ? `policy ${policy.file} (${policy.policy.hash})` : 'without a policy'],
      permissions: [],
      operation: { do: 'create_wallet', name, ...(policy && { policy: policy.policy }) },
    })
  }
  const listed = new Set([...project.wallets.keys()].map(names.full))
  for (const { name, wallet_address } of state.wallets)
    if (name.startsWith(names.prefix) && !listed.has(name))
      notes.push(
        `the wallet ${name} (${wallet_address}) is not in the file; wallets are never deleted`,
      )
  return { changes, removals: [], notes }
}

/**
 * @returns undefined if the wallet is yet to be created
 * @throws {UsageError} if several wallets have its name, or none has its address
 */
export function deployedWallet(
  { project, state, names }: { project: Project; state: DeployedState; names: Names },
  name: string,
): DeployedWallet | undefined {
  const address = project.wallets.get(name)?.address
  if (address === undefined)
    return oneNamed(
      state.wallets,
      names.full(name),
      'wallet',
      ({ wallet_address }) => wallet_address,
      `Choose one with wallets.${name}.address in the file.`,
    )
  const found = state.wallets.find(({ wallet_address }) => wallet_address.toLowerCase() === address)
  if (found) return found
  throw new UsageError(
    `wallets.${name}.address: the account has no wallet ${address}; svc wallet list lists its wallets`,
  )
}

function policyChange(
  name: string,
  full: string,
  { held, pkp_id: pkpId, wallet_address }: DeployedWallet,
  declared: { file: string; policy: Policy } | undefined,
): { change?: Change; note?: string } {
  if (!declared)
    return held
      ? { note: `the wallet ${full} has a policy, which the file does not mention and which stays` }
      : {}
  const { file, policy } = declared
  if (!held)
    throw new UsageError(
      `wallets.${name}.policy: the wallet ${full} (${wallet_address}) was created without a policy, and can never get one. Give the wallet another name in the file to create a new one`,
    )
  const { pending } = held
  if (pending?.policy_hash === policy.hash)
    return {
      note: `the policy ${file} of the wallet ${full} takes effect at ${formatUtcTime(pending.effective_at)}`,
    }
  if (held.policy_hash === policy.hash && !pending) return {}
  return { change: setPolicy(name, full, held, { file, policy, pkpId }) }
}

function setPolicy(
  name: string,
  full: string,
  held: HeldWalletPolicy,
  { file, policy, pkpId }: { file: string; policy: Policy; pkpId: string },
): Change {
  const before = parsePolicy(JSON.stringify(held.policy))
  if (before.document.immutable)
    throw new UsageError(
      `wallets.${name}.policy: the policy of the wallet ${full} is immutable, and differs from ${file}. Give the wallet another name in the file to create a new one`,
    )
  const isCanceled = held.policy_hash === policy.hash
  const delay = before.document.change_delay_s ?? 0
  const isAtOnce = isCanceled || delay === 0 || isTightening(before, policy)
  const when = isAtOnce ? 'at once' : `after ${durationWords(delay)}`
  return {
    change: 'update',
    kind: 'wallet',
    name: full,
    details: [
      isCanceled
        ? `cancels the pending policy ${held.pending!.policy_hash}`
        : `policy ${held.policy_hash} becomes ${policy.hash} (${file}), ${when}`,
      ...(held.pending && !isCanceled
        ? [`replaces the pending policy ${held.pending.policy_hash}`]
        : []),
    ],
    permissions: [
      ...(isCanceled ? [] : changeLines(policyChanges(before, policy))),
      ...(policy.document.immutable ? ['the policy can never be changed again'] : []),
    ],
    operation: { do: 'set_policy', name, pkpId, policy, replaces: held.policy_hash },
  }
}
