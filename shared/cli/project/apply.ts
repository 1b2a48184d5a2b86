/** Applies a plan, one change after another. Each change can be repeated after a crash, because a new plan is made. */
import type { ApiClient } from '../../client/api/client.ts'
import type { UsageKeyFields } from '../../client/core/account.ts'
import { SvcError } from '../../client/failures/svc-error.ts'
import type { StoredTrigger, TriggerChanges } from '../../client/triggers/records.ts'
import { apiKeyHash } from '../../crypto/keccak.ts'
import { withoutUndefined } from '../../json/without-undefined.ts'
import type { Change, KeyFields, Operation } from './change.ts'
import type { KeyStore } from './key-store.ts'
import type { Names } from './deployed-state.ts'
import { attemptText } from './plan-keys.ts'
import type { Project } from './read-project.ts'
import { withAddresses } from './wallet-references.ts'

/** Objects of the project that exist, by their names in the file. */
export type Deployed = {
  wallets: Map<string, { address: string; pkpId: string }>
  groups: Map<string, number>
  keys: Map<string, string>
  triggers: Map<string, { id: string; url?: string | undefined }>
}

export type Applying = {
  client: ApiClient
  names: Names
  deployed: Deployed
  keys: KeyStore
  webhookSecrets: Project['webhookSecrets']
  /** Called with what the service says about a change. */
  onMessage: (message: string) => void
}

export async function applyChange({ operation }: Change, applying: Applying): Promise<void> {
  const { client, deployed } = applying
  const groupId = (group: string) => deployed.groups.get(group)!
  switch (operation.do) {
    case 'create_wallet':
      return createWallet(operation, applying)
    case 'set_policy': {
      const { pkpId: pkp_id, policy, replaces } = operation
      const { pending } = await client.setWalletPolicy({
        pkp_id,
        policy: policy.document,
        replaces,
      })
      if (pending)
        applying.onMessage(
          `the policy ${pending.policy_hash} takes effect at ${pending.effective_at}`,
        )
      return
    }
    case 'create_group': {
      const { group_id } = await client.addGroup({
        group_name: applying.names.full(operation.name),
        pkp_ids_permitted: operation.wallets.map((wallet) => deployed.wallets.get(wallet)!.pkpId),
      })
      deployed.groups.set(operation.name, group_id)
      return
    }
    case 'add_wallet': {
      const { pkpId: pkp_id } = deployed.wallets.get(operation.wallet)!
      await client.addPkpToGroup({ group_id: groupId(operation.group), pkp_id })
      return
    }
    case 'add_action': {
      const { cid: action_ipfs_cid, label } = operation
      await client.addActionToGroup({
        group_id: groupId(operation.group),
        action_ipfs_cid,
        ...(label !== '' && { name: label }),
      })
      return
    }
    case 'create_key':
      return createKey(operation, applying)
    case 'update_key':
      await client.updateUsageApiKey({
        usage_api_key: operation.hash,
        ...keyFields(operation.key, deployed),
        ...(operation.key.cap === null && { remove_spend_cap: true }),
        ...(operation.key.limits && { remove_limits: operation.key.limits.remove }),
      })
      return
    case 'create_trigger':
      return createTrigger(operation, applying)
    case 'update_trigger':
      return updateTrigger(operation, applying)
    case 'remove_trigger':
      await client.triggers.delete(operation.id)
      await applying.keys.forgetTrigger(operation.id)
      return
    case 'remove_key':
      await client.removeUsageApiKey({ usage_api_key: operation.hash })
      await applying.keys.forget(operation.hash)
      return
    case 'remove_group':
      await client.removeGroup({ group_id: operation.id })
      return
    case 'remove_wallet':
      await client.removePkpFromGroup({
        group_id: groupId(operation.group),
        pkp_id: operation.pkpId,
      })
      return
    case 'remove_action':
      await client.removeActionFromGroup({
        group_id: groupId(operation.group),
        hashed_cid: operation.cidHash,
      })
  }
}

type Of<Do extends Operation['do']> = Extract<Operation, { do: Do }>

