/** The service generates the keys, but they are registered only on the chain. */
import { accountExists } from '../api/account.ts'
import type { AccountOperations, NewUsageKey, UsageKeyFields } from '../core/account.ts'
import type { CallOptions, Step } from '../options.ts'
import type { Credential, Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { abortable } from '../abortable.ts'
import type { AccountContract } from './account-contract.ts'
import { groupIdsOf, maskedUpdate, requireWellFormed, usageKeyHashOf } from './arguments.ts'
import type { SendWithProof } from './send-with-proof.ts'
import {
  CapNotSet,
  contractFields,
  hasContractFields,
  type OffChainChange,
  offChainChange,
} from './usage-key-limits.ts'

type Parts = Pick<RuntimeEnvironment, 'now' | 'sleep'> & {
  contract: AccountContract
  requester: Requester
  askWithProof: SendWithProof
  billing: () => Promise<Credential>
  onStep: (step: Step) => void
}

/**
 * Maximum time until the service sees a new key. It usually takes less than a second, but a node behind a load balancer
 * can be a few seconds behind.
 */
const SEEN_WITHIN_MS = 30_000
const POLL_INTERVAL_MS = 250

export function usageKeyWrites(parts: Parts) {
  const { contract, requester, askWithProof, billing, onStep, now, sleep } = parts

  const setOffChain = async (hash: string, change: OffChainChange, options?: CallOptions) => {
    await requester.core({
      method: 'POST',
      path: '/core/v1/update_usage_api_key',
      json: { usage_api_key: hash, ...change },
      credential: await abortable(billing(), options?.signal),
      repeat: 'once',
      options,
    })
  }

  /** Never throws, because the key is already registered on the chain. */
  const waitUntilSeen = async (apiKey: string, options?: CallOptions): Promise<boolean> => {
    const until = now() + SEEN_WITHIN_MS
    // Limits the attempts in addition to the time, because the clock may be set back.
    let attemptsLeft = SEEN_WITHIN_MS / POLL_INTERVAL_MS
    try {
      while (!(await accountExists(requester, { apiKey }, options))) {
        if (now() >= until || attemptsLeft-- === 0) return false
        await sleep(POLL_INTERVAL_MS, options?.signal)
      }
    } catch {
      return false
    }
    onStep({ step: 'seen', what: 'the usage key' })
    return true
  }

  return {
    addUsageApiKey: async (fields, options) => {
      const { values } = membersOf(fields)
      const change = offChainChange(fields)
      // The billing proof is signed first. If the owner declines, no transaction has been paid for yet.
      if (change) await abortable(billing(), options?.signal)
      const path = 'add_usage_api_key_with_signature'
      const made = await askWithProof<NewUsageKey>(
        { purpose: 'AddUsageApiKey' },
        path,
        contractFields(fields),
        options,
      )
      const { usage_api_key } = made
      // The hash is computed from the key, so that the hash in the response need not be trusted.
      const usageApiKeyHash = usageKeyHashOf(usage_api_key)
      await contract.write(
        `register the usage key ${fields.name}`,
        'setUsageApiKey',
        [usageApiKeyHash, values],
        { ...options, usageApiKeyHash },
      )
      await waitUntilSeen(usage_api_key, options)
      if (change)
        await setOffChain(usageApiKeyHash, change, options).catch((error: unknown) => {
          throw new CapNotSet(usageApiKeyHash, error)
        })
      return { success: true, usage_api_key, usage_api_key_hash: usageApiKeyHash }
    },
    updateUsageApiKey: async ({ usage_api_key, ...fields }, options) => {
      const hash = usageKeyHashOf(usage_api_key)
      const change = offChainChange(fields)
      if (!change || hasContractFields(fields)) {
        const { fields: mask, values } = membersOf(fields)
        const args = [hash, mask, values]
        await contract.write('change a usage key', 'updateUsageApiKey', args, options)
      }
      if (change) await setOffChain(hash, change, options)
      return { success: true }
    },
    removeUsageApiKey: async ({ usage_api_key }, options) => {
      const args = [usageKeyHashOf(usage_api_key)]
      await contract.write('remove a usage key', 'removeUsageApiKey', args, options)
      return { success: true }
    },
  } satisfies Partial<AccountOperations>
}

/** Fields of the contract's `UsageApiKey`, in the order of the bits in the update mask. */
function membersOf(fields: Partial<UsageKeyFields>) {
  const text = (field: 'name' | 'description') =>
    fields[field] && requireWellFormed(field, fields[field])
  const groups = (field: GroupsField) => fields[field] && groupIdsOf(field, fields[field])
  return maskedUpdate([
    [text('name'), ''],
    [text('description'), ''],
    [fields.can_create_groups, false],
    [fields.can_delete_groups, false],
    [fields.can_create_pkps, false],
    [groups('manage_ipfs_ids_in_groups'), []],
    [groups('add_pkp_to_groups'), []],
    [groups('remove_pkp_from_groups'), []],
    [groups('execute_in_groups'), []],
  ])
}

type GroupsField =
  | 'manage_ipfs_ids_in_groups'
  | 'add_pkp_to_groups'
  | 'remove_pkp_from_groups'
  | 'execute_in_groups'
