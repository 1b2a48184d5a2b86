/** Objects that journeys share, created when first needed. */
import type { Area } from '../areas.ts'
import { cidHash, cidOf } from './cid.ts'
import type { SpecClient } from './client.ts'
import { ALL_ACTIONS, ALL_WALLETS, type UsageKeyFields, type Wallet } from './core.ts'
import { ECHO, SIGN } from './action-sources.ts'
import { patiently } from './wait.ts'

export type Chain = { rpcUrl: string; fundedKey: string }

/** Tools beyond the two APIs. A journey stays open if it needs a missing one. */
export type Tools = {
  /** The chain of the accounts contract. */
  accountChain?: Chain
  /** A chain that triggers can watch, with its name in `config.chain`. */
  eventChain?: Chain & { name: string }
  /** Settles a payment as the processor's client library would. */
  pay?: (intent: { publishableKey: string; clientSecret: string }) => Promise<void>
  /** DER certificate that `baseUrl` serves in the TLS handshake. */
  servedCertificate?: () => Promise<Uint8Array>
  /** CAA records of the alias target of the custom domain. */
  caaRecords?: () => Promise<string[]>
  /** URLs that actions are allowed to fetch: a short response, and one of more than 1 MB. */
  outbound?: { small: string; large: string }
}

export type Journey = {
  name: string
  needs: Area[]
  tools?: (keyof Tools)[]
  /** Time limit in seconds; default 60. */
  seconds?: number
  run(client: SpecClient, world: World): Promise<void>
}

/** @returns the missing areas and tools of a journey; undefined if it can run */
export function whyOpen(journey: Journey, areas: readonly Area[], tools: Tools) {
  const missing = [
    ...journey.needs.filter((area) => !areas.includes(area)),
    ...(journey.tools ?? []).filter((tool) => !tools[tool]).map((tool) => `tool ${tool}`),
  ]
  return missing.length ? missing.join(', ') : undefined
}

type Account = { apiKey: string; walletAddress: string }

export class World {
  readonly #client: SpecClient
  readonly tools: Tools
  #account?: Promise<Account>
  #wallet?: Promise<Wallet>
  #signingGroup?: Promise<number>
  #signingKey?: Promise<string>
  #anyActionKey?: Promise<string>
  #token?: Promise<string>

  constructor(client: SpecClient, tools: Tools = {}) {
    this.#client = client
    this.tools = tools
  }

  account(): Promise<Account> {
    return (this.#account ??= this.newAccount('shared by the journeys'))
  }

  wallet(): Promise<Wallet> {
    return (this.#wallet ??= this.#makeWallet())
  }

  /** A group that permits one wallet and the signing action only. */
  signingGroup(): Promise<number> {
    return (this.#signingGroup ??= this.#makeSigningGroup())
  }

  signingKey(): Promise<string> {
    return (this.#signingKey ??= this.#makeSigningKey())
  }

  /** A key for a group that permits every action and no wallet. */
  anyActionKey(): Promise<string> {
    return (this.#anyActionKey ??= this.#makeAnyActionKey())
  }

  /** A bearer token that a user has approved. */
  token(): Promise<string> {
    return (this.#token ??= this.#client.authorize())
  }

  newAccount(description: string): Promise<Account> {
    return this.#client.core.newAccount({ name: 'conformance', description })
  }

  async executeOnlyKey(groups: number[], of?: Account): Promise<string> {
    const { apiKey } = of ?? (await this.account())
    return this.#client.core.addUsageApiKey(apiKey, executeOnly(groups))
  }

  async #makeWallet(): Promise<Wallet> {
    return this.#client.core.createWallet((await this.account()).apiKey)
  }

  async #makeSigningGroup(): Promise<number> {
    const { pkpId } = await this.wallet()
    return this.#client.core.addGroup((await this.account()).apiKey, {
      name: 'may sign',
      description: 'one wallet, one action',
      pkp_ids_permitted: [pkpId ?? ALL_WALLETS],
      cid_hashes_permitted: [cidHash(cidOf(SIGN))],
    })
  }

  async #makeSigningKey(): Promise<string> {
    const key = await this.executeOnlyKey([await this.signingGroup()])
    const params = { pkpId: (await this.wallet()).address, message: 'first call' }
    await patiently(() => this.#client.core.svcAction(key, SIGN, params))
    return key
  }

  async #makeAnyActionKey(): Promise<string> {
    const group = await this.#client.core.addGroup((await this.account()).apiKey, {
      name: 'any action',
      description: 'every action, no wallet',
      pkp_ids_permitted: [],
      cid_hashes_permitted: [ALL_ACTIONS],
    })
    const key = await this.executeOnlyKey([group])
    await patiently(() => this.#client.core.svcAction(key, ECHO))
    return key
  }
}

/** Fields of a usage key with no rights except to execute. */
export function executeOnly(groups: number[]): UsageKeyFields {
  return {
    name: 'execute only',
    description: 'runs what its groups permit',
    can_create_groups: false,
    can_delete_groups: false,
    can_create_pkps: false,
    manage_ipfs_ids_in_groups: [],
    add_pkp_to_groups: [],
    remove_pkp_from_groups: [],
    execute_in_groups: groups,
  }
}
