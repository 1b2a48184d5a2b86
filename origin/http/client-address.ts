import type { Context } from 'hono'

/**
 * Environment for `app.fetch`: the socket from Node's server, or the address of the edge's client from the sealed
 * channel.
 */
export type Sender =
  | { incoming: { socket?: { remoteAddress?: string } } }
  | { envelope: { clientAddress: string } }

/**
 * Address from the sealed envelope if the edge forwarded the request, else from the socket. Headers are never used,
 * because any client can send any header. Returns `''` if the socket is closed or absent.
 */
export function clientAddress(context: Context): string {
  const sender = context.env as Partial<Sender> | undefined
  if (sender && 'envelope' in sender && sender.envelope) return sender.envelope.clientAddress
  if (sender && 'incoming' in sender) return sender.incoming?.socket?.remoteAddress ?? ''
  return ''
}
