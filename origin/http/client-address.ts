import type { Context } from 'hono'

/**
 * Passed to `app.fetch` with a request: the socket from Node's server, or the edge's client from the sealed channel.
 */
export type Sender =
  | { incoming: { socket?: { remoteAddress?: string } } }
  | { envelope: { clientAddress: string } }

/**
 * Returns the address that a request came from: the one in the sealed envelope if the edge forwarded the request,
 * otherwise the socket's. Headers are never used, because any client can send any header. `''` if the socket is closed
 * or there is none.
 */
export function clientAddress(context: Context): string {
  const sender = context.env as Partial<Sender> | undefined
  if (sender && 'envelope' in sender && sender.envelope) return sender.envelope.clientAddress
  if (sender && 'incoming' in sender) return sender.incoming?.socket?.remoteAddress ?? ''
  return ''
}
