import { zeroPadValue } from 'ethers'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { addGroupRequest } from '../../shared/wire/core.ts'
import { accountConfig } from '../accounts/chain.ts'
import { WILDCARD } from '../accounts/permissions.ts'
import type { Principal } from '../accounts/state.ts'
import type { Operation } from './operation.ts'

/** Makes a group of wallets and actions. Its id counts from 1 in each account and is never used again. */
export const addGroup: Operation<z.infer<typeof addGroupRequest>> = {
  method: 'POST',
  path: '/core/v1/add_group',
  auth: 'key',
  body: { schema: addGroupRequest },
  handle: async ({ principal, body }, { writer }) => {
    requireMayCreate(principal, body)
    const receipt = await writer.write('addGroup', [
      principal.account.hash,
      body.name,
      body.description,
      body.pkpIds.map((id) => zeroPadValue(id, 32)),
      body.cidHashes.map((hash) => (String(hash).length < 66 ? WILDCARD : hash)),
    ])
    for (const log of receipt.logs) {
      const event = accountConfig.parseLog(log)
      if (event?.name === 'GroupSet') return { success: true, group_id: Number(event.args.groupId) }
    }
    throw new Error('the receipt of addGroup has no GroupSet event')
  },
}

/** A usage key must not widen itself through a group of its own making (`decisions.md`, add_group). */
function requireMayCreate(
  { usageKey }: Principal,
  body: { pkpIds: readonly unknown[]; cidHashes: readonly unknown[] },
): void {
  if (!usageKey) return
  const needs = (allowed: boolean, what: string) => {
    if (allowed) return
    throw new ApiError(
      403,
      `This usage key may not create such a group: it lacks ${what}.`,
      'Use the account key, or a usage key with that permission.',
    )
  }
  needs(usageKey.canCreateGroups, 'can_create_groups')
  needs(body.pkpIds.length === 0 || usageKey.addPkpToGroups.has(0), 'add_pkp_to_groups with 0')
  needs(
    body.cidHashes.length === 0 || usageKey.manageIpfsIdsInGroups.has(0),
    'manage_ipfs_ids_in_groups with 0',
  )
}
