/** Commands that show and set the policy of a wallet. */
import type { Command } from 'commander'
import type { ChangedWalletPolicy, HeldWalletPolicy } from '../../client/core/account.ts'
import { describePolicy } from '../../policies/describe-policy.ts'
import type { Policy } from '../../policies/policy.ts'
import type { Cli } from '../cli.ts'
import { columns, facts, formatUtcTime } from '../commands/columns.ts'
import { changeLines, policyChanges } from './changes.ts'
import { descriptionLines } from './check.ts'
import { parsedPolicy, readPolicy } from './read-policy.ts'

/**
 * Sets a wallet's policy, and prints what changes.
 * @throws {UsageError} if the policy is invalid
 */
export async function setPolicy(
  cli: Cli,
  command: Command,
  wallet: string,
  file: string,
  { yes }: { yes?: boolean },
): Promise<void> {
  const policy = await readPolicy(cli, file)
  const client = await cli.client(command, { key: 'account' })
  const held = await client.getWalletPolicy({ pkp_id: wallet })
  const changes = policyChanges(policyOf(held.policy), policy)
  const lines = policy.hash === held.policy_hash ? [] : changeLines(changes)
  const mustConfirm = policy.document.immutable === true && !yes
  if (mustConfirm) {
    for (const line of lines) cli.warn(line)
    if (!(await cli.confirm('This policy can never be changed again. Set it?'))) return
  }
  const made = await client.setWalletPolicy({
    pkp_id: wallet,
    policy: policy.document,
    // Without it, a concurrent change could be overwritten, and the printed changes would be wrong.
    replaces: held.policy_hash,
  })
  cli.print(command, { ...made, changes }, () => [
    ...(mustConfirm || lines.length === 0 ? [] : [...lines, '']),
    ...facts({ holds: made.policy_hash, pending: made.pending?.policy_hash }),
    outcomeOf(made, held),
  ])
}

function outcomeOf(
  { pending, policy_hash }: ChangedWalletPolicy,
  before: HeldWalletPolicy,
): string {
  if (pending)
    return `The change could allow more. It takes effect at ${formatUtcTime(pending.effective_at)}.`
  if (policy_hash !== before.policy_hash) return 'The change has taken effect.'
  return before.pending
    ? `The pending change to ${before.pending.policy_hash} is canceled.`
    : 'The wallet already had this policy.'
}

/** Prints the policy that holds, what remains of its sums, and a pending change. */
export async function showPolicy(cli: Cli, command: Command, wallet: string): Promise<void> {
  const client = await cli.client(command, { key: 'account' })
  const held = await client.getWalletPolicy({ pkp_id: wallet })
  cli.print(command, held, () => {
    const policy = policyOf(held.policy)
    const { wallet_address, policy_hash, set_at } = held
    const set = formatUtcTime(set_at)
    return [
      ...facts({ wallet: wallet_address, hash: policy_hash, 'set at': set }),
      '',
      ...descriptionLines(describePolicy(policy.document)),
      ...remainingLines(held, policy),
      ...pendingLines(held, policy),
    ]
  })
}

function remainingLines({ sums }: HeldWalletPolicy, { document }: Policy): string[] {
  if (document.sums === undefined) return []
  const rows = document.sums.flatMap(({ name, max }) => {
    const used = sums.filter(({ sum }) => sum === name)
    if (used.length === 0) return [[name, `${max} of ${max} remain`]]
    return used.map(({ key, remaining }) => [key, `${remaining} of ${max} remain`])
  })
  return ['', 'Remaining:', ...columns(rows)]
}

function pendingLines({ pending }: HeldWalletPolicy, policy: Policy): string[] {
  if (!pending) return []
  return [
    '',
    `Pending until ${formatUtcTime(pending.effective_at)}: ${pending.policy_hash}`,
    ...changeLines(policyChanges(policy, policyOf(pending.policy))),
  ]
}

const policyOf = (document: object) =>
  parsedPolicy(JSON.stringify(document), 'the policy from the service')
