/** The service generates the keys, but they are registered only on the chain. */
import { accountExists } from '../api/account.ts'
import type { AccountOperations, NewUsageKey, UsageKeyFields } from '../core/account.ts'
import type { CallOptions, Step } from '../options.ts'
import type { Credential, Requester } from '../request.ts'
import type { Surroundings } from '../surroundings.ts'
import { orAborted } from './aborted.ts'
import type { AccountContract } from './account-contract.ts'
import { groupIdsOf, textOf, usageKeyHashOf } from './arguments.ts'
import type { AskWithProof } from './ask-with-proof.ts'
import { masked } from './masked.ts'
import { type CapChange, capIn, CapNotSet, hasScopes, scopesIn } from './usage-key-cap.ts'

type Parts = Pick<Surroundings, 'now' | 'sleep'> & {
  contract: AccountContract
  requester: Requester
  askWithProof: AskWithProof
  /** For the header X-Wallet-Auth. */
  billing: () => Promise<Credential>
  onStep: (step: Step) => void
}

export type UsageKeyWrites = Pick<
  AccountOperations,
  'addUsageApiKey' | 'updateUsageApiKey' | 'removeUsageApiKey'
>

const DONE = { success: true } as const

/** The service sees a block within a second, but a node behind a load balancer can be a few seconds behind. */
const SEEN_WITHIN_MS = 30_000
const LOOK_EVERY_MS = 250

export function usageKeyWrites(parts: Parts): UsageKeyWrites {
  const { contract, requester, askWithProof, billing, onStep, now, sleep } = parts

  const setCap = async (hash: string, cap: CapChange, options?: CallOptions) => {
    await requester.core({
      method: 'POST',
      path: '/core/v1/update_usage_api_key',
      json: { usage_api_key: hash, ...cap },
      credential: await orAborted(billing(), options?.signal),
      repeat: 'once',
      options,
    })
  }

  /** Never throws, because the key is already registered on the chain. */
  const seen = async (apiKey: string, options?: CallOptions): Promise<boolean> => {
    const until = now() + SEEN_WITHIN_MS
    // Also counts attempts, because the clock may be set back.
    let looks = SEEN_WITHIN_MS / LOOK_EVERY_MS
    try {
      while (!(await accountExists(requester, { apiKey }, options))) {
        if (now() >= until || looks-- === 0) return false
        await sleep(LOOK_EVERY_MS, options?.signal)
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
      const cap = capIn(fields)
      // Signed first: if the owner declines, no transaction has been paid for yet.
      if (cap) await orAborted(billing(), options?.signal)
      const path = 'add_usage_api_key_with_signature'
      const made = await askWithProof<NewUsageKey>(
        'AddUsageApiKey',
        path,
        scopesIn(fields),
        options,
      )
      const { usage_api_key } = made
      // Computed from the key instead of trusting the hash in the response.
      const usageApiKeyHash = usageKeyHashOf(usage_api_key)
      await contract.write(
        `register the usage key ${fields.name}`,
        'setUsageApiKey',
        [usageApiKeyHash, values],
        { ...options, usageApiKeyHash },
      )
      await seen(usage_api_key, options)
      if (cap)
        await setCap(usageApiKeyHash, cap, options).catch((error: unknown) => {
          throw new CapNotSet(usageApiKeyHash, error)
        })
      return { success: true, usage_api_key, usage_api_key_hash: usageApiKeyHash }
    },
    updateUsageApiKey: async ({ usage_api_key, ...fields }, options) => {
      const hash = usageKeyHashOf(usage_api_key)
      const cap = capIn(fields)
      if (!cap || hasScopes(fields)) {
        const { fields: mask, values } = membersOf(fields)
        const args = [hash, mask, values]
        await contract.write('change a usage key', 'updateUsageApiKey', args, options)
      }
      if (cap) await setCap(hash, cap, options)
      return DONE
    },
    removeUsageApiKey: async ({ usage_api_key }, options) => {
      const args = [usageKeyHashOf(usage_api_key)]
      await contract.write('remove a usage key', 'removeUsageApiKey', args, options)
      return DONE
    },
  }
}

/** Fields of the contract's `UsageApiKey`, in the order of the bits in the update mask. */
function membersOf(fields: Partial<UsageKeyFields>) {
  const text = (field: 'name' | 'description') => fields[field] && textOf(field, fields[field])
  const groups = (field: GroupsField) => fields[field] && groupIdsOf(field, fields[field])
  return masked([
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
