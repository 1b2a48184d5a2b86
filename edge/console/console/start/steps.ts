/** The first steps, in order: each makes one thing of what the steps before it have made. */
import { encodeHex } from '../../../../shared/hex.ts'
import type { Connection } from '../connection.ts'
import { FIRST_ACTION } from './first-action.ts'

/** What was made so far; a step is done when its field is there. */
export type Made = {
  wallet?: { address: string; pkpId: string }
  cid?: string
  groupId?: number
  /** Secret: for the trigger alone. */
  usageKey?: string
}

/** By which it is found again; no operation gives a wallet another name. */
export const WALLET_NAME = 'First wallet'

/** Of the first key: what a mistake can cost in a day. */
const CAP_CENTS = 100
const CAP_WINDOW_S = 86_400

/** 24 bytes: as many as docs/by-hand.md makes. */
const SECRET_BYTES = 24

export type FirstStep = {
  field: keyof Made
  title: string
  /** What it is for. */
  about: string
  /** Of its button, and of what is told. */
  press: string
  /** @returns what was made before, with this */
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

/** What sender and action share, so that the action knows the sender. */
export function newSecret(): string {
  return encodeHex(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}