/** A repeat after a lost response returns the same wallet, because wallets cannot be deleted. */
async function createWallet(
  { name, policy }: Of<'create_wallet'>,
  { client, names, deployed }: Applying,
): Promise<void> {
  const full = names.full(name)
  const { wallet_address: address, pkp_id: pkpId } = await client.createWallet(
    { name: full, ...(policy && { policy: policy.document }) },
    { idempotencyKey: `svc deploy ${full} ${policy?.hash ?? 'without a policy'}` },
  )
  deployed.wallets.set(name, { address, pkpId })
}

/** The service returns the key once. If it is lost, the next deployment recognizes it by its description. */
async function createKey(
  { name, key, replaces }: Of<'create_key'>,
  { client, names, deployed, keys }: Applying,
): Promise<void> {
  const full = names.full(name)
  // Before the lost key is removed: the attempt of a removed key must not be repeated.
  const attempt = await keys.attempt(full, { isNew: replaces !== undefined })
  if (replaces !== undefined) await client.removeUsageApiKey({ usage_api_key: replaces })
  const { usage_api_key: secret } = await client
    .addUsageApiKey(
      { name: full, description: attemptText(attempt), ...keyFields(key, deployed) },
      { idempotencyKey: attempt },
    )
    .catch(async (error: unknown) => {
      // The attempt succeeded earlier, but its key was not stored. The next deployment replaces it.
      if (error instanceof SvcError && error.code === 'key_shown_before')
        await keys.attempt(full, { isNew: true })
      throw error
    })
  const hash = apiKeyHash(secret)
  await keys.keep({ name: full, hash, key: secret })
  deployed.keys.set(name, hash)
}

function keyFields(
  { groups, otherGroupIds = [], cap, limits }: Partial<KeyFields>,
  deployed: Deployed,
): Omit<UsageKeyFields, 'name'> {
  return {
    ...(groups && {
      execute_in_groups: [...groups.map((group) => deployed.groups.get(group)!), ...otherGroupIds],
    }),
    ...(cap && { spend_cap_cents: cap.cents, spend_window_seconds: cap.seconds }),
    ...(limits && withoutUndefined(limits.set)),
  }
}

async function createTrigger(
  { name, key, fields, secret }: Of<'create_trigger'>,
  applying: Applying,
): Promise<void> {
  const { client, names, deployed, keys, webhookSecrets } = applying
  const hash = deployed.keys.get(key)!
  const held = secret && webhookSecrets.get(name)!.held!
  const stored = await client.triggers.create({
    ...withWallets(fields, deployed),
    name: names.full(name),
    usage_api_key: await keys.secret(hash),
    ...(held && { webhook_secret: held.value }),
  })
  await keys.recordTrigger(stored.id, hash)
  if (held) await keys.recordSecret(stored.id, held.digest)
  deployed.triggers.set(name, { id: stored.id, url: stored.webhook_url })
  report(applying, stored)
}

async function updateTrigger(
  { name, id, key, fields, secret }: Of<'update_trigger'>,
  applying: Applying,
): Promise<void> {
  const { client, deployed, keys, webhookSecrets } = applying
  const held = secret && webhookSecrets.get(name)!.held!
  const hash = key === undefined ? undefined : deployed.keys.get(key)!
  const stored = await client.triggers.patch(id, {
    ...withWallets(fields, deployed),
    ...(hash !== undefined && { usage_api_key: await keys.secret(hash) }),
    ...(held && { webhook_secret: held.value }),
  })
  if (hash !== undefined) await keys.recordTrigger(id, hash)
  if (held) await keys.recordSecret(id, held.digest)
  report(applying, stored)
}

/** Replaces references to wallets that were created after the plan. The source is not changed. */
function withWallets<Fields extends TriggerChanges>(fields: Fields, { wallets }: Deployed): Fields {
  const { config, default_params } = fields
  const replaced = <Value>(value: Value) =>
    withAddresses(value, (wallet) => wallets.get(wallet)?.address)
  return {
    ...fields,
    ...(config && { config: replaced(config) }),
    ...(default_params !== undefined && { default_params: replaced(default_params) }),
  }
}

function report({ onMessage }: Applying, { name, warnings = [] }: StoredTrigger): void {
  for (const warning of warnings) onMessage(`warning: the trigger ${name}: ${warning}`)
}
