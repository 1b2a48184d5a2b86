/** Says by DNS what a zone of the local stack's domain would say: which ACME account may get its certificates. */
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type Packet, type Question } from 'dns-packet'

export type LocalNameServer = {
  /** `127.0.0.1:port` */
  address: string
  close(): Promise<void>
}

/** The authority of the local stack has no name that the public would know. */
const LOCAL_CA = 'ca.invalid'
/** RFC 1035, 4.1.1. */
const AUTHORITATIVE = 1 << 10
const REFUSED = 5
const TTL_S = 60

/**
 * Answers on the loopback address alone, over UDP: CAA questions (RFC 8659) for one domain. What is asked of another
 * name is refused, and what is no question is not answered.
 * @param accountUri of the only account that may get certificates for the domain
 */
export async function startNameServer(
  domain: string,
  accountUri: string,
): Promise<LocalNameServer> {
  const socket = createSocket('udp4')
  socket.on('message', (bytes: Buffer, from: RemoteInfo) => {
    const reply = replyTo(bytes, domain, accountUri)
    if (reply) socket.send(reply, from.port, from.address)
  })
  // An answer that could not be sent is asked for again.
  socket.on('error', () => {})
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((closed) => socket.close(() => closed())),
  }
}

function replyTo(bytes: Buffer, domain: string, accountUri: string): Buffer | undefined {
  const query = decoded(bytes)
  const question = query?.questions?.[0]
  if (query?.type !== 'query' || !question) return undefined
  const known = question.name.toLowerCase() === domain
  return encode({
    type: 'response',
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: AUTHORITATIVE | (known ? 0 : REFUSED),
    questions: [question],
    answers: known && question.type === 'CAA' ? [caaRecord(question, accountUri)] : [],
  })
}

function decoded(bytes: Buffer): Packet | undefined {
  try {
    return decode(bytes)
  } catch {
    return undefined // not DNS
  }
}

/** RFC 8657: the account and the way in which it proves that the domain is its own. */
function caaRecord({ name }: Question, accountUri: string) {
  const value = `${LOCAL_CA}; validationmethods=http-01; accounturi=${accountUri}`
  return {
    type: 'CAA',
    class: 'IN',
    name,
    ttl: TTL_S,
    data: { flags: 0, tag: 'issue', value },
  } as const
}
