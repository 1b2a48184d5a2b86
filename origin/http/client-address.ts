import type { Context } from 'hono'

/** What `app.fetch` is given beside a request: by Node's server its socket, by the sealed channel who asked the edge. */
export type Sender =
  | { incoming: { socket?: { remoteAddress?: string } } }
  | { envelope: { clientAddress: string } }

/**
 * The address that a request came from: the sealed envelope's where the edge passed the request on, else the socket's,
 * never one that a header names, since any client can send any header (`decisions.md`, Client address). `''` where
 * there is none: a socket that is closed, or a request without one.
 */
export function clientAddress(context: Context): string {
  const sender = context.env as Partial<Sender> | undefined
  if (sender && 'envelope' in sender && sender.envelope) return sender.envelope.clientAddress
  if (sender && 'incoming' in sender) return sender.incoming?.socket?.remoteAddress ?? ''
  return ''
}
