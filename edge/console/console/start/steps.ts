/** The first steps, in order. Each creates one thing from the results of the previous steps. */
import { encodeHex } from '../../../../shared/hex.ts'
import type { Connection } from '../connection.ts'
import { FIRST_ACTION } from './first-action.ts'

/** Results so far. A step is done if its field is present. */
export type Made = {
  wallet?: { address: string; pkpId: string }
  cid?: string
  groupId?: number
  /** Secret; used only for the trigger. */
  usageKey?: string
}

/** Identifies the wallet in later connections. No operation renames a wallet. */
export const WALLET_NAME = 'First wallet'

// Spending cap of the first usage key: limits the cost of a mistake to $1.00 a day.
const CAP_CENTS = 100
const CAP_WINDOW_S = 86_400

/** As in docs/by-hand.md. */
const SECRET_BYTES = 24

export type FirstStep = {
  field: keyof Made
  title: string
  about: string
  /** Label of the button, also shown as progress. */
  press: string
  /** @returns `made` with the new result added */
  make: (client: Connection['client'], made: Made) => Promise<Made>
}

export const STEPS: readonly FirstStep[] = [
  {
    field: 'wallet',
    title: 'A wallet',
    about: 'A key that stays in the service: actions sign with it, and nobody takes it away.',
    press: 'Create a wallet',
    make: async (client, made) => {
      const { wallet_address, pkp_id } = await client.createWallet({ name: WALLET_NAME })
      return { ...made, wallet: { address: wallet_address, pkpId: pkp_id } }
    },
  },
  {
    field: 'cid',
    title: 'An action',
    about:
      'JavaScript that checks who sent a webhook, by an HMAC, and then signs its message. Its name is the hash of its source: nothing is uploaded.',
    press: 'Name the action',
    make: async (client, made) => ({ ...made, cid: await client.getSvcActionIpfsId(FIRST_ACTION) }),
  },
  {
    field: 'groupId',
    title: 'A group',
    about: 'It binds the two: this action, and no other, may use this wallet.',
    press: 'Bind them in a group',
    make: async (client, made) => {
      const { group_id } = await client.addGroup({
        group_name: 'First steps',
        pkp_ids_permitted: [made.wallet!.pkpId],
      })
      const action_ipfs_cid = made.cid!
      await client.addActionToGroup({ group_id, action_ipfs_cid, name: 'Sign a webhook’s message' })
      return { ...made, groupId: group_id }
    },
  },
  {
    field: 'usageKey',
    title: 'A usage key',
    about:
      'For the trigger: it may run the actions of that group and nothing else, and spend $1.00 a day at most.',
    press: 'Create a usage key',
    make: async (client, made) => {
      const { usage_api_key } = await client.addUsageApiKey({
        name: 'First trigger',
        execute_in_groups: [made.groupId!],
        spend_cap_cents: CAP_CENTS,
        spend_window_seconds: CAP_WINDOW_S,
      })
      return { ...made, usageKey: usage_api_key }
    },
  },
]

/** Returns a secret for the sender and the action to share, with which the action authenticates the sender. */
export function newSecret(): string {
  return encodeHex(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}
