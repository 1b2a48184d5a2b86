/**
 * What the compiler says of programs that use the client: `tsc -b` checks it against the sources, `package.test.ts` against
 * the packed declarations. Nothing here is run.
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

// API mode is the default, and its client has what only it can do.
export const api: ApiClient = client
export const mode: 'api' = client.mode
export const rotated: Promise<{ api_key: string }> = client.rotateAccountApiKey()
// @ts-expect-error: ownership is transferred by the wallet that has it
client.transferOwnership('0x')

// ChainSecured mode has the same operations, and its own.
declare const signer: Eip1193Provider
const owned = createClient({ mode: 'sovereign', baseUrl, signer })
export const sovereign: SovereignClient = owned
export const both: AccountOperations[] = [client, owned]
await owned.transferOwnership('0x', 'there is no way back')
// @ts-expect-error: what can not be taken back is said
await owned.transferOwnership('0x')
// @ts-expect-error: there is no account key to rotate
owned.rotateAccountApiKey()
// @ts-expect-error: an account key is not of this mode
createClient({ mode: 'sovereign', baseUrl, signer, apiKey: 'key' })
// @ts-expect-error: somebody has to sign
createClient({ mode: 'sovereign', baseUrl })

// Records have their fields, as the API spells them.
export const wallet: NewWallet = await client.createWallet()
export const address: string = wallet.wallet_address
export const groups: Listing<Group> = client.listGroups()
for await (const { group_id } of groups) isNumber(group_id)
// @ts-expect-error: no such field
export const other = wallet.walletAddress

// Wrong fields are errors.
// @ts-expect-error: a name is needed
await client.addGroup({})
// @ts-expect-error: no such field
await client.addGroup({ group_name: 'one', members: [] })
// @ts-expect-error: an array of numbers
await client.addUsageApiKey({ name: 'one', execute_in_groups: '1' })
// @ts-expect-error: the CID or its hash
await client.deleteAction({})

// What an action answers is what was said of it.
const { response, logs } = await client.svcAction<{ sum: number }>({ code: '' }, { sealed: true })
isNumber(response.sum)
export const lines: string = logs
// @ts-expect-error: it is a number
export const text: string = response.sum
const { response: unsaid } = await client.svcAction({ code: '' })
// @ts-expect-error: unknown, where nothing was said
isNumber(unsaid.sum)

// Verification.
export const report: Report = await client.verify()
export const verdict: Verdict = report.verdict
export const strict = createClient({
  baseUrl,
  verify: 'required',
  policy: { composeHashes: ['00'], measurements: 'open' },
  sealedVia: 'edge',
})
export const same = createClient({ baseUrl, verification: client.verification })
// @ts-expect-error: one of once, required, never
createClient({ baseUrl, verify: 'always' })
// @ts-expect-error: where it is has to be said
createClient({ apiKey: 'key' })

// Failures branch by class.
export function logsOf(error: unknown): string | undefined {
  if (error instanceof ActionFailed) return error.logs
  return error instanceof SvcError ? error.code : undefined
}
export const waits = (failure: TooManyRequests): number | undefined => failure.retryAfterS
// @ts-expect-error: nothing says when an account will have credits
export const never = (failure: PaymentRequired): number | undefined => failure.retryAfterS

function isNumber(value: number): void {
  void value
}
