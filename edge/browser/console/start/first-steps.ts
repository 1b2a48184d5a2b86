import type { Wallet } from '../../../../shared/client/core/account.ts'
import { encodeHex } from '../../../../shared/encoding/hex.ts'
import type { Connection } from '../connection.ts'

/**
 * Source of the action that the first steps create (docs/by-hand.md). The action verifies the webhook's sender before
 * it signs.
 */
export const FIRST_ACTION = `async function main(params) {
  const { utils } = ethers
  if (params.source === 'webhook') {
    const bytes = utils.toUtf8Bytes(params.event_raw)
    const mac = utils.computeHmac('sha256', utils.toUtf8Bytes(params.secret), bytes)
    if (params.headers['x-hub-signature-256'] !== 'sha256=' + mac.slice(2)) throw new Error('wrong signature')
  }
  const message = params.source === 'webhook' ? params.event.message : params.message
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: params.wallet }))
  console.log('signing', message)
  return { message, signature: await wallet.signMessage(message) }
}
`

export type FirstStepResults = {
  wallet?: { address: string; pkpId: string }
  cid?: string
  groupId?: number
  /** It is secret, and used only for the trigger. */
  usageKey?: string
}

/**
 * Name of the wallet that the first step creates. Later connections find the wallet by this name, because wallets
 * cannot be renamed.
 */
const WALLET_NAME = 'First wallet'

// Spending cap of the usage key: $1.00 per day, to limit the cost of a mistake.
const CAP_CENTS = 100
const CAP_WINDOW_S = 86_400

/** Length of the webhook secret, identical to that in docs/by-hand.md. */
const SECRET_BYTES = 24

export type FirstStep = {
  field: keyof FirstStepResults
  title: string
  about: string
  press: string
  make: (client: Connection['client'], made: FirstStepResults) => Promise<FirstStepResults>
}

export const FIRST_STEPS: readonly FirstStep[] = [
  {
    field: 'wallet',
    title: 'Wallet',
    about: 'A key pair whose private key never leaves the service. Actions sign with it.',
    press: 'Create a wallet',
    make: async (client, made) => {
      const { wallet_address, pkp_id } = await client.createWallet({ name: WALLET_NAME })
      return { ...made, wallet: { address: wallet_address, pkpId: pkp_id } }
    },
  },
  {
    field: 'cid',
    title: 'Action',
    about:
      'JavaScript that verifies the sender of a webhook by an HMAC, then signs the message. An action is identified by the hash of its source, so nothing is uploaded.',
    press: 'Compute the CID',
    make: async (client, made) => ({ ...made, cid: await client.getSvcActionIpfsId(FIRST_ACTION) }),
  },
  {
    field: 'groupId',
    title: 'Group',
    about: 'Permits this action, and no other, to use this wallet.',
    press: 'Create a group',
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
    title: 'Usage key',
    about:
      'A key for the trigger. It can only run the actions of that group, and spend at most $1.00 per day.',
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

export function newWebhookSecret(): string {
  return encodeHex(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

export async function readFirstStepResults({ client }: Connection): Promise<FirstStepResults> {
  return resultsFromWallets(await client.listWallets().all())
}

/**
 * Returns the results of earlier first steps that can be reused, which is only the wallet. Another usage key may have
 * created an existing group or may have rights in it, and would gain the rights of the new usage key. An existing usage
 * key cannot be reused, because its text cannot be read back.
 */
export function resultsFromWallets(
  wallets: readonly Pick<Wallet, 'name' | 'wallet_address' | 'pkp_id'>[],
): FirstStepResults {
  const first = wallets.find(({ name }) => name === WALLET_NAME)
  return first ? { wallet: { address: first.wallet_address, pkpId: first.pkp_id } } : {}
}
