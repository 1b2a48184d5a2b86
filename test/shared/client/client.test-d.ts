/**
 * Type checks of programs that use the client: `tsc -b` checks against the sources, `test/system/packages.test.ts` against the
 * packed declarations. This file is never run.
 */
import {
  type AccountOperations,
  ActionFailed,
  type ApiClient,
  createClient,
  type Eip1193Provider,
  type Group,
  type Listing,
  type NewWallet,
  type PaymentRequired,
  type Report,
  type SovereignClient,
  SvcError,
  type TooManyRequests,
  type Verdict,
} from '../../../shared/client/index.ts'

const baseUrl = 'https://origin.example'
const client = createClient({ baseUrl, apiKey: 'key', verify: 'once' })

// API mode is the default, with its own operations.
export const api: ApiClient = client
export const mode: 'api' = client.mode
export const rotated: Promise<{ api_key: string }> = client.rotateAccountApiKey()
// @ts-expect-error: only the owning wallet can transfer ownership
client.transferOwnership('0x')

// ChainSecured mode has the same operations, and additional ones.
declare const signer: Eip1193Provider
const owned = createClient({ mode: 'sovereign', baseUrl, signer })
export const sovereign: SovereignClient = owned
export const both: AccountOperations[] = [client, owned]
await owned.transferOwnership('0x', 'there is no way back')
// @ts-expect-error: an irreversible operation needs a confirmation
await owned.transferOwnership('0x')
// @ts-expect-error: this mode has no account key to rotate
owned.rotateAccountApiKey()
// @ts-expect-error: this mode accepts no account key
createClient({ mode: 'sovereign', baseUrl, signer, apiKey: 'key' })
// @ts-expect-error: a signer is required
createClient({ mode: 'sovereign', baseUrl })

// Records have the field names of the API.
export const wallet: NewWallet = await client.createWallet()
export const address: string = wallet.wallet_address
export const groups: Listing<Group> = client.listGroups()
for await (const { group_id } of groups) isNumber(group_id)
// @ts-expect-error: unknown field
export const other = wallet.walletAddress

// Wrong fields are errors.
// @ts-expect-error: the name is required
await client.addGroup({})
// @ts-expect-error: unknown field
await client.addGroup({ group_name: 'one', members: [] })
// @ts-expect-error: must be an array of numbers
await client.addUsageApiKey({ name: 'one', execute_in_groups: '1' })
// @ts-expect-error: the CID or its hash is required
await client.deleteAction({})

// The response of an action has the declared type.
const { response, logs } = await client.svcAction<{ sum: number }>({ code: '' }, { sealed: true })
isNumber(response.sum)
export const lines: string = logs
// @ts-expect-error: declared as a number
export const text: string = response.sum
const { response: unsaid } = await client.svcAction({ code: '' })
// @ts-expect-error: unknown without a declared type
isNumber(unsaid.sum)

export const report: Report = await client.verify()
export const verdict: Verdict = report.verdict
export const strict = createClient({
  baseUrl,
  verify: 'required',
  policy: { composeHashes: ['00'], measurements: 'open' },
  sealedVia: 'edge',
})
export const same = createClient({ baseUrl, verification: client.verification })
// @ts-expect-error: must be once, required or never
createClient({ baseUrl, verify: 'always' })
// @ts-expect-error: the base URL is required
createClient({ apiKey: 'key' })

// Errors are distinguished by class.
export function logsOf(error: unknown): string | undefined {
  if (error instanceof ActionFailed) return error.logs
  return error instanceof SvcError ? error.code : undefined
}
export const waits = (failure: TooManyRequests): number | undefined => failure.retryAfterS
// @ts-expect-error: it is unknown when an account will have credits
export const never = (failure: PaymentRequired): number | undefined => failure.retryAfterS

function isNumber(value: number): void {
  void value
}
