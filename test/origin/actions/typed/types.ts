/** Code that the declarations accept or reject. It is compiled, and never run. */
import {
  type ChainEventParams,
  defineAction,
  type ScheduleParams,
  type WalletSigner,
  type WebhookBatchParams,
  type WebhookEvent,
  type WebhookParams,
} from '@svc-run/cli/action'

type Order = { id: string; lines: { sku: string; count: number }[]; parent?: Order }

export const webhook = defineAction(
  async ({ event, headers, request }: WebhookParams<Order, { channel: string }>) => {
    const sent: number = Date.parse(request.received_at)
    // @ts-expect-error -- a header can be absent
    const signature: string = headers['x-signature']
    return { order: event.parent?.lines[0]?.sku, sent, signature }
  },
)

const idOf = ({ event }: WebhookEvent<Order>) => event.id

export const webhookBatch = defineAction(
  async ({ events, channel, ...params }: WebhookBatchParams<Order, { channel: string }>) => {
    // @ts-expect-error -- each element of `events` has an event
    void params.event
    // @ts-expect-error -- the whole batch has one source
    void events[0]?.source
    return { channel, ids: events.map(idOf), received: events[0]?.request.received_at }
  },
)

export const schedule = defineAction<ScheduleParams<{ channel: string }>, Order>((params) => {
  // @ts-expect-error -- a schedule has no event
  void params.event
  return { id: `${params.channel} ${params.cron} ${params.scheduled_at}`, lines: [] }
})

export const chainEvent = defineAction(
  async ({ event }: ChainEventParams<[from: string, to: string, ids: string[]]>) => {
    // @ts-expect-error -- null if the log could not be decoded
    void event.decoded.arg0
    if (event.decode === 'raw') throw new Error(event.decode_error)
    // @ts-expect-error -- the event has three arguments
    void event.decoded.arg3
    if (event.decode === 'ambiguous') return event.readings.map(({ decoded }) => decoded.arg1)
    return event.decoded.arg2
  },
)

export const anyEvent = defineAction(({ event }: ChainEventParams) => event.decoded)
export const inferred = defineAction(({ a }: { a: number }) => [a, null, undefined] as const)
export const explicitParams = defineAction<WebhookParams>((params) => params.event)
export const untyped = defineAction((params) => Object.keys(params))
export const nothing = defineAction(() => {})
export const unknownResult = defineAction(async () => JSON.parse('1') as unknown)
export const withToJson = defineAction(() => ({ at: new Date(), wei: ethers.constants.One }))

// @ts-expect-error -- JSON cannot represent a BigInt
export const bigint = defineAction(async () => 1n)
// @ts-expect-error -- at any depth
export const nestedBigint = defineAction(() => ({ items: [{ amount: BigInt(1) }] }))

export async function runtime(pkpId: string) {
  const signer: WalletSigner = Svc.Actions.wallet({ pkpId })
  const provider: ethers.providers.Provider = new ethers.providers.StaticJsonRpcProvider(
    'https://a',
  )
  const contract = new ethers.Contract(pkpId, ['function a()'], signer.connect(provider))
  const wei: ethers.BigNumber = ethers.utils.parseEther('1')
  const { status, headers } = await fetch('https://example.com', {
    method: 'POST',
    body: new URLSearchParams({ a: '1' }),
    signal: AbortSignal.any([AbortSignal.timeout(5), new AbortController().signal]),
  })
  for (const [name, value] of headers) console.log(name.length, value.length)
  const timer: number = setTimeout((text: string) => console.log(text), 5, 'late')
  clearTimeout(timer)
  const groups = Object.groupBy([1, 2], (n) => (n > 1 ? 'more' : 'less'))
  const { promise } = Promise.withResolvers<string>()
  return { contract, wei, status, groups, promise, half: new Float16Array(1) }
}

export async function absent(pkpId: string) {
  // @ts-expect-error -- Node's
  void process.env
  // @ts-expect-error -- Node's
  void Buffer.from('')
  // @ts-expect-error -- of browsers
  void document.title
  // @ts-expect-error -- streams
  void new ReadableStream()
  // @ts-expect-error -- ethers v6
  void ethers.parseEther('1')
  // @ts-expect-error -- misspelled
  await Svc.Actions.signMesage({ pkpId, message: '' })
  // @ts-expect-error -- has no effect without waitFor
  await Svc.Actions.transaction({ id: 'tx_', timeoutMs: 5 })
  // @ts-expect-error -- contracts cannot be created
  await Svc.Actions.sendTransaction({ pkpId, chain: 'base', data: '0x00' })
  // @ts-expect-error -- the object is frozen
  Svc.Actions.wallet = () => Svc.Actions.wallet({ pkpId })
  // @ts-expect-error -- derives keys
  await crypto.subtle.deriveBits('HKDF')
  // @ts-expect-error -- ignored by the sandbox
  await fetch('https://example.com', { credentials: 'include' })
}
