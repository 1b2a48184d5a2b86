import type { ApiClient } from '../../client/api/client.ts'
import type {
  Group,
  HeldWalletPolicy,
  RegisteredAction,
  UsageKey,
  Wallet,
} from '../../client/core/account.ts'
import type { ListedTrigger, Trigger } from '../../client/triggers/records.ts'
import { UsageError } from '../terminal.ts'

export type DeployedWallet = Wallet & { held?: HeldWalletPolicy }
export type DeployedTrigger = Pick<
  Trigger,
  | 'id'
  | 'name'
  | 'kind'
  | 'action_cid'
  | 'config'
  | 'options'
  | 'default_params'
  | 'max_runs_per_minute'
  | 'max_queued_runs'
  | 'enabled'
  | 'disabled_reason'
  | 'webhook_url'
>

/** The account and its triggers, and what this machine knows about their keys. */
export type DeployedState = {
  wallets: readonly DeployedWallet[]
  groups: readonly Group[]
  actions: readonly RegisteredAction[]
  keys: readonly UsageKey[]
  triggers: readonly DeployedTrigger[]
  /** Hashes of the usage keys that are stored on this machine. */
  heldKeys: ReadonlySet<string>
  /** Attempts to create a usage key that did not store it, by the full name of the key: idempotency keys. */
  keyAttempts: ReadonlyMap<string, readonly string[]>
  /** Hash of the key that this machine last gave to a trigger, by the trigger’s ID. */
  triggerKeys: ReadonlyMap<string, string>
  /** Digest of the webhook secret that this machine last gave to a trigger, by the trigger’s ID. */
  triggerSecrets: ReadonlyMap<string, string>
}

/** Names of the objects of a project in an account. */
export type Names = { prefix: string; full(this: void, name: string): string }

/**
 * The names of a project’s objects begin with its title, so that projects and environments share an account, and an object
 * that was made by hand is never mistaken for one of theirs.
 */
export function namesOf(title: string): Names {
  const prefix = `${title}/`
  return { prefix, full: (name) => prefix + name }
}

/**
 * Reads the account. Of the wallets and triggers, only those of the project are read in full.
 * @param needsTriggers false if the project has no triggers, so that no token is needed
 */
export async function readAccount(
  client: ApiClient,
  { prefix }: Names,
  needsTriggers: boolean,
): Promise<Pick<DeployedState, 'wallets' | 'groups' | 'actions' | 'keys' | 'triggers'>> {
  const [wallets, groups, actions, keys, triggers] = await Promise.all([
    client.listWallets().all(),
    client.listGroups().all(),
    client.listActions().all(),
    client.listApiKeys().all(),
    needsTriggers ? client.triggers.list().all() : [],
  ])
  const isOwn = ({ name }: { name: string }) => name.startsWith(prefix)
  return {
    wallets: await Promise.all(
      wallets.map(async (wallet) =>
        isOwn(wallet) && wallet.policy_hash !== undefined
          ? { ...wallet, held: await client.getWalletPolicy({ pkp_id: wallet.pkp_id }) }
          : wallet,
      ),
    ),
    groups,
    actions,
    keys,
    triggers: await Promise.all(triggers.filter(isOwn).map((one) => wholeTrigger(client, one))),
  }
}

/** Lists omit large params and lists of addresses. */
async function wholeTrigger(client: ApiClient, listed: ListedTrigger): Promise<DeployedTrigger> {
  const { default_params, addresses_count } = listed
  return default_params === null || addresses_count !== undefined
    ? client.triggers.get(listed.id)
    : { ...listed, default_params }
}

/**
 * Returns the object with a name.
 * @throws {UsageError} if several have it, because names identify the objects of a project
 */
export function oneNamed<Item extends { name: string }>(
  items: readonly Item[],
  name: string,
  what: string,
  idOf: (item: Item) => string | number,
  fix: string,
): Item | undefined {
  const found = items.filter((item) => item.name === name)
  if (found.length < 2) return found[0]
  throw new UsageError(
    `${found.length} ${what}s are named ${name}: ${found.map(idOf).join(', ')}. ${fix}`,
  )
}
